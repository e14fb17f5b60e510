"""Base: the n-grams that both data holders count in their names [Bonomi thesis, §4.3], as one public file.

The releases that it is merged from are differentially private, and merging is post-processing. What is computed with the base
afterwards is not.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError, InputProblems
from seqveil.link.whole import read_json, refuse_other_keys
from seqveil.surface import parameter
from seqveil.tables.flat import Flat
from seqveil.tables.names import NORMALISATION, Alphabet
from seqveil.whole import write_whole

if TYPE_CHECKING:
    from seqveil.release.patterns import PatternRelease

FORMAT, VERSION = "seqveil linkage base", 1
MOST_GRAMS = 1_000
LONGEST_GRAM = 12
"""lcm(1..12) = 27,720, so that the coordinates of a name of 65,535 characters stay below 2³¹."""

_MOST_BYTES = 1 << 24
_KEYS: dict[str, tuple[type, ...]] = {
    "format": (str,), "version": (int,), "normalisation": (int,), "id": (str,), "private": (bool,), "spent": (str,),
    "alphabet": (str,), "grams": (list,), "sources": (list,),
}  # fmt: skip
_SOURCE: dict[str, type] = {"release": str, "method": str, "version": str, "epsilon": str, "unit": str, "private": bool}


@dataclass(frozen=True)
class Base:
    """Grams in the order of coordinates over an alphabet. Two bases with one `id` give every name the same vector.

    >>> base = Base(Alphabet("aimps"), ("a", "i", "s", "si"))
    >>> base.scale, base.lengths.tolist(), base.weights.tolist()
    (2, [1, 1, 1, 2], [2, 2, 2, 1])
    >>> Base(Alphabet("ab"), ("a", "a", "bc"))
    Traceback (most recent call last):
    seqveil.errors.InputProblems: the base has 2 problems:
      - n-gram 'a' is listed 2 times: keep one of them
      - n-gram 'bc' has characters outside the alphabet
    """

    alphabet: Alphabet
    grams: tuple[str, ...]
    sources: tuple[dict[str, Any], ...] = ()

    def __post_init__(self) -> None:
        if problems := _problems(self.alphabet, self.grams):
            raise InputProblems("the base", problems)

    @classmethod
    def merge(cls, releases: Sequence[PatternRelease], top: int = 75) -> Base:
        """The `top` n-grams of the releases by the sum of their noisy counts [Bonomi thesis, §4.3.1].

        Ties are broken publicly: shorter n-grams first, then by the alphabet. A noisy count below 0 counts as 0.
        """
        if not 1 <= top <= MOST_GRAMS:
            raise CallError(f"{parameter('top', str(top))}: a base has 1 to {MOST_GRAMS:,} n-grams; 75 is usual.")
        _refuse_unlike(releases)
        total: Counter[tuple[int, ...]] = Counter()
        for release in releases:
            for k, count in enumerate(release.patterns.count.tolist()):
                total[release.patterns.pattern(k)] += max(count, 0.0)
        best = sorted(total, key=lambda gram: (-total[gram], len(gram), gram))[:top]
        if not best:
            raise CallError("the releases hold no n-grams: mine them again with a larger ε, or from more names.")
        alphabet = Alphabet.of_domain(releases[0].domain)
        grams = tuple("".join(alphabet.text[code] for code in gram) for gram in best)
        return cls(alphabet, grams, tuple(_source(release) for release in releases))

    def __len__(self) -> int:
        return len(self.grams)

    @cached_property
    def id(self) -> str:
        """SHA-256 over everything that decides a vector."""
        decides = [FORMAT, VERSION, NORMALISATION, self.alphabet.text, self.grams]
        return hashlib.sha256(json.dumps(decides, ensure_ascii=True, separators=(",", ":")).encode()).hexdigest()

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """|g| of every gram."""
        return np.array([len(gram) for gram in self.grams], np.int64)

    @cached_property
    def scale(self) -> int:
        """The least number that makes every O_s(g) / |g| an integer."""
        return math.lcm(*(len(gram) for gram in self.grams))

    @cached_property
    def weights(self) -> NDArray[np.int64]:
        """scale / |g|: what one occurrence adds to a coordinate, in units of 1 / scale."""
        return self.scale // self.lengths

    @cached_property
    def codes(self) -> Flat:
        """The grams as codes of the alphabet."""
        place = {character: code for code, character in enumerate(self.alphabet.text)}
        return Flat.of([place[character] for character in gram] for gram in self.grams)

    @property
    def private(self) -> bool:
        """Whether every source is differentially private; experiments with a seed are not."""
        return bool(self.sources) and all(source["private"] for source in self.sources)

    @property
    def spent(self) -> str:
        """The privacy budget that the base has cost, in one sentence for people."""
        if not self.private:
            return "This base is NOT differentially private: it was made with a seed, or without releases."
        each = " and ".join(f"ε = {source['epsilon']} ({source['unit']})" for source in self.sources)
        both = " For a person in several of the files, the budgets add up." if len(self.sources) > 1 else ""
        return f"The n-grams are differentially private, with {each}.{both}"

    def save(self, path: str | Path) -> Path:
        """As a JSON file that is whole or not there at all."""
        data = {
            "format": FORMAT, "version": VERSION, "normalisation": NORMALISATION, "id": self.id, "private": self.private,
            "spent": self.spent, "alphabet": self.alphabet.text, "grams": self.grams, "sources": self.sources,
        }  # fmt: skip
        text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
        write_whole(Path(path), text.encode())
        return Path(path)

    @classmethod
    def load(cls, path: str | Path) -> Base:
        """Read strictly: whatever is not exactly what `save` writes is refused."""
        source, data = str(path), read_json(Path(path), _MOST_BYTES, follow=True)
        if data.get("format") != FORMAT:
            raise InputProblems(source, ["is not a base: give the file that `seqveil link merge` wrote"])
        if data.get("version") != VERSION or data.get("normalisation") != NORMALISATION:
            raise InputProblems(
                source,
                [f"has version {data.get('version')!r} (normalisation {data.get('normalisation')!r}), but this Seqveil reads "
                 f"version {VERSION} (normalisation {NORMALISATION}): both data holders must use the same version of Seqveil"],
            )  # fmt: skip
        refuse_other_keys(source, data, _KEYS)
        if not all(isinstance(gram, str) for gram in data["grams"]):
            raise InputProblems(source, ["has an n-gram that is not text"])
        if not all(_is_source(entry) for entry in data["sources"]):
            raise InputProblems(source, [f"has a source without exactly {', '.join(_SOURCE)}"])
        try:
            base = cls(Alphabet(data["alphabet"]), tuple(data["grams"]), tuple(data["sources"]))
        except InputProblems as error:
            raise InputProblems(source, error.problems) from None
        problems = [
            f"its {key} does not match its content: the file was changed; copy it again"
            for key in ("id", "private")
            if data[key] != getattr(base, key)
        ]
        if problems:
            raise InputProblems(source, problems)
        return base


def _problems(alphabet: Alphabet, grams: tuple[str, ...]) -> list[str]:
    if not grams:
        return ["has no n-grams"]
    if len(grams) > MOST_GRAMS:
        return [f"has {len(grams):,} n-grams: at most {MOST_GRAMS:,} are supported"]
    characters = frozenset(alphabet.text)
    problems = [
        f"n-gram {gram!r} is listed {times} times: keep one of them" for gram, times in Counter(grams).items() if times > 1
    ]
    for gram in dict.fromkeys(grams):
        if not 1 <= len(gram) <= LONGEST_GRAM:
            problems.append(f"n-gram {gram[:20]!r} has {len(gram):,} characters: 1 to {LONGEST_GRAM} are supported")
        elif not characters.issuperset(gram):
            problems.append(f"n-gram {gram!r} has characters outside the alphabet")
    return problems


def _refuse_unlike(releases: Sequence[PatternRelease]) -> None:
    """Counts can be added only when they count the same thing."""
    if not releases:
        raise CallError("nothing to merge: give the folders that `seqveil link base` wrote, one from each data holder.")
    problems = [
        f"release {n} holds patterns of kind {release.kind}, not substrings: mine it with `seqveil link base`"
        for n, release in enumerate(releases, 1)
        if release.kind != "substring"
    ]
    problems += [
        f"release {n} promises (ε, δ), which does not add up with the ε of others: mine it without {parameter('delta')}"
        for n, release in enumerate(releases, 1)
        if release.manifest.zcdp is not None
    ]
    first, ours = releases[0], releases[0].manifest.mechanism
    for n, release in enumerate(releases[1:], 2):
        theirs = release.manifest.mechanism
        if release.domain != first.domain:
            problems.append(f"release {n} has another alphabet than release 1: mine both with the same {parameter('alphabet')}")
        if (theirs.name, theirs.version) != (ours.name, ours.version):
            problems.append(
                f"release {n} comes from {theirs.name} version {theirs.version}, release 1 from {ours.name} version "
                f"{ours.version}: mine both with the same {parameter('method')} and the same version of Seqveil"
            )
        for key in ("shortest", "longest"):
            own, other = ours.parameters.get(key), theirs.parameters.get(key)
            if own != other:
                same = f"mine both with the same {parameter(key)}"
                problems.append(f"{key} is {other} in release {n} and {own} in release 1: {same}")
    times = Counter(release.manifest.release for release in releases)
    problems += [
        f"the release {name} is given {many} times: give one folder from each data holder"
        for name, many in times.items()
        if many > 1
    ]
    if problems:
        raise InputProblems("the bases", problems)


def _source(release: PatternRelease) -> dict[str, Any]:
    manifest = release.manifest
    return {
        "release": manifest.release, "method": manifest.mechanism.name, "version": manifest.mechanism.version,
        "epsilon": manifest.epsilon, "unit": manifest.neighbours, "private": manifest.private,
    }  # fmt: skip


def _is_source(entry: object) -> bool:
    return (
        isinstance(entry, dict)
        and entry.keys() == _SOURCE.keys()
        and all(type(entry[key]) is kind and (kind is bool or len(entry[key]) <= 200) for key, kind in _SOURCE.items())
    )
