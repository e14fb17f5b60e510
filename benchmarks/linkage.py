"""Linkage on US surnames and cities: F1 by edits, ε, base and threshold; plain edit distances; speed; attacks. Prints Markdown.

python benchmarks/linkage.py edits      pairs within 0, 1, 2 edits, by base and threshold (thesis 002, §4.7.1 and §4.7.3)
python benchmarks/linkage.py epsilon    ε from 0.05 to 2
python benchmarks/linkage.py sizes      bases of 15 to 300 grams
python benchmarks/linkage.py people     10,000 against 10,000 people, half of them shared, with typing errors
python benchmarks/linkage.py speed      150,000 against 150,000 names: every step in a process of its own, with its memory
python benchmarks/linkage.py attacks    what a third party, or two colluding ones, read off the vectors (§4.6.3, §4.7.4)
"""

from __future__ import annotations

import gzip
import itertools
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import seqveil as sv
from data import find
from seqveil.evaluate.linkage import scores, true_pairs
from seqveil.fenced.linkage.base import Base
from seqveil.fenced.linkage.embedding import coordinates, embed
from seqveil.fenced.linkage.thresholds import Threshold
from seqveil.tables.flat import Flat
from seqveil.tables.names import Alphabet
from seqveil.tables.sequences import SequenceTable

LATIN = Alphabet.parse("latin")
KINDS = ("personal", "neighbours", "lengths", "sqrt_k")
SEEDS = (1, 2, 3)
ROWS = 250
"""Names of the first holder whose distances to all of the second are held at once."""


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
        found = dict.fromkeys(LATIN.normalise(row.rstrip("\n").split("\t")[column]) for row in text)
    found.pop("", None)
    return list(found)[:most]


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
    """Surnames, also a sample against itself, as the thesis' figures suggest that it did; and cities."""
    names, cities = listed("surnames_2000.tsv.gz", 0, None), listed("us_cities.tsv.gz", 1, 5_000)
    found = []
    if names is not None:
        found += [Holders.of("NAMES", names, 2_000), Holders.of("NAMES, a sample against itself", names, 5_000, itself=True)]
    return found if cities is None else [*found, Holders.of("CITIES", cities, 3_000)]


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


def private_base(held: Holders, k: int, epsilon: str, seed: int, method: Any = sv.PrefixMiner, h: int = 8) -> Base:
    """Each holder mines its own list with ε (seeded: an experiment), then the two are merged."""
    mined = []
    for nth, names in enumerate((held.a, held.b)):
        table = SequenceTable(LATIN.domain, LATIN.encode(names))
        mined.append(sv.experiment(table, method(top=k, shortest=1, longest=3, h=h), epsilon, seed=10 * seed + nth))
    return Base.merge(mined, k)


def vectors(base: Base, names: list[str]) -> NDArray[np.float32]:
    found = coordinates(base, embed(base, LATIN.encode(names)))
    assert (found.astype(np.int64) ** 2).sum(axis=1).max() < 1 << 22  # so that single precision is exact
    return found.astype(np.float32)


class Distances:
    """How many squared distances of asked names to the second list there are of each size, in all and of true pairs."""

    def __init__(self, base: Base, held: Holders, true: dict[int, NDArray[np.int64]]) -> None:
        self.base, self.true = base, true
        a, b = vectors(base, held.asked), vectors(base, held.among)
        long = (b**2).sum(axis=1)
        codes = LATIN.encode(held.asked)
        self.reach = {(kind, edits): Threshold.parse(kind, edits).reaches(base, codes) for kind in KINDS for edits in true}
        self.found = dict.fromkeys(self.reach, 0)
        self.hit = dict.fromkeys(self.reach, 0)
        most = 1 + int((np.sqrt((a**2).sum(axis=1).max()) + np.sqrt(long.max())) ** 2)
        self.all = np.zeros(most + 1, np.int64)
        self.of_true = {edits: np.zeros(most + 1, np.int64) for edits in true}
        for start in range(0, len(a), ROWS):
            part = a[start : start + ROWS]
            far = ((part**2).sum(axis=1)[:, None] + long[None, :] - 2 * part @ b.T).astype(np.int32)
            self.all += np.bincount(far.ravel(), minlength=most + 1)
            for (kind, edits), reach in self.reach.items():
                self.found[kind, edits] += int((far <= reach[start : start + ROWS, None]).sum())
            for edits, pairs in true.items():
                here = pairs[(pairs[:, 0] >= start) & (pairs[:, 0] < start + ROWS)]
                apart = far[here[:, 0] - start, here[:, 1]]
                self.of_true[edits] += np.bincount(apart, minlength=most + 1)
                for kind in KINDS:
                    self.hit[kind, edits] += int((apart <= self.reach[kind, edits][here[:, 0]]).sum())

    def scores(self, kind: str, edits: int) -> tuple[float, float, float]:
        """Precision, recall, F1 of a threshold."""
        hit, found, true = self.hit[kind, edits], self.found[kind, edits], len(self.true[edits])
        return hit / max(found, 1), hit / max(true, 1), 2 * hit / max(found + true, 1)

    def best(self, edits: int) -> tuple[float, float]:
        """The best F1 of any one distance for all names, and that distance: needs the truth, so nobody has it."""
        hit, found = np.cumsum(self.of_true[edits]), np.cumsum(self.all)
        f1 = 2 * hit / np.maximum(found + len(self.true[edits]), 1)
        at = int(np.argmax(f1))
        return float(f1[at]), at**0.5 / self.base.scale


