"""The shape of sequences: lengths, first and last items, transitions, coverage, trips. INTERNAL where one side is raw.

The measures are those that trajectory publishers report [Gursoy 2018, §5], each read as its docstring says.
"""

from __future__ import annotations

import numpy as np

from seqveil.evaluate.histogram import Histogram, divergence, jensen_shannon, side_by_side, total_variation
from seqveil.tables.flat import Flat


def _filled(flat: Flat) -> Flat:
    """The records that have an item; the same records where all have one."""
    some = flat.lengths > 0
    return flat if some.all() else flat.take(some)


def starts(flat: Flat) -> Histogram:
    """The first item of every record that has one [Gursoy 2018, §5].

    >>> h = starts(Flat.of([[0, 1], [0], [], [2, 0]]))
    >>> h.keys.tolist(), h.counts.tolist()
    ([0, 2], [2, 1])
    """
    full = _filled(flat)
    return Histogram.of(full.items[full.offsets[:-1]])


def ends(flat: Flat) -> Histogram:
    """The last item of every record that has one [Gursoy 2018, §5].

    >>> h = ends(Flat.of([[0, 1], [0], [], [2, 0]]))
    >>> h.keys.tolist(), h.counts.tolist()
    ([0, 1], [2, 1])
    """
    full = _filled(flat)
    return Histogram.of(full.items[full.offsets[1:] - 1])


def trips(flat: Flat, labels: int) -> Histogram:
    """Origin and destination: the key of a record is first·labels + last.

    >>> trips(Flat.of([[0, 2, 1], [1]]), labels=3).keys.tolist()
    [1, 4]
    """
    full = _filled(flat)
    origin = full.items[full.offsets[:-1]].astype(np.int64)
    return Histogram.of(origin * labels + full.items[full.offsets[1:] - 1])


def transition_divergence(truth: Histogram, other: Histogram, labels: int) -> float:
    """Jensen–Shannon divergence of the rows of the transition matrix, averaged with the true weight of each row.

    Keys are those of `Flat.steps`. A row that the other side lacks counts 1. From 0 one goes to 0 and 1 alike, the other side
    always to 0: 0.311.

    >>> round(transition_divergence(Histogram.of(np.array([0, 1])), Histogram.of(np.array([0])), labels=2), 3)
    0.311
    """
    keys, p, q = side_by_side(truth, other)
    if not p.sum():
        return 0.0 if not q.sum() else 1.0
    rows, row = np.unique(keys // labels, return_inverse=True)
    weight, theirs = np.bincount(row, p, len(rows)), np.bincount(row, q, len(rows))
    with np.errstate(divide="ignore", invalid="ignore"):
        summands = divergence(np.where(p > 0, p / weight[row], 0.0), np.where(q > 0, q / theirs[row], 0.0))
    apart = np.where(theirs > 0, np.bincount(row, summands, len(rows)), 1.0)
    return float(np.clip((apart * weight).sum() / weight.sum(), 0.0, 1.0))


def coverage(truth: Flat, other: Flat) -> float:
    """Kendall's τ-b between how often each item occurs on the two sides: 1 for the same ranking, −1 for the reverse.

    Counts (3, 2, 1) against (3, 1, 2): two of three pairs agree, one does not, so τ = ⅓.

    >>> round(coverage(Flat.of([[0, 0, 0, 1, 1, 2]]), Flat.of([[0, 0, 0, 1, 2, 2]])), 3)
    0.333
    """
    from scipy.stats import kendalltau

    _, p, q = side_by_side(Histogram.of(truth.items), Histogram.of(other.items))
    if len(p) < 2 or len(np.unique(p)) == 1 or len(np.unique(q)) == 1:
        return float(np.array_equal(p, q))
    return float(kendalltau(p, q).statistic)


def shape(truth: Flat, other: Flat, labels: int) -> dict[str, float]:
    """All of them by name; `coverage` is best at 1, everything else at 0.

    >>> same = Flat.of([[0, 1], [1, 0, 1]])
    >>> shape(same, same, labels=2)
    {'lengths': 0.0, 'starts': 0.0, 'ends': 0.0, 'trips': 0.0, 'transitions': 0.0, 'items': 0.0, 'coverage': 1.0}
    """
    return {
        "lengths": jensen_shannon(Histogram.of(truth.lengths), Histogram.of(other.lengths)),
        "starts": jensen_shannon(starts(truth), starts(other)),
        "ends": jensen_shannon(ends(truth), ends(other)),
        "trips": jensen_shannon(trips(truth, labels), trips(other, labels)),
        "transitions": transition_divergence(Histogram.of(truth.steps(labels)), Histogram.of(other.steps(labels)), labels),
        "items": jensen_shannon(Histogram.of(truth.items), Histogram.of(other.items)),
        "coverage": coverage(truth, other),
    }


def size_and_ends(truth: Flat, other: Flat, labels: int) -> dict[str, float]:
    """Number and mean length of the records that have an item, other over truth; total variation of lengths and of both ends.

    Half of the records, and only those of 2 items: the mean length is 2 instead of 3⁄2, half of the lengths are wrong.

    >>> size_and_ends(Flat.of([[0, 1], [0]]), Flat.of([[0, 1]]), labels=2)
    {'records': 0.5, 'length': 1.3333333333333333, 'lengths': 0.5, 'first': 0.0, 'last': 0.5, 'trip': 0.5}
    """
    ours, theirs = _filled(truth), _filled(other)
    length = len(ours.items) / max(len(ours), 1)
    return {
        "records": len(theirs) / max(len(ours), 1),
        "length": len(theirs.items) / max(len(theirs), 1) / length if length else float(not len(theirs)),
        "lengths": total_variation(Histogram.of(ours.lengths), Histogram.of(theirs.lengths)),
        "first": total_variation(starts(ours), starts(theirs)),
        "last": total_variation(ends(ours), ends(theirs)),
        "trip": total_variation(trips(ours, labels), trips(theirs, labels)),
    }
