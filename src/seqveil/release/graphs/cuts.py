"""Cuts: how many edges join two sets of vertices, with what is known about the error."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.release.answers import CutAnswer
from seqveil.release.answers.intervals import variance
from seqveil.release.answers.sums import total
from seqveil.release.graphs.regions import RegionTable

NO_THRESHOLD = -(2**62)
NORMAL_95 = 1.959964
EDGES = "edges between the two sides, or inside one set of vertices"

Flags = NDArray[np.bool_]


@njit(cache=True)
def _pairs(regions, in_s, in_t, sums):  # type: ignore[no-untyped-def]
    """Pairs of the cut in every region; `sums[k, j]` counts the members before vertex j of S, T, S∩T."""
    out = np.zeros(len(regions), np.int64)
    for k in range(len(regions)):
        top, bottom, left, right = regions[k]
        for i in range(top, bottom):
            first = max(left, i + 1)
            if in_s[i]:
                out[k] += sums[1, right] - sums[1, first]
            if in_t[i]:
                out[k] += sums[0, right] - sums[0, first]
            if in_s[i] and in_t[i]:
                out[k] -= sums[2, right] - sums[2, first]
    return out


def pairs_of_cut(regions: NDArray[np.int64], in_s: Flags, in_t: Flags) -> NDArray[np.int64]:
    """How many pairs of each region have one end in S and the other in T; the sets may share vertices."""
    sums = np.zeros((3, len(in_s) + 1), np.int64)
    np.cumsum(np.stack([in_s, in_t, in_s & in_t]), axis=1, out=sums[:, 1:])
    return np.asarray(_pairs(regions, in_s, in_t, sums))


def edges_of_cut(low: NDArray[np.int32], high: NDArray[np.int32], in_s: Flags, in_t: Flags) -> int:
    """How many of the edges have one end in S and the other in T."""
    return int(np.count_nonzero((in_s[low] & in_t[high]) | (in_t[low] & in_s[high])))


def cut_from_map(regions: RegionTable, in_s: Flags, in_t: Flags) -> CutAnswer:
    """The cut by the density map.

    Sure: at least what the regions that lie wholly in the cut hold, at most what the regions that it touches hold; both
    are sums of independent noisy counts. Likely: c edges spread evenly over a region of which the cut takes the share p
    give c·p, with the variance of the noise and of drawing without replacement.
    """
    pairs, cells = pairs_of_cut(regions.region, in_s, in_t), regions.cells
    inside, touched = pairs == cells, pairs > 0
    low = _sum(regions, inside)[0] if inside.any() else 0
    high = min(_sum(regions, touched)[1] if touched.any() else 0, int(pairs.sum()))
    low = min(max(low, 0), high)
    share = pairs / cells
    drawn = regions.count * share * (1 - share) * (cells - regions.count) / np.maximum(cells - 1, 1)
    value = float((regions.count * share).sum())
    reach = NORMAL_95 * float(np.sqrt((variance(regions.scale) * share**2 + drawn).sum()))
    likely = (max(int(np.floor(value - reach)), low), min(int(np.ceil(value + reach)), high))
    return CutAnswer(min(max(value, low), high), low, high, "cut", EDGES, likely=(min(likely[0], high), max(likely[1], low)))


def _sum(regions: RegionTable, rows: Flags) -> tuple[int, int]:
    """An interval for the true number of edges in some regions together."""
    n = int(np.count_nonzero(rows))
    return total(regions.noisy[rows], regions.scale[rows], np.full(n, NO_THRESHOLD), np.zeros(n, np.int64))


def edges_in(regions: RegionTable) -> tuple[int, int]:
    """An interval for the number of edges of the whole graph."""
    return _sum(regions, np.ones(len(regions), np.bool_)) if len(regions) else (0, 0)
