"""How often every label occurs, from all that was asked about it: one posterior per label with a prior that allows for "never".

A label's count has two noisy answers: its own, and the sums of its pairs, whose noise is close to normal. The
prior is a Gamma law around a prediction, which is a mixture of what shorter records, the ends of these records and nothing at
all (every label alike) say. Its shape and the mixture are those under which the answers are most likely. A shape below one puts
most mass near zero: a label that nothing shows anywhere is then most likely absent.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc

from seqveil.models.records.margins import on_simplex

Counts = NDArray[np.float64]

SHAPES = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 40.0)
"""Shapes of the Gamma prior of frequent labels: the larger, the closer counts lie to their predictions."""

BLANKS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
"""Shares of the prediction in which every label is alike."""

MOST_LEARNT = 512
"""The prior is learnt from at most so many labels."""

RARE = 0.001
"""Labels below this share of the records are rare: their counts need not be right in proportion to themselves."""

REACH = 14.0
"""Answers above this many standard deviations are taken as they are."""

EDGES = np.concatenate([[0.0, 0.01, 0.03, 0.06], np.arange(0.1, 1.0, 0.1), np.arange(1.0, REACH + 6.0, 0.25)])
"""Bounds of the cells of a count, in standard deviations."""

VALUES = np.concatenate([[0.0], (EDGES[1:-1] + EDGES[2:]) / 2])
"""What a count in every cell is taken to be: in the first one, nothing."""

PATCHY = 0.1
"""Counts come in patches of this many standard deviations: a label with a smaller prediction is most likely absent."""

MOST_TILT, HALVINGS = 8.0, 40
"""The strongest tilt towards the total, per standard deviation; halvings of the interval in which it is sought."""


def settled(
    own: Counts, scale: float, sums: Counts, variance: float, hints: Counts, total: float, least: float, gaussian: bool = False
) -> Counts:
    """Counts with this total that have the least expected relative error, where counts below `least` count as `least`.

    `own` answers have Laplace noise of `scale`, or Gaussian noise of σ = √2 · scale; `sums` normal noise of `variance` (infinite:
    not known); each row of `hints` says how counts may be spread over labels. Counts are tilted towards their total: what stands
    out moves by its uncertainty, what is absent stays so.

    >>> noise = np.array([3.0, -2.0, 4.0])
    >>> own, sums = np.array([500.0, 90.0, 0.0]) + noise, np.array([500.0, 90.0, 0.0]) - noise
    >>> settled(own, 10.0, sums, 200.0, np.array([[0.8, 0.2, 0.0]]), 590.0, 1.0).round(-1).tolist()
    [500.0, 90.0, 0.0]
    """
    if total <= 0 or not len(own):
        return np.zeros(len(own))
    width = float((1 / (1 / (2 * scale**2) + 1 / variance)) ** 0.5)
    best = width**2 * (own / (2 * scale**2) + sums / variance)
    near = np.flatnonzero(best <= REACH * width)
    x = VALUES * width
    away = np.abs(own[near, None] - x) / scale
    fit = -(away**2 / 4 if gaussian else away) - (sums[near, None] - x) ** 2 / (2 * variance)
    likelihood = np.exp(fit - fit.max(axis=1, keepdims=True))
    posterior = likelihood * _likeliest(likelihood, width, hints[:, near], total, len(own)) / np.maximum(x, max(least, 1.0))

    def at(tilt: float) -> Counts:
        out = np.maximum(best + tilt * width, 0.0)
        out[near] = width * _medians(posterior * np.exp(tilt * VALUES))
        return out

    low, high = -MOST_TILT, MOST_TILT
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if at(middle).sum() > total else (middle, high)
    out = at(high)
    reached = float(out.sum())
    return out * (total / reached) if reached > 0 else on_simplex(best, total)


def _likeliest(likelihood: Counts, width: float, hints: Counts, total: float, labels: int) -> Counts:
    """The prior, in mass of every cell for every label, under which the answers are most likely."""
    some = slice(None, None, max(-(-len(likelihood) // MOST_LEARNT), 1))
    splits = [hints[0], hints.mean(axis=0), hints[-1]] if len(hints) else [np.full(len(likelihood), 1 / labels)]
    best, most = (np.ones(len(likelihood)), 1.0), -np.inf
    for closeness, blank, hint in product(SHAPES, BLANKS, splits):
        mean = np.maximum(total / width * ((1 - blank) * hint + blank / labels), 1e-9)
        score = float(np.log((likelihood[some] * _prior(mean[some], closeness)).sum(axis=1)).sum())
        if score > most:
            best, most = (mean, closeness), score
    return _prior(*best)


def _prior(mean: Counts, closeness: float) -> Counts:
    """The mass of every cell under a Gamma law for every label."""
    shape = 1 / (1 / closeness + PATCHY / mean)
    return np.asarray(np.diff(gammainc(shape[:, None], (shape / mean)[:, None] * EDGES), axis=1) + 1e-12)


def _medians(mass: Counts) -> Counts:
    """The median of every row of masses of cells, in standard deviations."""
    below = np.cumsum(mass, axis=1)
    half = below[:, -1] / 2
    cell = np.minimum((below < half[:, None]).sum(axis=1), len(VALUES) - 1)
    row = np.arange(len(mass))
    share = 1 - (below[row, cell] - half) / np.maximum(mass[row, cell], 1e-300)
    return np.where(cell == 0, 0.0, EDGES[cell] + share * (EDGES[cell + 1] - EDGES[cell]))
