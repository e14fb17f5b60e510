"""The largest supports, level by level: patterns with a gap are counted in the cluster, candidates are made here.

A pattern has at most the support of every shorter pattern in it. So a pattern of k + 1 items with a support of at least `least`
is made of two of k items that have it too: one without its last item, one without its first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.protocol import Largest, Tally

_AT_ONCE = 1 << 17
"""Candidates counted in one pass."""


def largest_supports(
    supports: Callable[[NDArray[np.integer]], Tally], table: Any, *, least: int, longest: int, most: int
) -> Largest:
    """Over patterns of at most `longest` items with a support of at least `least`, raised until they are at most `most`."""
    least, best = max(least, 1), np.zeros(longest, np.int64)
    counts = np.zeros(0, np.int64)
    patterns = np.arange(len(table.domain), dtype=np.int64)[:, None]
    levels: list[NDArray[np.int64]] = []
    for _ in range(longest):
        supported = np.concatenate([np.zeros(0, np.int64), *(supports(some).dense(len(some)) for some in _pieces(patterns))])
        levels.append(supported)
        counts = np.concatenate([counts, supported[supported >= least]])
        least = _raised(counts, least, most)
        patterns = _longer(patterns[supported >= least], rising=table.kind == "sets")
        if not len(patterns):
            break
    for i, supported in enumerate(levels):
        best[i] = supported[supported >= least].max(initial=0)
    return Largest(best, least)


def _pieces(patterns: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    return (patterns[at : at + _AT_ONCE] for at in range(0, len(patterns), _AT_ONCE))


def _raised(counts: NDArray[np.int64], least: int, most: int) -> int:
    """The smallest number from `least` on that at most `most` of the counts reach."""
    enough = np.sort(counts[counts >= least])[::-1]
    return least if len(enough) <= most else int(enough[most]) + 1


def _longer(patterns: NDArray[np.int64], rising: bool) -> NDArray[np.int64]:
    """All patterns that are one of these without their last item, and one without their first.

    >>> _longer(np.array([[0, 1], [1, 2], [1, 0]]), rising=False).tolist()
    [[0, 1, 0], [0, 1, 2], [1, 0, 1]]
    """
    if not len(patterns):
        return patterns
    inner, number = np.unique(np.concatenate([patterns[:, 1:], patterns[:, :-1]]), axis=0, return_inverse=True)
    tails, heads = number.reshape(2, -1)
    order = np.argsort(heads, kind="stable")
    first = np.searchsorted(heads[order], np.arange(len(inner) + 1))
    size = first[tails + 1] - first[tails]
    left = np.repeat(np.arange(len(patterns)), size)
    within = np.arange(len(left)) - np.repeat(np.cumsum(size) - size, size)
    right = order[first[tails[left]] + within]
    longer = np.concatenate([patterns[left], patterns[right][:, -1:]], axis=1)
    if rising:
        longer = longer[longer[:, -2] < longer[:, -1]]
    return longer[np.lexsort(longer.T[::-1])]