def truth(held: Holders, edits: tuple[int, ...] = (0, 1, 2)) -> dict[int, NDArray[np.int64]]:
    return {t: true_pairs(held.asked, held.among, t) for t in edits}


def compare_edits() -> None:
    for held in holders():
        true = truth(held)
        sizes = f"bases from {len(held.a):,} and {len(held.b):,} names, pairs of {len(held.asked):,} and {len(held.among):,}"
        print(f"\n### {held.name}: {sizes}\n")
        print("true pairs within 0, 1, 2 edits: " + ", ".join(f"{len(p):,}" for p in true.values()) + "\n")
        bases = {
            "exact, no privacy": exact_base(held.a + held.b, 75),
            "prefix-miner, ε = 1": private_base(held, 75, "1.0", 1),
            "prefix-miner, ε = 0.1": private_base(held, 75, "0.1", 1),
            "two-phase, ε = 1": private_base(held, 75, "1.0", 1, sv.TwoPhase),
            "random grams": random_base(75, 1),
        }
        header("base", "edits", *(f"{kind}: P / R / F1" for kind in KINDS), "best one distance: F1 (at)")
        for name, base in bases.items():
            counted = Distances(base, held, true)
            for t in true:
                cells = [" / ".join(f"{x:.3f}" for x in counted.scores(kind, t)) for kind in KINDS]
                best, at = counted.best(t)
                line(f"{name} ({len(base)} grams)", t, *cells, f"{best:.3f} ({at:.2f})")


def compare_epsilon() -> None:
    header("data", "method", "ε of each holder", "grams", "of them among the exact 75", *(f"F1, {t} edits" for t in (0, 1, 2)))
    for held in holders():
        true, wanted = truth(held), set(exact_base(held.a + held.b, 75).grams)
        for name, method in (("prefix-miner", sv.PrefixMiner), ("two-phase", sv.TwoPhase)):
            for epsilon in ("0.05", "0.1", "0.5", "1.0", "2.0"):
                grams, same, f1 = [], [], {t: [] for t in true}
                try:
                    for seed in SEEDS:
                        base = private_base(held, 75, epsilon, seed, method)
                        counted = Distances(base, held, true)
                        grams.append(len(base))
                        same.append(len(wanted & set(base.grams)))
                        for t in true:
                            f1[t].append(counted.scores("personal", t)[2])
                except sv.SeqveilError as error:
                    line(held.name, name, epsilon, f"refused: {str(error)[:80]}", "", "", "", "")
                    continue
                cells = [f"{np.mean(f1[t]):.3f}" for t in true]
                line(held.name, name, epsilon, f"{np.mean(grams):.0f}", f"{np.mean(same):.0f}", *cells)
        exact = Distances(exact_base(held.a + held.b, 75), held, true)
        line(held.name, "exact", "∞", 75, 75, *(f"{exact.scores('personal', t)[2]:.3f}" for t in true))


