"""Error bars of a sum of kept counts: the law of a sum of several discrete Laplace variables, allowing for selection.

[Bonomi thesis, Lemma 8.1] bounds such sums; here the sum is convolved instead (FFT), which is several times tighter.
Selection is allowed for in both directions (docs/decisions/error-bars.md has the argument):

- above: passing a threshold only pushes noise up, so the lower quantile of the unselected sum bounds Σt from above;
- below: Y <= max(t, T) + (X given X >= T - low) in law, where low bounds t from below. All these bounds hold together
  with probability 1 - 0.5 %, and the quantile of that sum with 1 - 2 %. A count that may lie under its threshold is
  taken to lie at its lower bound.

Scales and thresholds of longer grams depend on answers about shorter ones, so noise is only convolved within one
length; several lengths share the 5 % evenly.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.release.answers import gaussian as normal
from seqveil.release.answers.intervals import CONFIDENCE, interval

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MOST_LAWS = 256
"""Most different laws that are convolved; a sum of more gets the wider bound of Markov's inequality."""

GRID = 2**18
"""Most grid points of a convolution; a wider sum is rounded outwards to a coarser grid."""

MOST_POINTS = 2**24
"""A sum of so many variables that no grid of this size is fine enough gets the wider bound, too."""

LOST = 1e-12
"""Probability that the grid leaves out per variable and side; it is taken from the error that a quantile may make."""


def total(
    y: Ints, scale: Floats, threshold: Ints, length: Ints, alpha: float = 1 - CONFIDENCE, gaussian: bool = False
) -> tuple[int, int]:
    """An interval that covers the sum of the true counts with probability at least 1 - alpha.

    Where noise is `gaussian`, a `scale` is σ, here and below.

    >>> y, T = np.array([400, 300]), np.array([50, 50])
    >>> total(y, np.array([20.0, 20.0]), T, length=np.array([1, 1]))
    (612, 782)
    """
    groups = np.unique(length)
    ends = [
        _one_length(y[length == n], scale[length == n], threshold[length == n], alpha / len(groups), gaussian) for n in groups
    ]
    return sum(low for low, _ in ends), sum(high for _, high in ends)


@lru_cache(maxsize=4096)
def spread(scales: tuple[float, ...], alpha: float, gaussian: bool = False) -> int:
    """A z with P(|Σ Xᵢ| > z) <= alpha, where Xᵢ is independent discrete Laplace noise of scale scalesᵢ.

    The smallest one, as far as the sum fits a grid of whole numbers. The sum is symmetric, so each side gets half of alpha.

    >>> spread((20.0,), 0.05), spread((20.0, 5.0, 1.0), 0.05), spread((0.0,), 0.05)
    (60, 61, 0)
    >>> spread((20.0,), 0.05, gaussian=True), spread((20.0, 20.0), 0.05, gaussian=True)
    (39, 55)
    """
    scale = np.array(scales, np.float64)
    return _upper_quantile(scale, np.full(len(scale), -(2**62), np.int64), alpha / 2, gaussian)


def spread_of_copies(scale: float, copies: int, alpha: float, gaussian: bool = False) -> int:
    """The same for a sum of so many variables of one scale.

    >>> spread_of_copies(20.0, 3, 0.05) == spread((20.0,) * 3, 0.05), spread_of_copies(1.0, 1_000_000, 0.05)
    (True, 2660)
    >>> spread_of_copies(20.0, 2, 0.05, gaussian=True)
    55
    """
    if scale <= 0:
        return 0
    return _quantile_of([(scale, _everything(scale))], [copies], alpha / 2, gaussian)


def _one_length(y: Ints, scale: Floats, threshold: Ints, alpha: float, gaussian: bool = False) -> tuple[int, int]:
    """The interval for independent answers, all conditions (scales, thresholds) given."""
    if len(y) == 1:
        lows, highs = interval(y, scale, threshold, alpha, gaussian)
        return int(lows[0]), int(highs[0])
    each_low, _ = interval(y, scale, threshold, 0.1 * alpha / len(y), gaussian)
    from_each = int(each_low.sum())

    clear = each_low > threshold
    start = np.where(clear, threshold - each_low, 0)
    under = np.where(clear, 0, threshold - each_low)
    from_sum = int(y.sum()) - _upper_quantile(scale, start, 0.4 * alpha, gaussian) - int(under.sum())

    everything = np.full(len(y), -(2**62), np.int64)
    high = int(y.sum()) + _upper_quantile(scale, everything, 0.5 * alpha, gaussian)
    low = max(from_each, from_sum)
    return low, max(low, high)


def _upper_quantile(scale: Floats, start: Ints, alpha: float, gaussian: bool = False) -> int:
    """A z with P(Σ Xᵢ > z) <= alpha, where Xᵢ is noise given Xᵢ >= startᵢ <= 0."""
    noisy = scale > 0
    kinds, copies = _kinds(scale[noisy], start[noisy])
    return _quantile_of(kinds, copies, alpha, gaussian) if kinds else 0


