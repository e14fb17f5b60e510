"""Fit the weights of steps: the law of records closest to a given one whose expected counts meet their targets.

Of all laws of records with the given lengths, the one nearest to the starting law (in relative entropy) that takes every step,
reaches every label and has every end as often as its target says, give or take the target's variance, has weights w·exp(Σ θ).
The sum runs over the contexts that the state ends with, itself and no context at all included, and over the ends of the record.
θ minimizes the convex function

    Σ_lengths records · log(weight of all records of that length) − Σ target·θ + ½ Σ variance·θ².

Its gradient is expected − target + variance·θ. What was measured precisely is met precisely; targets that contradict each
other share the difference by their variances.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqveil.models.records.descent import minimized
from seqveil.models.records.ends import Bridged, Ends
from seqveil.models.records.expect import Matrix, Steps, expected, messages, passed
from seqveil.models.records.states import States

Counts = NDArray[np.float64]

LEAST = 1e-7
"""No step is impossible: between the ends of a record there must be a walk."""

MOST_LOG = 8.0
"""Weights stay so close together that a walk of two unlikely steps is told from none at all."""

LOOSE = 0.5
"""Variance that the counts of labels are met with."""

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


def fitted(
    states: States, weights: Counts, ends: Ends, into: Counts, target: Counts, variance: Counts, calls: int
) -> tuple[Counts, Counts, Matrix]:
    """Weights; the expected steps under them, at the longest context; and the records per (steps, first, last).

    `target[s, x]` is how often context s is followed by x, longer contexts that end with s included: every level meets its
    targets to its own precision. `into[x]` is how often any step leads to x, the level of no context.
    """
    logs = np.log(normalized(weights))
    labels, most = states.labels, ends.most
    target = np.concatenate([into[None, :], target])
    variance = np.concatenate([np.full((1, labels), LOOSE), variance])
    bridged = Bridged(ends, messages(states, Steps.of(states, np.exp(logs)), most)[0][:, :labels])
    unit = 1 / np.sqrt(STIFF * np.append(target, bridged.target) + np.append(variance, bridged.variance))

    def parted(point: Counts) -> tuple[Counts, Counts, Counts]:
        theta = np.clip(point * unit, -MOST_LOG, MOST_LOG)
        of_steps, of_ends = theta[: target.size].reshape(target.shape), theta[target.size :]
        tilted = logs + of_steps[0] + states.handed_down(of_steps[1:])
        return of_steps, of_ends, np.exp(np.clip(tilted, -2 * MOST_LOG, 2 * MOST_LOG))

    def value(point: Counts) -> tuple[float, Counts]:
        theta, of_ends, now = parted(point)
        steps, height, slope, _, shifts = walked(now, of_ends)
        met = np.concatenate([steps.sum(axis=0, keepdims=True), states.gathered(steps)])
        height += float((bridged.margins.sum(axis=0) * shifts).sum() + (theta * (0.5 * variance * theta - target)).sum())
        gradient = np.append(met - target + variance * theta, slope) * unit
        return (height, gradient) if np.isfinite(height) and np.isfinite(gradient).all() else (np.inf, np.zeros_like(gradient))

    def walked(now: Counts, of_ends: Counts) -> tuple[Counts, float, Counts, Matrix, Counts]:
        steps = Steps.of(states, now)
        beta, scales = messages(states, steps, most)
        height, slope, records = bridged.weighed(beta[:, :labels], of_ends)
        return passed(states, steps, beta, scales, records), height, slope, records, np.cumsum(np.log(scales))

    _, of_ends, now = parted(minimized(value, np.zeros(unit.size), calls, unit))
    steps, _, _, records, _ = walked(now, of_ends)
    if np.isfinite(steps).all() and np.isfinite(records).all():
        return now, steps, records
    # Beyond the range of floats: the starting chain, and lengths that have nothing to do with labels.
    steps = expected(states, np.exp(logs), ends.apart())
    return np.exp(logs), np.nan_to_num(steps, nan=0.0, posinf=0.0), ends.apart()
