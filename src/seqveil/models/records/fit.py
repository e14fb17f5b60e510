"""Fit the weights of steps, so that walks between the given ends take every step as often as its target says."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqveil.models.records.expect import Ends, expected
from seqveil.models.records.states import States

Counts = NDArray[np.float64]

LEAST = 1e-7
"""No step is impossible: between the ends of a record there must be a walk."""

SMOOTH = 0.5
"""Records added to both sides of a ratio of counts, so that noise in rare steps does not drive their weights."""


def normalized(weights: Counts) -> Counts:
    """Rows that sum to one, without zeros."""
    sums = weights.sum(axis=1, keepdims=True)
    even = np.full_like(weights, 1.0 / weights.shape[1])
    rows = np.where(sums > 0, weights / np.maximum(sums, 1e-300), even)
    rows = np.maximum(rows, LEAST)
    out: Counts = rows / rows.sum(axis=1, keepdims=True)
    return out


def first_weights(states: States, target: Counts) -> Counts:
    """Weights to start from: a context steps as its target says, and as its suffix does where that says little."""
    weights = normalized(target[: states.labels] + 1e-3)
    rows = [weights]
    for s in range(states.labels, len(states)):
        row = target[s] + SMOOTH * np.concatenate(rows)[states.suffix[s]][None, :] if False else target[s]
        rows.append(normalized((row + 1e-3)[None, :]))
    return np.concatenate(rows)


def fitted(states: States, weights: Counts, ends: Ends, target: Counts, rounds: int) -> tuple[Counts, Counts]:
    """Weights, and the expected steps under them. The target counts a step at its longest context only."""
    best, best_error, best_steps = weights, np.inf, None
    power = 0.8
    now = weights
    for _ in range(rounds + 1):
        steps = expected(states, now, ends)
        error = float(np.abs(steps - target).sum())
        if error < best_error:
            best, best_error, best_steps = now, error, steps
        else:
            power *= 0.5
        ratio = (target + SMOOTH) / (steps + SMOOTH)
        now = normalized(now * np.clip(ratio, 0.02, 50.0) ** power)
    assert best_steps is not None
    return best, best_steps
