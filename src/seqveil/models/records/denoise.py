"""Denoise a table of noisy counts by empirical Bayes with the law of its noise.

Every cell has a prediction from answers of lower order. How far true counts lie from their predictions is not known, but the
table itself shows it: δ = (true − predicted) / scale has one prior per group of similar cells, an atom "this cell is empty" and a
grid, whose weights are found by EM under the noise law: P(answer | true) ∝ exp(−|answer − true| / scale), or, where the noise is
Gaussian, ∝ exp(−(answer − true)² / (2σ²)) with σ = √2 · scale, so that the variance is 2 · scale² in either. A cell becomes its
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


EMPTY, RIGHT = 0.35, 0.35
"""Starting prior: the chance that a cell is empty, and that its prediction is right."""

FEW = 32
"""In groups of fewer cells than this, every cell counts for itself."""

TRUST = 0.3
"""What a large group is predicted to hold is taken to be right within this share."""


@njit(cache=True)
def _likelihood(u, v, grid, rising, falling, out, gaussian):  # type: ignore[no-untyped-def]
    """exp(−|u − δ|) at the atom δ = −v (place 0) and on the grid (places 1…), 0 where the true count would be negative.

    `rising` is exp(δ) on the grid and `falling` exp(−δ): two exponentials serve all of it. `gaussian` noise has σ² = 2.
    """
    if gaussian:
        out[0] = np.exp(-((u + v) ** 2) / 4)
        for g in range(len(grid)):
            out[g + 1] = 0.0 if grid[g] < -v else np.exp(-((u - grid[g]) ** 2) / 4)
        return
    up, down = np.exp(u), np.exp(-u)
    out[0] = np.exp(-abs(u + v))
    for g in range(len(grid)):
        if grid[g] < -v:
            out[g + 1] = 0.0
        else:
            out[g + 1] = down * rising[g] if grid[g] <= u else up * falling[g]


@njit(cache=True)
def _learnt(u, v, grid, start, rounds, pseudo, gaussian=False):  # type: ignore[no-untyped-def]
    """The weights of the prior, by EM over cells with residuals u and predictions v, both in scales."""
    size = len(grid) + 1
    likelihood = np.empty((len(u), size))
    rising, falling = np.exp(grid), np.exp(-grid)
    for i in range(len(u)):
        _likelihood(u[i], v[i], grid, rising, falling, likelihood[i], gaussian)
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
def _posterior(u, v, grid, weights, gaussian=False):  # type: ignore[no-untyped-def]
    """Posterior mean and variance of true counts, in scales."""
    size = len(grid) + 1
    likelihood = np.empty(size)
    rising, falling = np.exp(grid), np.exp(-grid)
    mean, variance = np.empty(len(u)), np.empty(len(u))
    for i in range(len(u)):
        _likelihood(u[i], v[i], grid, rising, falling, likelihood, gaussian)
        total, first, second = 0.0, 0.0, 0.0
        for g in range(size):
            x = v[i] + grid[g - 1] if g else 0.0
            p = weights[g] * likelihood[g]
            total += p
            first += p * x
            second += p * x * x
        if total > 0.0:
            mean[i] = first / total
            variance[i] = max(second / total - mean[i] * mean[i], 0.0)
        else:
            mean[i], variance[i] = max(u[i] + v[i], 0.0), 2.0
    return mean, variance


def first_prior(grid: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where EM starts: the cell is empty, or as predicted, or somewhere near the prediction."""
    near = np.exp(-np.abs(grid))
    out = np.concatenate([[EMPTY], (1 - EMPTY - RIGHT) * near / near.sum()])
    out[1 + len(grid) // 2] += RIGHT
    return out


def denoised(
    answer: NDArray[np.int64],
    predicted: NDArray[np.float64],
    scale: float,
    pattern: NDArray[np.integer] | None = None,
    total: float | None = None,
    gaussian: bool = False,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Posterior mean and variance of every true count; cells of one `pattern` and of similar predictions share a prior.

    Where the `total` of all true counts is known, groups are brought to it: see `_bring`.

    >>> mean, variance = denoised(np.array([0, 1, -2, 900]), np.array([0.1, 0.1, 0.1, 10.0]), scale=2.0)
    >>> mean.round(1).tolist()[3], bool((mean[:3] < 1).all())
    (900.0, True)
    """
    v = np.maximum(predicted.ravel(), 0.0) / scale
    u = answer.ravel() / scale - v
    mean, variance = np.maximum(u + v, 0.0), np.full(u.shape, 2.0)
    near = np.flatnonzero(np.abs(u) <= RAW)
    grid = np.arange(-REACH, REACH + STEP / 2, STEP)
    start = first_prior(grid)
    groups = list(_groups(near, v, pattern))
    priors = []
    for cells in groups:
        some = cells[:: -(-len(cells) // SAMPLE)]
        priors.append(_learnt(u[some], v[some], grid, start, ROUNDS, PSEUDO, gaussian))
    for cells, weights in zip(groups, priors, strict=True):
        mean[cells], variance[cells] = _posterior(u[cells], v[cells], grid, weights, gaussian)
    if total is not None:
        _bring(mean, variance, u + v, v, groups, total / scale)
    return (mean * scale).reshape(answer.shape), (variance * scale * scale).reshape(answer.shape)


def _bring(
    mean: NDArray[np.float64],
    variance: NDArray[np.float64],
    answer: NDArray[np.float64],
    predicted: NDArray[np.float64],
    groups: list[NDArray[np.int64]],
    total: float,
) -> None:
    """Scale every group, in place and in units of the scale, so that all cells sum to the total.

    What the many weak cells of a group hold together is not the sum of their posterior means, whose errors are alike, but what
    the sum of their answers (without bias; its variance grows with their number) and the prediction say. What is then still
    missing is divided among the groups by the variances of their sums.
    """
    sums, spread = [], []
    for cells in groups:
        if len(cells) < FEW:
            sums.append(float(mean[cells].sum()))
            spread.append(float(variance[cells].sum()))
        else:
            guess = float(predicted[cells].sum())
            by_answers, by_guess = 1 / (2.0 * len(cells)), 1 / ((TRUST * guess) ** 2 + 0.5)
            sums.append((float(answer[cells].sum()) * by_answers + guess * by_guess) / (by_answers + by_guess))
            spread.append(1 / (by_answers + by_guess))
    far = np.ones(len(mean), np.bool_)
    for cells in groups:
        far[cells] = False
    missing = total - float(mean[far].sum()) - sum(sums)
    share = missing / (sum(spread) + 2.0 * int(far.sum()) + 1e-9)
    mean[far] = np.maximum(mean[far] + 2.0 * share, 0.0)
    for cells, wanted, loose in zip(groups, sums, spread, strict=True):
        mean[cells] *= max(wanted + loose * share, 0.0) / max(float(mean[cells].sum()), 1e-12)
    mean *= total / max(float(mean.sum()), 1e-12)


def _groups(near: NDArray[np.int64], v: NDArray[np.float64], pattern: NDArray[np.integer] | None) -> list[NDArray[np.int64]]:
    """Cells that share a prior: by pattern, and by the power of two of their prediction."""
    level = np.clip(np.floor(np.log2(v[near] + 2.0**-6)), -6, 12).astype(np.int64) + 6
    group = level if pattern is None else level + 32 * pattern.ravel()[near].astype(np.int64)
    order = np.argsort(group, kind="stable")
    return np.split(near[order], np.flatnonzero(np.diff(group[order])) + 1) if len(near) else []
