"""Exact mining of what records begin with. INTERNAL: reads raw data."""

from __future__ import annotations

import numpy as np

from seqveil.evaluate.patterns import Pattern, Patterns, ranked
from seqveil.tables.flat import Flat


def top_beginnings(flat: Flat, labels: int, k: int, shortest: int = 1, longest: int | None = None) -> Patterns:
    """The k prefixes of `shortest` to `longest` items with which most records begin.

    A prefix cannot be more frequent than its own beginning, so only what may still reach the k-th best is followed.

    >>> top_beginnings(Flat.of([[0, 1], [0, 1, 2], [0], [1]]), labels=3, k=2)
    {(0,): 3, (0, 1): 2}
    >>> top_beginnings(Flat.of([[0, 1], [0, 1, 2], [0], [1]]), labels=3, k=2, shortest=2, longest=2)
    {(0, 1): 2}
    """
    best: dict[Pattern, int] = {}
    names: list[Pattern] = [()]
    rows, node = np.arange(len(flat)), np.zeros(len(flat), np.int64)
    while names and (longest is None or len(names[0]) < longest):
        # Invariant: `node` numbers the prefix of `names` with which each record of `rows` begins.
        depth = len(names[0])
        goes_on = flat.lengths[rows] > depth
        rows, node = rows[goes_on], node[goes_on]
        key = node * labels + flat.items[flat.offsets[rows] + depth]
        keys, number, support = np.unique(key, return_inverse=True, return_counts=True)
        bar = min(best.values()) if len(best) >= k else 1
        alive = support >= bar
        names = [(*names[at // labels], at % labels) for at in keys[alive].tolist()]
        if names and depth + 1 >= shortest:
            best = ranked({**best, **dict(zip(names, support[alive].tolist(), strict=True))}, k)
        followed = alive[number.reshape(-1)]
        rows, node = rows[followed], (np.cumsum(alive) - 1)[number.reshape(-1)[followed]]
    return ranked(best, k)
