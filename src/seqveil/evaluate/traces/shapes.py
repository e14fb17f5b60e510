"""Shapes of trips: how far their points lie apart, and how long the way is."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.tables.traces import Traces

Floats = NDArray[np.float64]

BUCKETS = 20
"""Of equal width, from 0 to the largest raw value; what is larger counts as the largest."""


@njit(cache=True)
def _shapes(points, offsets):  # type: ignore[no-untyped-def]
    diameter, way = np.zeros(len(offsets) - 1), np.zeros(len(offsets) - 1)
    for k in range(len(offsets) - 1):
        for i in range(offsets[k], offsets[k + 1]):
            for j in range(i + 1, offsets[k + 1]):
                apart = (points[i, 0] - points[j, 0]) ** 2 + (points[i, 1] - points[j, 1]) ** 2
                diameter[k] = max(diameter[k], apart)
                if j == i + 1:
                    way[k] += np.sqrt(apart)
    return np.sqrt(diameter), way


def shapes(traces: Traces) -> tuple[Floats, Floats]:
    """The largest distance between two points of every trip, and the sum of the distances from point to point.

    >>> shapes(Traces.of([[(0, 0), (3, 4), (0, 0)], [(1, 1)]]))
    (array([5., 0.]), array([10.,  0.]))
    """
    diameter, way = _shapes(traces.points, traces.offsets)
    return diameter, way


def divergence(p: NDArray[np.number], q: NDArray[np.number]) -> float:
    """Jensen–Shannon divergence of two histograms, in nats; ln 2 where they have nothing in common.

    >>> divergence(np.array([1, 1]), np.array([5, 5])), round(divergence(np.array([1, 0]), np.array([0, 1])), 3)
    (0.0, 0.693)
    """
    if not p.sum() or not q.sum():
        return float(np.log(2))
    left, right = p / p.sum(), q / q.sum()
    middle = (left + right) / 2
    parts = [side[side > 0] * np.log(side[side > 0] / middle[side > 0]) for side in (left, right)]
    return float(sum(part.sum() for part in parts) / 2)


def divergence_of(raw: Floats, synthetic: Floats) -> float:
    """The same of the histograms of two samples, over `BUCKETS` buckets of the raw one's range."""
    high = float(raw.max(initial=0.0))
    edges = np.linspace(0.0, high if high > 0 else 1.0, BUCKETS + 1)
    return divergence(*(np.histogram(np.minimum(values, edges[-1]), edges)[0] for values in (raw, synthetic)))
