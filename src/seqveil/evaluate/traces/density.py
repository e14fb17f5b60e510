"""Where points are: queries for squares, densities and hotspots, as [Du 2023] compares them."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from seqveil.evaluate.traces.circles import QUERIES, SANITY
from seqveil.tables.traces import Box, Traces

Floats = NDArray[np.float64]

NINTH = 9.0
"""A square has this part of the area of the box."""

HOTTEST = 5


def squares(box: Box, seed: int = 9) -> Floats:
    """West, south, east and north of squares with centres anywhere in the box."""
    random = np.random.default_rng(seed)
    x, y = (low + random.random(QUERIES) * side for low, side in ((box.west, box.width), (box.south, box.height)))
    half = sqrt(box.width * box.height / NINTH) / 2
    return np.stack([x - half, y - half, x + half, y + half], axis=1)


def points_within(traces: Traces, squares: Floats) -> NDArray[np.int64]:
    """The points in every square.

    >>> points_within(Traces.of([[(0, 0), (1, 1)], [(5, 5)]]), np.array([[0.0, 0.0, 2.0, 2.0]])).tolist()
    [2]
    """
    x, y = traces.points.T
    inside = (((x >= w) & (x <= e) & (y >= s) & (y <= n)).sum() for w, s, e, n in squares.tolist())
    return np.fromiter(inside, np.int64, len(squares))


def points_error(true: NDArray[np.int64], answers: NDArray[np.int64], points: int) -> float:
    """The mean error, relative to the true answer or to one in a hundred of all points."""
    return float(np.mean(abs(answers - true) / np.maximum(true, max(SANITY * points, 1e-9))))


def hotspots(raw: NDArray[np.int64], synthetic: NDArray[np.int64]) -> float:
    """How well the densest cells keep their order: discounted gain of a cell is 1 / its true rank, over the best there can be.

    >>> hotspots(np.array([9, 8, 7, 6, 5, 1]), np.array([9, 8, 7, 6, 5, 1]))
    1.0
    """
    best, seen = (np.argsort(-counts, kind="stable")[:HOTTEST].tolist() for counts in (raw, synthetic))
    discount = 1 / np.log2(np.arange(2, len(best) + 2))
    gains = np.array([1 / (best.index(cell) + 1) if cell in best else 0.0 for cell in seen])
    return float((gains * discount).sum() / (discount / np.arange(1, len(best) + 1)).sum())
