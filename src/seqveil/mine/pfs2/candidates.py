"""Candidates by downward closure: a pattern can only be frequent if all its parts are. Post-processing of noisy answers."""

from __future__ import annotations

from itertools import groupby

import numpy as np
from numpy.typing import NDArray

Patterns = NDArray[np.int64]
"""One pattern per line, as codes of the domain."""

MOST_CANDIDATES = 1_000_000
"""More are never made: the frequent patterns of smallest noisy support then take no part."""


def every_label(labels: int) -> Patterns:
    """The candidates of length 1: the whole public domain, never only what occurs."""
    return np.arange(labels, dtype=np.int64)[:, None]


def sequences(frequent: Patterns, support: NDArray[np.int64]) -> Patterns:
    """Sequences one item longer, all of whose parts with one item less are frequent, in ascending order.

    >>> pairs = np.array([[0, 1], [1, 2], [0, 2], [2, 2]])
    >>> sequences(pairs, np.array([9, 9, 9, 9])).tolist()          # 0 1 2 has the parts 01, 12, 02
    [[0, 1, 2], [0, 2, 2], [1, 2, 2], [2, 2, 2]]
    """
    return _joined(frequent, support, lambda p: p[1:], lambda q: q[:-1], lambda p, q: True)


def itemsets(frequent: Patterns, support: NDArray[np.int64]) -> Patterns:
    """Itemsets one item larger, all of whose parts with one item less are frequent; items ascend in every line.

    >>> itemsets(np.array([[0, 1], [0, 2], [1, 2], [1, 3]]), np.array([9, 9, 9, 9])).tolist()
    [[0, 1, 2]]
    """
    return _joined(frequent, support, lambda p: p[:-1], lambda q: q[:-1], lambda p, q: p[-1] < q[-1])


def _joined(frequent, support, end, start, allowed) -> Patterns:  # type: ignore[no-untyped-def]
    """p and q make p + q's last item when end(p) = start(q); kept if every part is frequent."""
    k = frequent.shape[1] + 1 if frequent.ndim == 2 else 2
    lines = [tuple(line) for line in frequent[_strongest(frequent, support, end, start)].tolist()]
    frequent_lines = set(lines)
    by_start = {key: list(group) for key, group in groupby(sorted(lines, key=start), key=start)}
    longer = [
        (*p, q[-1])
        for p in lines
        for q in by_start.get(end(p), ())
        if allowed(p, q) and all((*p[:i], *p[i + 1 :], q[-1]) in frequent_lines for i in range(k - 1))
    ]
    return np.array(sorted(longer), np.int64).reshape(-1, k)


def _strongest(frequent, support, end, start) -> NDArray[np.int64]:  # type: ignore[no-untyped-def]
    """As many of the frequent patterns, by falling noisy support, as may be joined without making too many candidates."""
    order = np.argsort(-support, kind="stable")
    lines = [tuple(line) for line in frequent[order].tolist()]
    ends: dict[tuple[int, ...], int] = {}
    starts: dict[tuple[int, ...], int] = {}
    pairs = 0
    for n, line in enumerate(lines):
        # Invariant: `pairs` (p, q) with end(p) = start(q) exist among the first n lines.
        pairs += starts.get(end(line), 0) + ends.get(start(line), 0) + (end(line) == start(line))
        if pairs > MOST_CANDIDATES:
            return order[:n]
        ends[end(line)] = ends.get(end(line), 0) + 1
        starts[start(line)] = starts.get(start(line), 0) + 1
    return order
