"""How many trips pass through a circle, and how far off the answers of synthetic trips are."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.tables.traces import Box, Traces

Floats = NDArray[np.float64]

QUERIES = 200

SANITY = 0.01
"""Errors are relative to the true answer, or to this share of the trips where that is more."""

WIDE, NARROW = (0.2, 0.4), (0.05, 0.2)
"""The least and the largest radius, in shorter sides of the box."""


def circles(box: Box, radius: tuple[float, float], seed: int = 7) -> Floats:
    """Centres anywhere in the box, and radii, uniformly."""
    random = np.random.default_rng(seed)
    x, y = (low + random.random(QUERIES) * side for low, side in ((box.west, box.width), (box.south, box.height)))
    return np.stack([x, y, random.uniform(*radius, QUERIES) * min(box.width, box.height)], axis=1)


@njit(cache=True)
def _passing(points, offsets, circles):  # type: ignore[no-untyped-def]
    out = np.zeros(len(circles), np.int64)
    for q in range(len(circles)):
        x, y, r2 = circles[q, 0], circles[q, 1], circles[q, 2] ** 2
        for k in range(len(offsets) - 1):
            for i in range(offsets[k], offsets[k + 1]):
                if (points[i, 0] - x) ** 2 + (points[i, 1] - y) ** 2 <= r2:
                    out[q] += 1
                    break
    return out


def passing(traces: Traces, circles: Floats) -> NDArray[np.int64]:
    """Trips with at least one point in every circle.

    >>> passing(Traces.of([[(0, 0), (9, 9)], [(5, 5)]]), np.array([[0.0, 0.0, 1.0], [7.0, 7.0, 3.0]])).tolist()
    [1, 2]
    """
    return np.asarray(_passing(traces.points, traces.offsets, circles), np.int64)


def relative_error(true: NDArray[np.int64], answers: NDArray[np.int64], trips: int) -> float:
    """The mean relative error of answers.

    >>> relative_error(np.array([100, 0]), np.array([110, 5]), trips=1000)
    0.3
    """
    return float(np.mean(abs(answers - true) / np.maximum(true, max(SANITY * trips, 1e-9))))
