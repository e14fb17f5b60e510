"""From cells back to points: somewhere in the cell, and a little nearer to the way between its neighbours.

A point that is uniform in its cell makes ways longer than they are, since trips are smooth and cells are not. So a point keeps to
the inner part of its cell, and moves towards the middle of the points before and after it, without leaving the cell.
"""

from __future__ import annotations

import numpy as np

from seqveil.tables.flat import Flat
from seqveil.tables.traces import Box, Traces

INNER, PULL = 0.7, 0.3
"""The part of a cell in which a point lies, and how far it moves towards the middle of its neighbours; chosen on four simulated
towns together (docs/results/trajectories.md)."""


def placed(flat: Flat, box: Box, rows: int, columns: int, seed: int = 1, inner: float = INNER, pull: float = PULL) -> Traces:
    """Trips of cells as trips of points; `inner` = 1 and `pull` = 0 place them uniformly.

    >>> trips = placed(Flat.of([[0, 5]]), Box(0, 0, 3, 2), rows=2, columns=3)
    >>> trips.on(Box(0, 0, 3, 2), rows=2, columns=3).items.tolist()
    [0, 5]
    """
    random = np.random.default_rng(seed)
    row, column = np.divmod(flat.items.astype(np.int64), columns)
    corner = np.stack([column, row], axis=1).astype(np.float64)
    points = corner + 0.5 + (random.random(corner.shape) - 0.5) * inner
    ends = np.zeros(len(points), np.bool_)
    some = flat.lengths > 0
    ends[flat.offsets[:-1][some]] = ends[flat.offsets[1:][some] - 1] = True
    within = np.flatnonzero(~ends)
    middle = (points[within - 1] + points[within + 1]) / 2
    moved = points[within] + pull * (middle - points[within])
    points[within] = np.clip(moved, corner[within], corner[within] + 1 - 1e-9)
    return Traces(points * [box.width / columns, box.height / rows] + [box.west, box.south], flat.offsets)