def compare_sizes() -> None:
    header(
        "data",
        "grams",
        "base",
        *(f"F1 personal, {t} edits" for t in (0, 1, 2)),
        *(f"F1 best, {t} edits" for t in (1, 2)),
        "stress",
    )
    for held in holders():
        true = truth(held)
        for k in (15, 30, 75, 150, 300):
            made = {
                "exact": exact_base(held.a + held.b, k),
                "ε = 1": private_base(held, k, "1.0", 1),
                "random": random_base(k, 1),
            }
            for name, base in made.items():
                counted = Distances(base, held, true)
                cells = [f"{counted.scores('personal', t)[2]:.3f}" for t in true] + [f"{counted.best(t)[0]:.3f}" for t in (1, 2)]
                line(held.name, f"{len(base)} of {k}", name, *cells, f"{stress(base, held.asked[:1000]):.3f}")


def stress(base: Base, names: list[str]) -> float:
    """How far distances of vectors are from edit distances, equation 4.21."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    edits = cdist(names, names, scorer=Levenshtein.distance, workers=-1).astype(np.float64)
    v = vectors(base, names).astype(np.float64) / base.scale
    far = np.sqrt(np.maximum((v**2).sum(1)[:, None] + (v**2).sum(1)[None, :] - 2 * v @ v.T, 0))
    return float(((edits - far) ** 2).sum() / (edits**2).sum())


def linked(
    folder: Path, base: Base, a: list[str], b: list[str], threshold: str, edits: int, one_to_one: bool
) -> NDArray[np.int64]:
    """The pairs of rows (from 0) that the real files give: embed, match, open."""
    from seqveil.fenced.linkage.key import Key
    from seqveil.fenced.linkage.matching import match
    from seqveil.fenced.linkage.vectors import Vectors
    from seqveil.fenced.linkage.writing import write_vectors

    folder.mkdir()
    write_vectors(base, [a], folder / "a", folder / "a.key", threshold, edits)
    write_vectors(base, [b], folder / "b", folder / "b.key")
    pairs = match(Vectors.load(folder / "a"), Vectors.load(folder / "b"), one_to_one=one_to_one)
    rows = [Key.load(folder / f"{side}.key").rows for side in "ab"]
    return np.stack([rows[0][pairs.a - 1] - 1, rows[1][pairs.b - 1] - 1], axis=1)


def compare_people() -> None:
    """As a peer comparison did: 10,000 surnames, a copy of each at the other holder, half of the copies with one typing error."""
    from seqveil.simulate.names import with_typing_errors

    names = listed("surnames_2000.tsv.gz", 0, None)
    if names is None:
        return
    random = np.random.default_rng(3)
    a = [names[i] for i in random.permutation(len(names))[:10_000]]
    wrong = with_typing_errors(a, 1, seed=5)
    b = [LATIN.normalise(w) if r else n for n, w, r in zip(a, wrong, random.random(len(a)) < 0.5, strict=True)]
    same = np.stack([np.arange(len(a))] * 2, axis=1)
    held = Holders("people", a, b, a, b)
    header("method", "one to one", "pairs", "precision", "recall", "F1", "seconds")
    start = time.perf_counter()
    near = true_pairs(a, b, 1)
    line(
        "plain edit distance ≤ 1 (rapidfuzz), no privacy",
        "no",
        f"{len(near):,}",
        *shown(scores(near, same)),
        f"{time.perf_counter() - start:.1f}",
    )
    start = time.perf_counter()
    best = greedy(near, a, b)
    line(
        "plain edit distance ≤ 1 (rapidfuzz), no privacy",
        "yes",
        f"{len(best):,}",
        *shown(scores(best, same)),
        f"{time.perf_counter() - start:.1f}",
    )
    with tempfile.TemporaryDirectory() as work:
        settings = itertools.product(((75, "1.0"), (75, "0.1"), (300, "1.0")), ("personal", "neighbours"), (False, True))
        for number, ((k, epsilon), kind, single) in enumerate(settings):
            base = private_base(held, k, epsilon, 1)
            start = time.perf_counter()
            found = linked(Path(work) / str(number), base, a, b, kind, 1, single)
            seconds = f"{time.perf_counter() - start:.1f}"
            name = f"link, {len(base)} grams, ε = {epsilon}, {kind}"
            line(name, "yes" if single else "no", f"{len(found):,}", *shown(scores(found, same)), seconds)


def greedy(pairs: NDArray[np.int64], a: list[str], b: list[str]) -> NDArray[np.int64]:
    """Each name at most once, equal names first."""
    order = sorted(pairs.tolist(), key=lambda p: a[p[0]] != b[p[1]])
    left: set[int] = set()
    right: set[int] = set()
    kept = []
    for i, j in order:
        if i not in left and j not in right:
            kept.append((i, j))
            left.add(i)
            right.add(j)
    return np.array(kept, np.int64).reshape(-1, 2)


def shown(values: Any) -> list[str]:
    return [f"{value:.3f}" for value in values]


TIMED = """
import resource, sys, time
from seqveil.cli.app import main
sys.argv = {words!r}
start = time.perf_counter()
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print(f"{{time.perf_counter() - start:.1f}} | {{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f}}", file=sys.stderr)
"""


def speed() -> None:
    """All surnames against all of them with typing errors, by the commands that people type; a small run first, to be warm."""
    from seqveil.simulate.names import with_typing_errors

    names = listed("surnames_2000.tsv.gz", 0, 150_000)
    if names is None:
        return
    wrong = with_typing_errors(names, 1, seed=5)
    header("names", "step", "seconds", "GB", "told")
    for many, told in ((500, False), (len(names), True)):
        with tempfile.TemporaryDirectory() as work:
            folder = Path(work)
            for side, held in (("a", names[:many]), ("b", wrong[:many])):
                (folder / f"{side}.csv").write_text("name\n" + "\n".join(held) + "\n", encoding="utf-8")
            mined, embedded = (
                ["--column", "name", "--alphabet", "latin", "--epsilon", "1"],
                ["--column", "name", "--base", "base.json"],
            )
            steps = [["base", f"{side}.csv", *mined, "--out", f"base-{side}"] for side in "ab"]
            steps += [["merge", "base-a", "base-b", "--top", "75", "--out", "base.json"]]
            steps += [["embed", "b.csv", *embedded, "--out", "b", "--key", "b.key"]]
            for kind in ("personal", "neighbours"):
                asked = ["--edits", "1", "--threshold", kind]
                steps += [["embed", "a.csv", *embedded, *asked, "--out", f"a-{kind}", "--key", f"a-{kind}.key"]]
                steps += [["match", f"a-{kind}", "b", "--out", f"pairs-{kind}"]]
            steps += [["open", "a.csv", "pairs-personal", "--column", "name", "--key", "a-personal.key", "--out", "shared.csv"]]
            for words in steps:
                code = TIMED.format(words=["seqveil", "link", *words])
                ran = subprocess.run(
                    [sys.executable, "-c", code], cwd=folder, env={"SEQVEIL_HOME": str(folder / "home"), "PATH": ""},
                    capture_output=True, text=True, check=False,
                )  # fmt: skip
                said = ran.stderr.strip().splitlines()
                if told:
                    line(f"{many:,}", " ".join(words), said[-1] if said else "?", said[-2][:100] if len(said) > 1 else "")


def hashed(base: Base, names: Flat) -> NDArray[np.uint64]:
    """A vector as one number: a random linear form mod 2⁶⁴, so that different vectors differ but for chance."""
    form = np.random.default_rng(9).integers(0, 1 << 63, len(base), dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    parts = []
    for start in range(0, len(names), 500_000):
        offsets = names.offsets[start : start + 500_001]
        part = Flat(names.items[offsets[0] : offsets[-1]], offsets - offsets[0])
        parts.append(embed(base, part).astype(np.uint64) @ form)
    return np.concatenate(parts)


def attacks() -> None:
    held = next((h for h in holders() if h.name == "NAMES"), None)
    public = listed("surnames_1990.tsv.gz", 0, None)
    if held is None or public is None:
        return
    random = np.random.default_rng(4)
    print("\n### Mutual information of a name and its vector (1,000 names, so at most 9.97 bits)\n")
    header("grams", "base of frequent grams, ε = 1", "random grams")
    sample = [held.b[i] for i in random.permutation(len(held.b))[:1000]]
    for k in (15, 30, 75, 150):
        bits = []
        for base in (private_base(held, k, "1.0", 1), random_base(k, 1)):
            share = np.unique(hashed(base, LATIN.encode(sample)), return_counts=True)[1] / len(sample)
            bits.append(f"{-(share * np.log2(share)).sum():.2f}")
        line(k, *bits)

    base = private_base(held, 75, "1.0", 1)
    print("\n### Collisions: how many strings have the vector of a record of the second holder\n")
    header("candidates", "records", "mean", "median", "records with one candidate")
    of_b = hashed(base, LATIN.encode(held.b))
    tell_collisions("its own list", of_b, of_b)
    tell_collisions("a public dictionary (surnames of 1990)", of_b, hashed(base, LATIN.encode(public)))
    for length in (4, 5):
        every = np.indices((26,) * length, dtype=np.int32).reshape(length, -1).T
        strings = Flat(every.ravel(), np.arange(0, every.size + 1, length, dtype=np.int64))
        records = LATIN.encode([name for name in held.b if len(name) == length])
        tell_collisions(f"all {26**length:,} strings of {length} letters", hashed(base, records), hashed(base, strings))

    print("\n### Names read off the vectors\n")
    header(
        "who",
        "knows",
        "records with exactly one candidate, the right one",
        "right one among the candidates",
        "one candidate, wrong",
    )
    line("third party and a holder", "the base, and a public dictionary", *read_off(base, held.b, of_b, public))
    believed, grams = guessed(base, held.b, public)
    part = Base(LATIN, tuple(base.grams[i] for i in believed))
    right = sum(a == b for a, b in zip(part.grams, grams, strict=True))
    told = f"a public dictionary; believes {len(grams)} of {len(base)} coordinates, {right} rightly"
    line("third party alone", told, *read_off(Base(LATIN, tuple(grams)), held.b, hashed(part, LATIN.encode(held.b)), public))
    known = set(held.b)
    found = true_pairs(public, held.b, 0)
    line(
        "a holder who sends the dictionary as its list",
        "the pairs (0 edits)",
        f"{len(found) / len(known):.1%}",
        f"{len(found) / len(known):.1%}",
        "0.0%",
    )


def tell_collisions(what: str, records: NDArray[np.uint64], candidates: NDArray[np.uint64]) -> None:
    values, times = np.unique(candidates, return_counts=True)
    at = np.minimum(np.searchsorted(values, records), len(values) - 1)
    many = np.where(values[at] == records, times[at], 0)
    line(what, f"{len(records):,}", f"{many.mean():.1f}", f"{np.median(many):.0f}", f"{(many == 1).mean():.1%}")


def read_off(base: Base, names: list[str], seen: NDArray[np.uint64], dictionary: list[str]) -> list[str]:
    """What a dictionary tells of every record's vector, when its coordinates are taken for the grams of `base`."""
    by: dict[int, list[str]] = {}
    for word, vector in zip(dictionary, hashed(base, LATIN.encode(dictionary)).tolist(), strict=True):
        by.setdefault(vector, []).append(word)
    one = among = wrong = 0
    for name, vector in zip(names, seen.tolist(), strict=True):
        candidates = by.get(vector, [])
        among += name in candidates
        one += candidates == [name]
        wrong += len(candidates) == 1 and candidates != [name]
    return [f"{count / len(names):.1%}" for count in (one, among, wrong)]


