"""Expected steps of walks that know where they end: exact, by backward and forward messages.

A record with first label a, last label z and r further steps is a walk from state a that is conditioned to end at z after r
steps. Its probability is proportional to the product of the weights of its steps. β_r[s, z] is the weight of all walks of r
steps from s to z; forward, the expected number of records at (s, r, z) is passed on step by step, with records of every
length entering where their number of steps says. One pass serves all lengths. Most steps lead to single labels, so both
passes are products of dense matrices and a sparse rest; the cost is O(longest · states · labels²), whatever the data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.models.records.states import States

Matrix = NDArray[np.float32]

FLOOR = np.float32(1e-30)

FEW = 64
"""Up to so many labels a list of steps is quicker than products of matrices."""


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Weights of steps: `plain` those to single labels (0 elsewhere), and the others as a list by state."""

    plain: Matrix
    start: NDArray[np.int64]
    label: NDArray[np.int32]
    to: NDArray[np.int32]
    weight: Matrix

    @classmethod
    def of(cls, states: States, weights: NDArray[np.float64]) -> Steps:
        deeper = (states.step >= states.labels) | (states.labels <= FEW)
        at, label = np.nonzero(deeper)
        start = np.searchsorted(at, np.arange(len(states) + 1))
        return cls(
            np.where(deeper, 0.0, weights).astype(np.float32),
            start.astype(np.int64),
            label.astype(np.int32),
            states.step[at, label],
            weights[at, label].astype(np.float32),
        )


@njit(cache=True, fastmath=True)
def _add_back(start, to, weight, before, out):  # type: ignore[no-untyped-def]
    """out[s] += Σ weight · before[to] over the listed steps of s."""
    for s in range(len(start) - 1):
        for e in range(start[s], start[s + 1]):
            w, t = weight[e], to[e]
            for z in range(out.shape[1]):
                out[s, z] += w * before[t, z]


@njit(cache=True, fastmath=True)
def _add_forth(start, to, weight, flow, before, out, steps):  # type: ignore[no-untyped-def]
    """Pass flow on along the listed steps, and add what passes to `steps`."""
    for s in range(len(start) - 1):
        for e in range(start[s], start[s + 1]):
            w, t = weight[e], to[e]
            total = np.float32(0.0)
            for z in range(out.shape[1]):
                part = w * flow[s, z] * before[t, z]
                out[t, z] += part
                total += part
            steps[e] += total


def messages(states: States, steps: Steps, most: int) -> tuple[Matrix, NDArray[np.float64]]:
    """β_r[s, z] for r = 0..most, each divided by the product of the scales up to r, so that none leaves the range of floats."""
    labels = states.labels
    out = np.zeros((most + 1, len(states), labels), np.float32)
    scales = np.ones(most + 1)
    out[0, np.arange(len(states)), states.spelled[:, -1]] = 1.0
    for r in range(1, most + 1):
        if labels > FEW:
            np.matmul(steps.plain, out[r - 1, :labels], out=out[r])
        _add_back(steps.start, steps.to, steps.weight, out[r - 1], out[r])
        scales[r] = max(float(out[r].max()), float(FLOOR))
        out[r] /= np.float32(scales[r])
        np.maximum(out[r], FLOOR, out=out[r])
    return out, scales


def expected(states: States, weights: NDArray[np.float64], records: Matrix) -> NDArray[np.float64]:
    """How often each step [state, label] is taken, in expectation, by `records[r, a, z]` records from a to z with r steps."""
    steps = Steps.of(states, weights)
    beta, scales = messages(states, steps, len(records) - 1)
    return passed(states, steps, beta, scales, records)


def passed(states: States, steps: Steps, beta: Matrix, scales: NDArray[np.float64], records: Matrix) -> NDArray[np.float64]:
    """The same, where the messages are known."""
    labels = states.labels
    plain = np.zeros(steps.plain.shape, np.float64)
    listed = np.zeros(len(steps.to), np.float64)
    here = np.zeros((len(states), labels), np.float32)
    for r in range(len(records) - 1, 0, -1):
        here[:labels] += records[r]
        with np.errstate(over="ignore", invalid="ignore"):  # beyond the range of floats: `fitted` takes another point
            flow = here / (beta[r] * np.float32(scales[r]))
        before = beta[r - 1]
        here = np.zeros_like(here)
        if labels > FEW:
            plain += flow @ before[:labels].T
            np.matmul(steps.plain.T, flow, out=here[:labels])
            here[:labels] *= before[:labels]
        _add_forth(steps.start, steps.to, steps.weight, flow, before, here, listed)
    plain *= steps.plain
    plain[np.repeat(np.arange(len(states)), np.diff(steps.start)), steps.label] = listed
    return plain
