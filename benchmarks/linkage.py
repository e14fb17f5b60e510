"""Linkage on US surnames and cities: F1 by edits, ε, base and threshold; plain edit distances; speed. Prints Markdown.

python benchmarks/linkage.py edits      pairs within 0, 1, 2 edits, by base and threshold [Bonomi thesis, §4.7.1, §4.7.3]
python benchmarks/linkage.py epsilon    ε from 0.05 to 2
python benchmarks/linkage.py sizes      bases of 15 to 300 grams
python benchmarks/linkage.py people     10,000 against 10,000 people, half of them shared, with typing errors
python benchmarks/linkage.py speed      150,000 against 150,000 names: every step in a process of its own, with its memory
python benchmarks/linkage.py attacks    what a third party, or two colluding ones, recover [Bonomi thesis, §4.6.3, §4.7.4]
"""

from __future__ import annotations

import itertools
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import seqveil as sv
from linkage_lists import LATIN, Holders, exact_base, header, holders, line, listed, private_base, random_base
from seqveil.evaluate.linkage import scores, true_pairs
from seqveil.link.base import Base
from seqveil.link.embedding import coordinates, embed
from seqveil.link.thresholds import Threshold

KINDS = ("personal", "neighbours", "lengths", "sqrt_k")
SEEDS = (1, 2, 3)
ROWS = 250
"""Names of the first holder whose distances to all of the second are held at once."""


def vectors(base: Base, names: list[str]) -> NDArray[np.float32]:
    points = coordinates(base, embed(base, LATIN.encode(names)))
    assert (points.astype(np.int64) ** 2).sum(axis=1).max() < 1 << 22  # so that single precision is exact
    return points.astype(np.float32)


class Distances:
    """How many squared distances of asked names to the second list there are of each size, in all and of true pairs."""

    def __init__(self, base: Base, lists: Holders, true: dict[int, NDArray[np.int64]]) -> None:
        self.base, self.true = base, true
        a, b = vectors(base, lists.asked), vectors(base, lists.among)
        long = (b**2).sum(axis=1)
        codes = LATIN.encode(lists.asked)
        self.reach = {(kind, edits): Threshold.parse(kind, edits).reaches(base, codes) for kind in KINDS for edits in true}
        self.matched = dict.fromkeys(self.reach, 0)
        self.hit = dict.fromkeys(self.reach, 0)
        most = 1 + int((np.sqrt((a**2).sum(axis=1).max()) + np.sqrt(long.max())) ** 2)
        self.all = np.zeros(most + 1, np.int64)
        self.of_true = {edits: np.zeros(most + 1, np.int64) for edits in true}
        for start in range(0, len(a), ROWS):
            part = a[start : start + ROWS]
            far = ((part**2).sum(axis=1)[:, None] + long[None, :] - 2 * part @ b.T).astype(np.int32)
            self.all += np.bincount(far.ravel(), minlength=most + 1)
            for (kind, edits), reach in self.reach.items():
                self.matched[kind, edits] += int((far <= reach[start : start + ROWS, None]).sum())
            for edits, pairs in true.items():
                here = pairs[(pairs[:, 0] >= start) & (pairs[:, 0] < start + ROWS)]
                apart = far[here[:, 0] - start, here[:, 1]]
                self.of_true[edits] += np.bincount(apart, minlength=most + 1)
                for kind in KINDS:
                    self.hit[kind, edits] += int((apart <= self.reach[kind, edits][here[:, 0]]).sum())

    def scores(self, kind: str, edits: int) -> tuple[float, float, float]:
        """Precision, recall, F1 of a threshold."""
        hit, matched, true = self.hit[kind, edits], self.matched[kind, edits], len(self.true[edits])
        return hit / max(matched, 1), hit / max(true, 1), 2 * hit / max(matched + true, 1)

    def best(self, edits: int) -> tuple[float, float]:
        """The best F1 of any one distance for all names, and that distance: needs the truth, so nobody has it."""
        hit, matched = np.cumsum(self.of_true[edits]), np.cumsum(self.all)
        f1 = 2 * hit / np.maximum(matched + len(self.true[edits]), 1)
        at = int(np.argmax(f1))
        return float(f1[at]), at**0.5 / self.base.scale


def truth(lists: Holders, edits: tuple[int, ...] = (0, 1, 2)) -> dict[int, NDArray[np.int64]]:
    return {t: true_pairs(lists.asked, lists.among, t) for t in edits}


