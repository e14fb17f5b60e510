"""Degrees as they may have been before the noise: of all vertices together, and then of each.

Noise spreads the histogram of degrees, and it is the histogram that can be put right: expectation maximisation from the known
law of the noise [Dempster 1977] gives the distribution of degrees that makes the noisy ones likely. Few steps are taken, and
after each the distribution is averaged over neighbouring degrees, more widely where degrees are high and rare: otherwise it
runs to a few spikes. Then the vertices, in the order of their noisy degrees, get the quantiles. So the distribution is right,
each vertex is as near to its own degree as the noise lets it be, and vertices without edges gain none.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.release.graphs.draw import Random

STEPS = 60
"""Of expectation maximisation. With ten times as many, spikes appear; with a third, low degrees are still spread."""

LEAST_SCALE = 0.05
"""Noise of less is taken to be as much, and rounds to nothing all the same; smaller powers would be 0 in floats."""

SURE, SHARE, SCALES = 10, 0.1, 4.0
"""A degree d above 10 is averaged with those within (d − 10)/10, and never with those further away than four scales of noise."""


@njit(cache=True)
def _blurred(x, q):  # type: ignore[no-untyped-def]
    """A histogram after discrete Laplace noise with P(k) ∝ q^|k|, by one sum from the left and one from the right."""
    out = np.empty(len(x))
    left = 0.0
    for i in range(len(x)):
        left = left * q + x[i]
        out[i] = left
    right = 0.0
    for i in range(len(x) - 1, -1, -1):
        out[i] += right
        right = (right + x[i]) * q
    return out * ((1 - q) / (1 + q))


def distribution(noisy: NDArray[np.int64], scale: float, most: int) -> NDArray[np.float64]:
    """The probability of each degree 0..most, from noisy degrees with noise of this scale.

    >>> likely = distribution(np.array([3] * 500 + [2] * 100 + [4] * 100), 0.3, 9)
    >>> int(likely.argmax()), round(float(likely.sum()), 6)
    (3, 1.0)
    """
    scale = max(scale, LEAST_SCALE)
    reach = min(most + 1, math.ceil(30 * scale))
    seen = np.clip(noisy, -reach, most + reach)  # noise that takes a degree further says nothing more
    low, high = min(int(seen.min()), 0), max(int(seen.max()), 1)
    most = min(most, high)
    observed = np.bincount(seen - low, minlength=max(high, most) - low + 1).astype(np.float64)
    q = float(np.exp(-1 / scale))
    inside = slice(-low, -low + most + 1)
    likely = np.zeros(len(observed))
    likely[inside] = _blurred(observed, q)[inside] + 1e-9
    for _ in range(STEPS):
        expected = _blurred(likely, q)
        likely[inside] *= _blurred(observed / np.maximum(expected, 1e-300), q)[inside]
        likely[inside] = _averaged(likely[inside] / likely[inside].sum(), scale)
    return likely[inside]


def _averaged(likely: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """What each degree has, given to all within its reach alike: on both sides as far, so that the mean degree stays.

    Reaches grow continuously, the outermost degrees get a part: otherwise degrees gather wherever a reach begins to be longer.
    """
    degree = np.arange(len(likely))
    reach = np.minimum(np.minimum(SHARE * np.maximum(degree - SURE, 0), SCALES * scale), len(likely) - 1 - degree)
    whole = np.floor(reach).astype(np.int64)
    each = likely / (2 * reach + 1)
    outer = each * (reach - whole)
    out = np.zeros(len(likely) + 2)
    for weight, wide in ((each - outer, whole), (outer, np.minimum(whole + 1, np.minimum(degree, degree[::-1])))):
        out += np.bincount(degree - wide, weight, len(out)) - np.bincount(degree + wide + 1, weight, len(out))
    return np.maximum(np.cumsum(out)[: len(likely)], 0)


def likely_degrees(noisy: NDArray[np.int64], scale: float, random: Random) -> NDArray[np.int64]:
    """A degree for every vertex: the quantiles of their likely distribution, in the order of the noisy degrees.

    >>> from seqveil.release.graphs.draw import generator
    >>> noisy = np.array([0, -2, 1, 9, 0, 2, -1, 0])
    >>> likely_degrees(noisy, 0.1, generator(noisy)).tolist()
    [0, 0, 1, 7, 0, 2, 0, 0]
    """
    n = len(noisy)
    if n < 2:
        return np.zeros(n, np.int64)
    heights = np.cumsum(distribution(noisy, scale, n - 1))
    quantiles = np.searchsorted(heights, (np.arange(n) + 0.5) / n * heights[-1])
    degrees = np.empty(n, np.int64)
    degrees[np.lexsort((random.random(n), noisy))] = quantiles
    return degrees
