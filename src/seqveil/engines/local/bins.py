"""Records by the labels of each basis that they contain. One pass over the items, whatever the number of bins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit

from seqveil.engines.protocol import Tally
from seqveil.tables.flat import Flat


@njit(cache=True)
def _count(items, offsets, start, basis, bit, first, counts):  # type: ignore[no-untyped-def]
    """Label x has bit[j] in basis[j] for j in start[x]..start[x + 1]; the bins of basis b begin at first[b]."""
    inside = np.zeros(len(first), np.int64)
    for r in range(len(offsets) - 1):
        for p in range(offsets[r], offsets[r + 1]):
            x = items[p]
            for j in range(start[x], start[x + 1]):
                inside[basis[j]] |= bit[j]
        for b in range(len(first)):
            counts[first[b] + inside[b]] += 1
            inside[b] = 0


def bins(flat: Flat, bases: Sequence[Sequence[int]], labels: int) -> Tally:
    """How many records contain exactly which labels of each basis; bit j of a bin stands for the j-th label of the basis.

    >>> bins(Flat.of([[0, 2], [2], [1]]), [(2, 0), (1,)], labels=3).dense(6).tolist()      # none, 2, 0, both; without 1, with 1
    [1, 1, 0, 1, 2, 1]
    """
    label = np.array([x for basis in bases for x in basis], np.int64)
    basis = np.repeat(np.arange(len(bases)), [len(b) for b in bases])
    bit = np.array([1 << j for b in bases for j in range(len(b))], np.int64)
    order = np.argsort(label, kind="stable")
    start = np.searchsorted(label[order], np.arange(labels + 1))
    ends = np.cumsum([1 << len(b) for b in bases])
    counts = np.zeros(int(ends[-1]), np.int64)
    _count(flat.items, flat.offsets, start, basis[order], bit[order], np.concatenate([[0], ends[:-1]]), counts)
    return Tally.of(counts, len(bases) if len(flat) else 0)