def _quantile_of(kinds: list[tuple[float, int]], copies: list[int], alpha: float, gaussian: bool = False) -> int:
    """The same where `copies[i]` of the variables have the law `kinds[i]`, a scale and a start."""
    bound = _sub_gaussian if gaussian else _chernoff
    above_all = normal.survival if gaussian else _survival
    if len(kinds) > MOST_LAWS:
        return math.ceil(bound(kinds, copies, alpha))
    reach = math.ceil(max(bound(kinds, copies, LOST, sign) for sign in (1, -1)))
    step, n = 1, sum(copies)
    while 2 * (reach + n * step) > step * GRID and 2 * n < GRID // 2:
        step *= 2
    points = 1 << int(np.ceil(np.log2(2 * (reach / step + n) + 2)))
    if points > MOST_POINTS:
        return math.ceil(bound(kinds, copies, alpha))
    spectrum = np.ones(points // 2 + 1, np.complex128)
    for (s, first), k in zip(kinds, copies, strict=True):
        spectrum *= np.fft.rfft(_mass(s, first, step, points, above_all)) ** k
    mass = np.fft.irfft(spectrum, points)
    # The circle of `points` holds the values -points/2 .. points/2 - 1 of the sum.
    mass = np.roll(mass, points // 2)
    above = np.cumsum(mass[::-1])[::-1]
    first_small = int(np.flatnonzero(above <= alpha - 4 * n * LOST)[0])
    return (first_small - 1 - points // 2) * step


def _kinds(scale: Floats, start: Ints) -> tuple[list[tuple[float, int]], list[int]]:
    """The distinct laws in a sum and how often each occurs.

    Starts are rounded up to whole scales (a law that is larger, hence sound) so that few laws remain; below -40 scales
    nothing is cut off.
    """
    whole = np.minimum(np.floor(-start / scale), 40.0)
    pairs, copies = np.unique(np.stack([scale, whole]), axis=1, return_counts=True)
    kinds = [(float(s), -int(w * s) if w < 40 else _everything(s)) for s, w in pairs.T]
    return kinds, copies.tolist()


def _everything(scale: float) -> int:
    """A start below which there is next to nothing."""
    return -int(60 * scale) - 60


def _chernoff(kinds: list[tuple[float, int]], copies: list[int], alpha: float, sign: int = 1) -> float:
    """A z with P(sign · Σ Xᵢ >= z) <= alpha: Markov's inequality on e^(λX) as in [Bonomi thesis, Lemma 8.1], best λ taken."""
    scale, first = np.array(kinds).T
    rate = np.geomspace(1e-4, 0.98, 200)[:, None] / scale.max()
    q, up, down = -1 / scale, sign * rate - 1 / scale, -sign * rate - 1 / scale  # logarithms: the widest scales are near 1
    # Σ over x >= first of q^|x| e^(sign·λ·x), its negative part summed from x = -1 down to first.
    moment = -1 / np.expm1(up) - (np.exp(down) - np.exp(down * (1 - first))) / np.expm1(down)
    mass = -1 / np.expm1(q) - (np.exp(q) - np.exp(q * (1 - first))) / np.expm1(q)
    log_moment = (np.array(copies) * np.log(moment / mass)).sum(axis=1)
    return float(((log_moment - np.log(alpha)) / rate[:, 0]).min())


def _sub_gaussian(kinds: list[tuple[float, int]], copies: list[int], alpha: float, sign: int = 1) -> float:
    """The same for discrete Gaussian noise, whose moments E e^(λX) are at most e^(λ²σ²/2) [Canonne 2020, Cor. 9]: given
    X >= start they are at most twice as large, since P(X >= 0) > 1/2. Either sign has this bound."""
    sigma, first = np.array(kinds).T
    selected = np.log(2.0) * (np.array(copies) * (first > -12 * sigma)).sum()
    return float(np.sqrt(2 * (np.array(copies) * sigma**2).sum() * (selected - np.log(alpha / 2))))


def _mass(scale: float, first: int, step: int, points: int, survival: Callable[[Floats, Any], Floats]) -> Floats:
    """The masses of X given X >= first, rounded up to multiples of `step`, wrapped around a circle of grid points."""
    low, high = max(-(points // 2), -((-first) // step)), points // 2 - 1
    edges = np.arange(low - 1, high + 1, dtype=np.float64) * step
    edges[0] = max(edges[0], first - 1)
    above = survival(edges + 1, scale)
    mass = -np.diff(above) / survival(np.array([float(first)]), scale)
    wrapped = np.zeros(points)
    wrapped[np.arange(low, high + 1) % points] = mass
    return wrapped


def _survival(k: Floats, scale: float) -> Floats:
    """P(X >= k) for discrete Laplace X."""
    q = np.exp(-1.0 / scale)
    tail = np.exp(-np.maximum(np.where(k >= 1, k, 1 - k), 0) / scale) / (1 + q)
    return np.asarray(np.where(k >= 1, tail, 1 - tail))
