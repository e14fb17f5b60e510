"""How close the patterns of a mined release are to the true ones. INTERNAL: reads raw data.

What a pattern is (labels next to each other, at the beginning, with gaps, as a set) the release says itself, and so do the
lengths that were mined. Counts are compared with the exact ones in whole records: where the method cuts records first, as its
release says, a part of the difference is that cut.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from seqveil.evaluate.beginnings import top_beginnings
from seqveil.evaluate.comparison import Grid, Metrics, number, row
from seqveil.evaluate.contiguous import top_contiguous
from seqveil.evaluate.gapped import holding_gapped, top_gapped
from seqveil.evaluate.mining import f_score, support_error
from seqveil.evaluate.patterns import Patterns, ranked
from seqveil.evaluate.presence import beginning_with, visited_all
from seqveil.evaluate.ranking import agreement, released_patterns
from seqveil.evaluate.trie import occurrences
from seqveil.evaluate.yardstick import KS
from seqveil.release.sets.frequent import WeightedSets
from seqveil.tables.flat import Flat

if TYPE_CHECKING:
    from seqveil.release.patterns import PatternRelease

COUNTED: dict[str, Callable[[Flat, Flat, int], Any]] = {
    "substring": occurrences,
    "prefix": beginning_with,
    "subsequence": holding_gapped,
    "itemset": visited_all,
}
"""How the patterns of each form are counted exactly."""


def top_true(form: str, flat: Flat, labels: int, k: int, shortest: int, longest: int | None) -> Patterns:
    """The k true patterns of a form, of the lengths that were mined."""
    if form == "substring":
        return top_contiguous(flat, labels, k, "occurrences", shortest, longest=longest)
    if form == "prefix":
        return top_beginnings(flat, labels, k, shortest, longest)
    if form == "subsequence":
        return top_gapped(flat, labels, k, shortest, longest=longest)
    return ranked(WeightedSets(flat, np.ones(len(flat), np.int64), labels).frequent(k, shortest=shortest, longest=longest))


def lengths_of(release: PatternRelease) -> tuple[int, int | None]:
    """The lengths that were mined, from the parameters of the method."""
    parameters = release.manifest.mechanism.parameters
    only = parameters.get("length")
    return (only, only) if only else (parameters.get("shortest") or 1, parameters.get("longest"))


def ks_of(release: PatternRelease, runs: int) -> tuple[int, ...]:
    """The K of the top K: up to as many as were released or, to be the same in all of several runs, as were asked for."""
    wanted = len(release) if runs == 1 else release.manifest.mechanism.parameters.get("top") or max(KS)
    return tuple(sorted({*(k for k in KS if k < wanted), max(wanted, 1)}))


def measure_patterns(release: PatternRelease, flat: Flat, runs: int = 1) -> Metrics:
    """Everything that can be said about mined patterns, of one release or of one among several runs of a method."""
    labels, size = len(release.domain), len(release)
    shortest, longest = lengths_of(release)
    ks = ks_of(release, runs)
    released = released_patterns(release, max(size, 1))
    truth = top_true(release.kind, flat, labels, max(*ks, size), shortest, longest)
    counts = COUNTED[release.kind](flat, Flat.of(released), labels).tolist() if released else []
    exact = {pattern: count for pattern, count in zip(released, counts, strict=True) if count}
    return {
        "patterns": {
            "form": release.kind,
            "released": size,
            "top_k": agreement(truth, released, ks),
            "f_score": f_score(ranked(truth, size), released),
            "support_error": support_error(exact, released),
            "absent": len(released) - len(exact),
        }
    }


def grids_of(metrics: Metrics) -> list[Grid]:
    """The metrics as tables for people."""
    patterns = metrics["patterns"]
    tops = patterns["top_k"]
    header = ["top K patterns from the released counts, K =", *map(str, tops)]
    rows = [row(name.replace("_", " "), (at[name] for at in tops.values())) for name in next(iter(tops.values()))]
    rest = [
        ["patterns released", number(patterns["released"], 0)],
        ["F-score against as many true patterns", number(patterns["f_score"])],
        ["median relative error of their counts", number(patterns["support_error"])],
        ["released patterns that never occur", number(patterns["absent"], 0)],
    ]
    return [Grid(header, rows), Grid(["patterns", "value"], rest)]
