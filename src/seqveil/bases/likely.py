"""All sets over few labels, as they may have been before the noise. Post-processing.

Over m labels there are 2^m bins, and most hold nobody. Three kinds of bins are told apart:

- What is above all noise to be expected, `scale`·ln 2^m, stands as it is.
- What all others hold together follows from the number of records. How it lies among them is guessed:
  by their sums for each label and for each size, as far as these stand out from noise, as if labels were independent.
- Each of them then has a geometric law around that guess, and the mean of what its noisy count leaves of that law.

Where the others hold less than the noise on a label's sum, or on the number of records, nothing is guessed, and what
stands out is scaled.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from seqveil.bases.bins import labels_of_bins, projected

Floats = NDArray[np.float64]

LABEL, SIZE, REST = 1.0, 3.0, 2.0
"""So many standard deviations of noise the sum for a label, the surplus of a size, and what does not stand out must have."""

WIDE = 30.0
"""Wider noise says next to nothing about a single bin that does not stand out; then the guess stands."""

RARE = 1e-9
"""The least that a bin is guessed to hold, so that its law has a logarithm."""


def likely(noisy: NDArray[np.int64], scale: float, total: float, unsure: float = 0.0) -> Floats:
    """Likely counts of all bins, not negative, that add up to `total`; bit j of a bin stands for the j-th label.

    `unsure` is the standard deviation of `total`.

    >>> likely(np.array([-1, 40, 60, 1]), 1.0, 102.0).round().tolist()
    [0.0, 41.0, 61.0, 0.0]
    >>> likely(np.array([3, -2]), 1.0, 0.0).tolist()
    [0.0, 0.0]
    """
    if total <= 0:
        return np.zeros(len(noisy))
    kept = noisy >= max(scale * math.log(len(noisy)), 1.0)
    counts = np.where(kept, noisy, 0).astype(np.float64)
    rest = total - float(counts.sum())
    if kept.any() and rest < REST * math.hypot(scale * math.sqrt(len(noisy)), unsure):
        return np.asarray(counts * (total / counts.sum()))
    others = np.where(kept, 0, noisy)
    guess = np.where(kept, 0.0, guessed(others, scale, rest))
    mean = geometric_mean(others, guess, scale) if 0 < scale <= WIDE else guess
    mean = np.where(kept, 0.0, mean)
    if mean.sum() <= 0:
        return projected(noisy, total)
    return np.asarray(counts + mean * (rest / mean.sum()))


def guessed(noisy: NDArray[np.int64], scale: float, total: float) -> Floats:
    """How `total` records may lie in bins with noise: independent labels, and sizes where those clearly differ."""
    labels, deviation = len(noisy).bit_length() - 1, scale * math.sqrt(len(noisy))
    guess, size = np.ones(1), labels_of_bins(labels)
    for j in range(labels):
        with_label = float(noisy.reshape(-1, 2, 1 << j)[:, 1].sum())
        share = with_label / max(total, 1.0) if with_label > LABEL * deviation else 0.0
        share = min(max(share, 0.5 / max(total, 1.0)), 0.95)
        guess = np.concatenate([guess * (1 - share), guess * share])
    guess[0] = 0.0  # nothing is known about records without any label: they are published as no set
    guess *= total / max(float(guess.sum()), RARE)
    bins, seen, expected = np.bincount(size), np.bincount(size, noisy), np.bincount(size, guess)
    clear = np.abs(seen - expected) > SIZE * scale * np.sqrt(2.0 * bins)
    wanted = np.where(clear, np.maximum(seen, 0.0), expected)
    wanted[0] = 0.0
    factor = np.divide(wanted, expected, out=np.zeros(len(bins)), where=expected > 0)
    return np.asarray(guess * factor[size])


def geometric_mean(noisy: NDArray[np.int64], guess: Floats, scale: float) -> Floats:
    """The mean of a geometric count with mean `guess`, given its noisy value: P(c) ∝ r^c·e^(−|noisy − c|/scale), r = g/(1 + g).

    >>> geometric_mean(np.array([9, 9, 0]), np.array([1e-6, 20.0, 0.5]), 1.0).round(2).tolist()
    [0.0, 8.91, 0.14]
    """
    log_r = np.log(np.maximum(guess, RARE)) - np.log1p(np.maximum(guess, RARE))
    most = int(max(noisy.max(initial=0), 0))
    weight, mass = np.zeros(len(noisy)), np.zeros(len(noisy))
    shift = np.abs(noisy) / scale  # keeps what is furthest from 0 within floats
    for c in range(most + 1):
        chance = np.exp(c * log_r - np.abs(noisy - c) / scale + shift)
        weight += chance
        mass += c * chance
    # Beyond the largest noisy value both factors fall: two geometric series.
    ratio = np.exp(log_r - 1 / scale)
    first = np.exp((most + 1) * log_r - (most + 1 - noisy) / scale + shift)
    weight += first / (1 - ratio)
    mass += first * ((most + 1) / (1 - ratio) + ratio / (1 - ratio) ** 2)
    return np.asarray(mass / weight)