def guessed(base: Base, names: list[str], dictionary: list[str]) -> tuple[list[int], list[str]]:
    """What a third party without the base takes some coordinates for, by how often two of them occur together.

    The frequent grams of a public dictionary are laid over the coordinates so that co-occurrences agree best (a quadratic
    assignment); a coordinate is believed when its row differs little.
    """
    from scipy.optimize import quadratic_assignment

    known = exact_base(dictionary, len(base))
    counted = ((base, names), (known, dictionary))
    seen, expected = (
        np.log1p(1000 * (v.T @ v / len(v))) for v in (embed(b, LATIN.encode(n)).astype(np.float64) for b, n in counted)
    )
    start = np.zeros_like(seen)
    start[np.argsort(-seen.diagonal()), np.argsort(-expected.diagonal())] = 1
    found = quadratic_assignment(seen, expected, method="faq", options={"maximize": True, "P0": start}).col_ind
    first = np.stack([np.arange(len(found)), found], axis=1)
    found = quadratic_assignment(seen, expected, method="2opt", options={"maximize": True, "partial_guess": first}).col_ind
    apart = np.abs(seen - expected[np.ix_(found, found)]).mean(axis=1)
    believed = np.flatnonzero(apart < 0.3).tolist()
    return believed, [known.grams[found[i]] for i in believed]


if __name__ == "__main__":
    chosen = {
        "edits": compare_edits, "epsilon": compare_epsilon, "sizes": compare_sizes, "people": compare_people, "speed": speed,
        "attacks": attacks,
    }  # fmt: skip
    for word in sys.argv[1:] or list(chosen):
        chosen[word]()
