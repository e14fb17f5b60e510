"""Fit the weights of steps: the walks closest to a given chain whose expected steps meet their targets.

Of all laws of records between the given ends, the one nearest to the starting chain (in relative entropy) that takes every
step as often as its target says, give or take the target's variance, has weights w·exp(Σ θ), where the sum runs over the
contexts that the state ends with, itself included, and θ minimizes the convex function

    Σ_records log β(first, last, length) − Σ target·θ + ½ Σ variance·θ².

Its gradient is expected − target + variance·θ. What was measured precisely is met precisely; targets that contradict each
other share the difference by their variances.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqveil.models.records.descent import minimized
from seqveil.models.records.expect import Ends, expected
from seqveil.models.records.states import States

Counts = NDArray[np.float64]

LEAST = 1e-7
"""No step is impossible: between the ends of a record there must be a walk."""

MOST_LOG = 8.0
"""Weights stay so close together that a walk of two unlikely steps is told from none at all."""

STIFF = 4.0
"""How often a record takes a step varies more than a Poisson count: curvatures are guessed to be this many times the target."""


def normalized(weights: Counts) -> Counts:
    """Rows that sum to one, without zeros."""
    sums = weights.sum(axis=1, keepdims=True)
    even = np.full_like(weights, 1.0 / weights.shape[1])
    rows = np.where(sums > 0, weights / np.maximum(sums, 1e-300), even)
    rows = np.maximum(rows, LEAST)
    out: Counts = rows / rows.sum(axis=1, keepdims=True)
    return out


def fitted(states: States, weights: Counts, ends: Ends, target: Counts, variance: Counts, calls: int) -> tuple[Counts, Counts]:
    """Weights, and the expected steps under them, at the longest context. `target[s, x]` is how often context s is followed by x,
    longer contexts that end with s included: every level meets its targets to its own precision."""
    logs = np.log(normalized(weights))
    unit = 1 / np.sqrt(STIFF * target + variance)

    def tilted(point: Counts) -> tuple[Counts, Counts]:
        theta = np.clip(point.reshape(target.shape) * unit, -MOST_LOG, MOST_LOG)
        return theta, np.exp(np.clip(logs + states.handed_down(theta), -2 * MOST_LOG, 2 * MOST_LOG))

    def value(point: Counts) -> tuple[float, Counts]:
        theta, now = tilted(point)
        steps, weight = expected(states, now, ends)
        gradient = states.gathered(steps) - target + variance * theta
        return weight - float((target * theta).sum()) + 0.5 * float((variance * theta * theta).sum()), (gradient * unit).ravel()

    now = tilted(minimized(value, np.zeros(target.size), calls))[1]
    return now, expected(states, now, ends)[0]
