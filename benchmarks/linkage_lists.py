"""What the linkage benchmarks share: lists of US surnames and cities of two data holders, bases of n-grams, lines of Markdown."""

from __future__ import annotations

import gzip
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import seqveil as sv
from data import find
from seqveil.link.base import Base
from seqveil.tables.names import Alphabet
from seqveil.tables.sequences import SequenceTable

LATIN = Alphabet.parse("latin")


def line(*cells: object) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def header(*cells: object) -> None:
    line(*cells)
    line(*["---"] * len(cells))


@cache
def listed(file: str, column: int, most: int | None) -> list[str] | None:
    """Different names of a file in its order, normalised."""
    path = find(file)
    if path is None:
        return None
    with gzip.open(path, "rt", encoding="utf-8") as text:
        entries = dict.fromkeys(LATIN.normalise(row.rstrip("\n").split("\t")[column]) for row in text)
    entries.pop("", None)
    return list(entries)[:most]


@dataclass(frozen=True)
class Holders:
    """Two lists that share names, and the names of each whose pairs are looked at."""

    name: str
    a: list[str]
    b: list[str]
    asked: list[str]
    among: list[str]

    @classmethod
    def of(cls, name: str, names: list[str], asked: int, itself: bool = False) -> Holders:
        """Each holder has a random 60 % of the names, so 36 % are shared; bases are mined from the whole lists.

        The asked names are compared with the whole second list, or with themselves.
        """
        random = np.random.default_rng(10)
        a, b = ([n for n, has in zip(names, random.random(len(names)) < 0.6, strict=True) if has] for _ in "ab")
        chosen = [a[i] for i in random.permutation(len(a))[:asked]]
        return cls(name, a, b, chosen, chosen if itself else b)


def holders() -> list[Holders]:
    """Surnames, also a sample against itself, as the figures of [Bonomi thesis, ch. 4] suggest; and cities."""
    names, cities = listed("surnames_2000.tsv.gz", 0, None), listed("us_cities.tsv.gz", 1, 5_000)
    entries = []
    if names is not None:
        entries += [Holders.of("NAMES", names, 2_000), Holders.of("NAMES, a sample against itself", names, 5_000, itself=True)]
    return entries if cities is None else [*entries, Holders.of("CITIES", cities, 3_000)]


def exact_base(names: list[str], k: int) -> Base:
    """What a miner without privacy finds: the k most frequent grams of 1 to 3 characters."""
    times = Counter(name[i : i + q] for name in names for q in (1, 2, 3) for i in range(len(name) - q + 1))
    return Base(LATIN, tuple(gram for gram, _ in times.most_common(k)))


def random_base(k: int, seed: int) -> Base:
    """k different random strings of 1 to 3 characters."""
    random = np.random.default_rng(seed)
    grams: dict[str, None] = {}
    while len(grams) < k:
        grams["".join(LATIN.text[c] for c in random.integers(0, 26, random.integers(1, 4)))] = None
    return Base(LATIN, tuple(grams))


def private_base(lists: Holders, k: int, epsilon: str, seed: int, method: Any = sv.PrefixMiner, h: int = 8) -> Base:
    """Each holder mines its own list with ε (seeded: an experiment), then the two are merged."""
    mined = []
    for nth, names in enumerate((lists.a, lists.b)):
        table = SequenceTable(LATIN.domain, LATIN.encode(names))
        mined.append(sv.experiment(table, method(top=k, shortest=1, longest=3, h=h), epsilon, seed=10 * seed + nth))
    return Base.merge(mined, k)