def compare_edits() -> None:
    for lists in holders():
        true = truth(lists)
        sizes = f"bases from {len(lists.a):,} and {len(lists.b):,} names, pairs of {len(lists.asked):,} and {len(lists.among):,}"
        print(f"\n### {lists.name}: {sizes}\n")
        print("true pairs within 0, 1, 2 edits: " + ", ".join(f"{len(p):,}" for p in true.values()) + "\n")
        bases = {
            "exact, no privacy": exact_base(lists.a + lists.b, 75),
            "prefix-miner, ε = 1": private_base(lists, 75, "1.0", 1),
            "prefix-miner, ε = 0.1": private_base(lists, 75, "0.1", 1),
            "two-phase, ε = 1": private_base(lists, 75, "1.0", 1, sv.TwoPhase),
            "random grams": random_base(75, 1),
        }
        header("base", "edits", *(f"{kind}: P / R / F1" for kind in KINDS), "best one distance: F1 (at)")
        for name, base in bases.items():
            counted = Distances(base, lists, true)
            for t in true:
                cells = [" / ".join(f"{x:.3f}" for x in counted.scores(kind, t)) for kind in KINDS]
                best, at = counted.best(t)
                line(f"{name} ({len(base)} grams)", t, *cells, f"{best:.3f} ({at:.2f})")


def compare_epsilon() -> None:
    header("data", "method", "ε of each holder", "grams", "of them among the exact 75", *(f"F1, {t} edits" for t in (0, 1, 2)))
    for lists in holders():
        true, wanted = truth(lists), set(exact_base(lists.a + lists.b, 75).grams)
        for name, method in (("prefix-miner", sv.PrefixMiner), ("two-phase", sv.TwoPhase)):
            for epsilon in ("0.05", "0.1", "0.5", "1.0", "2.0"):
                grams, same, f1 = [], [], {t: [] for t in true}
                try:
                    for seed in SEEDS:
                        base = private_base(lists, 75, epsilon, seed, method)
                        counted = Distances(base, lists, true)
                        grams.append(len(base))
                        same.append(len(wanted & set(base.grams)))
                        for t in true:
                            f1[t].append(counted.scores("personal", t)[2])
                except sv.SeqveilError as error:
                    line(lists.name, name, epsilon, f"refused: {str(error)[:80]}", "", "", "", "")
                    continue
                cells = [f"{np.mean(f1[t]):.3f}" for t in true]
                line(lists.name, name, epsilon, f"{np.mean(grams):.0f}", f"{np.mean(same):.0f}", *cells)
        exact = Distances(exact_base(lists.a + lists.b, 75), lists, true)
        line(lists.name, "exact", "∞", 75, 75, *(f"{exact.scores('personal', t)[2]:.3f}" for t in true))


def compare_sizes() -> None:
    header(
        "data",
        "grams",
        "base",
        *(f"F1 personal, {t} edits" for t in (0, 1, 2)),
        *(f"F1 best, {t} edits" for t in (1, 2)),
        "stress",
    )
    for lists in holders():
        true = truth(lists)
        for k in (15, 30, 75, 150, 300):
            bases = {
                "exact": exact_base(lists.a + lists.b, k),
                "ε = 1": private_base(lists, k, "1.0", 1),
                "random": random_base(k, 1),
            }
            for name, base in bases.items():
                counted = Distances(base, lists, true)
                cells = [f"{counted.scores('personal', t)[2]:.3f}" for t in true] + [f"{counted.best(t)[0]:.3f}" for t in (1, 2)]
                line(lists.name, f"{len(base)} of {k}", name, *cells, f"{stress(base, lists.asked[:1000]):.3f}")


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
    from seqveil.link.key import Key
    from seqveil.link.matching import match
    from seqveil.link.vectors import Vectors
    from seqveil.link.writing import write_vectors

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
    lists = Holders("people", a, b, a, b)
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
            base = private_base(lists, k, epsilon, 1)
            start = time.perf_counter()
            matched = linked(Path(work) / str(number), base, a, b, kind, 1, single)
            seconds = f"{time.perf_counter() - start:.1f}"
            name = f"link, {len(base)} grams, ε = {epsilon}, {kind}"
            line(name, "yes" if single else "no", f"{len(matched):,}", *shown(scores(matched, same)), seconds)


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
    header("names", "step", "seconds", "GB", "output")
    for many, reported in ((500, False), (len(names), True)):
        with tempfile.TemporaryDirectory() as work:
            folder = Path(work)
            for side, own in (("a", names[:many]), ("b", wrong[:many])):
                (folder / f"{side}.csv").write_text("name\n" + "\n".join(own) + "\n", encoding="utf-8")
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
                if reported:
                    line(f"{many:,}", " ".join(words), said[-1] if said else "?", said[-2][:100] if len(said) > 1 else "")


if __name__ == "__main__":
    chosen = {
        "edits": compare_edits, "epsilon": compare_epsilon, "sizes": compare_sizes, "people": compare_people, "speed": speed,
    }  # fmt: skip
    for word in sys.argv[1:] or list(chosen):
        chosen[word]()
