"""Denoise a table of noisy counts by empirical Bayes with the law of its noise.

Every cell has a prediction from answers of lower order. How far true counts lie from their predictions is not known, but the
table itself shows it: δ = (true − predicted) / scale has one prior per group of similar cells, an atom "this cell is empty" and a
grid, whose weights are found by EM under the noise law P(answer | true) ∝ exp(−|answer − true| / scale). A cell becomes its
posterior mean. Answers far from every prediction stay as they are: what was measured precisely stays precise.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

STEP, REACH = 0.5, 14.0
"""The grid of δ: from −REACH to REACH in steps, in units of the scale."""

RAW = 12.0
"""Beyond this many scales from its prediction an answer is taken as it is."""

ROUNDS, PSEUDO, SAMPLE = 60, 3.0, 4096
"""Rounds of EM; weight of the starting prior, in cells; a prior is learnt from at most so many cells."""


@njit(cache=True)
def _likelihood(u, v, grid, out):  # type: ignore[no-untyped-def]
    """exp(−|u − δ|) at the atom δ = −v (place 0) and on the grid (places 1…), 0 where the true count would be negative."""
    out[0] = np.exp(-abs(u + v))
    for g in range(len(grid)):
        out[g + 1] = np.exp(-abs(u - grid[g])) if grid[g] >= -v else 0.0


@njit(cache=True)
def _learnt(u, v, grid, start, rounds, pseudo):  # type: ignore[no-untyped-def]
    """The weights of the prior, by EM over cells with residuals u and predictions v, both in scales."""
    size = len(grid) + 1
    likelihood = np.empty((len(u), size))
    for i in range(len(u)):
        _likelihood(u[i], v[i], grid, likelihood[i])
    weights = start.copy()
    for _ in range(rounds):
        gathered = pseudo * start
        for i in range(len(u)):
            total = 0.0
            for g in range(size):
                total += weights[g] * likelihood[i, g]
            if total > 0.0:
                for g in range(size):
                    gathered[g] += weights[g] * likelihood[i, g] / total
        weights = gathered / gathered.sum()
    return weights


@njit(cache=True)
def _posterior(u, v, grid, weights, mean, variance):  # type: ignore[no-untyped-def]
    """Posterior mean and variance of true counts, in scales."""
    size = len(grid) + 1
    likelihood = np.empty(size)
    for i in range(len(u)):
        _likelihood(u[i], v[i], grid, likelihood)
        total, first, second = 0.0, 0.0, 0.0
        for g in range(size):
            p = weights[g] * likelihood[g]
            x = v[i] + grid[g - 1] if g else 0.0
            total += p
            first += p * x
            second += p * x * x
        if total > 0.0:
            mean[i] = first / total
            variance[i] = max(second / total - mean[i] * mean[i], 0.0)
        else:
            mean[i], variance[i] = max(u[i] + v[i], 0.0), 2.0


def denoised(
    answer: NDArray[np.int64], predicted: NDArray[np.float64], scale: float, pattern: NDArray[np.integer] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Posterior mean and variance of every true count; cells of one `pattern` and of similar predictions share a prior.

    >>> mean, variance = denoised(np.array([0, 1, -2, 900]), np.array([0.1, 0.1, 0.1, 10.0]), scale=2.0)
    >>> mean.round(1).tolist()[3], bool((mean[:3] < 1).all())
    (900.0, True)
    """
    shape = answer.shape
    v = np.maximum(predicted.ravel(), 0.0) / scale
    u = answer.ravel() / scale - v
    mean, variance = np.maximum(u + v, 0.0), np.full(u.shape, 2.0)
    near = np.flatnonzero(np.abs(u) <= RAW)
    grid = np.arange(-REACH, REACH + STEP / 2, STEP)
    start = np.concatenate([[1.0], np.exp(-np.abs(grid)) / np.exp(-np.abs(grid)).sum()]) / 2
    level = np.clip(np.floor(np.log2(v[near] + 2.0**-6)), -6, 12).astype(np.int64) + 6
    group = level if pattern is None else level + 32 * pattern.ravel()[near].astype(np.int64)
    order = np.argsort(group, kind="stable")
    edges = np.flatnonzero(np.diff(group[order], prepend=-1, append=-1))
    for begin, end in zip(edges[:-1], edges[1:], strict=True):
        cells = near[order[begin:end]]
        some = cells[:: -(-len(cells) // SAMPLE)]
        weights = _learnt(u[some], v[some], grid, start, ROUNDS, PSEUDO)
        m, s = np.empty(len(cells)), np.empty(len(cells))
        _posterior(u[cells], v[cells], grid, weights, m, s)
        mean[cells], variance[cells] = m, s
    return (mean * scale).reshape(shape), (variance * scale * scale).reshape(shape)
