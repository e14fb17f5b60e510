"""Discrete Gaussian noise, and what lies beyond a threshold of it, exactly and many at a time.

Both come from a proposal that `digits.py` draws exactly: k with P(k) ∝ e^(−k/s), with a sign where noise on both sides is
wanted. It is kept with probability e^(−E(k)),

    E(k) = ((θ + k)² − θ²) / (2σ²) − k/s − least,      least = the minimum of the rest over whole k ≥ 0,

with θ = 0 for noise itself. So what is kept has P(k) ∝ e^(−(θ+k)²/(2σ²)), whatever s is [Canonne 2020, Alg. 3, with s = ⌊σ⌋ + 1
and θ = 0]. s decides the cost only: 1/s is near the slope at which the fewest are thrown away (docs/mechanisms/noise.md).

Whether one is kept is a coin, tossed as those of the digits are: 32 bits of U, compared with a probability in floats whose
error is far below 2⁻³²; where they are as close as that, U gets more bits and the probability is computed more closely.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from seqveil.wall.noise.digits import BATCH, RandomBytes, around, draw, settled
from seqveil.wall.noise.scale import LEAST_SCALE, MOST_SCALE, Scale
from seqveil.wall.noise.sigma import Sigma

BITS = 32
"""Bits of U that are drawn for every proposal; less than one in 10⁹ needs more."""

FARTHEST = 64
"""A proposal with a larger E is kept with a probability below 2⁻⁹²: no U of 32 bits is below that for sure."""

_PARTS = 64
"""e^(−E) is looked up at multiples of 1/64, and continued from there by a polynomial."""


@dataclass(frozen=True, slots=True, eq=False)
class Hat:
    """The proposal, and what it is kept by: E(k) = k·(k·curve + slope) − least."""

    proposal: Scale
    curve: Fraction
    slope: Fraction
    least: Fraction

    def chance(self, k: int, bits: int) -> tuple[int, int]:
        """Whole numbers around the probability of keeping k, times 2**bits.

        E is exact and rounded once, so e^(−E) is right to a relative (E + 2)·10^(1 − prec), and E·e^(−E) is below 1.
        """
        exponent = k * (k * self.curve + self.slope) - self.least
        with localcontext(Context(prec=bits // 3 + 60, Emin=MIN_EMIN, Emax=MAX_EMAX, rounding=ROUND_FLOOR)):
            return around((-Decimal(exponent.numerator) / exponent.denominator).exp() * 2**bits)

    def exponents(self, k: NDArray[np.int64]) -> NDArray[np.float64]:
        """E of many k, each right to 10⁻¹³ where it is below 64."""
        x = k.astype(np.float64)
        return np.asarray(x * (x * float(self.curve) + float(self.slope)) - float(self.least))


@lru_cache(maxsize=4096)
def hat(sigma: Sigma, threshold: int) -> Hat:
    """The proposal for noise beyond a threshold; θ = 0 for noise itself."""
    proposal = Scale(_coarse(2 * sigma.square / (threshold + math.sqrt(float(threshold) ** 2 + 4 * sigma.square))))
    curve = 1 / (2 * sigma.exact)
    slope = threshold / sigma.exact - 1 / proposal.exact
    turn = max(0, math.floor(-slope / (2 * curve)))
    return Hat(proposal, curve, slope, min(k * (k * curve + slope) for k in (turn, turn + 1)))


def _coarse(scale: float) -> float:
    """The next larger of 16 scales per octave: the coins of a scale cost more to compute than a few proposals more."""
    mantissa, exponent = math.frexp(min(max(scale, LEAST_SCALE), MOST_SCALE))
    return min(math.ldexp(math.ceil(mantissa * 32) / 32, exponent), MOST_SCALE)


def draw_gaussian(sigma: Sigma, threshold: int | None, size: int, source: RandomBytes) -> NDArray[np.int64]:
    """Independent draws: of discrete Gaussian noise X, or of X − θ given X ≥ θ."""
    law = hat(sigma, threshold or 0)
    drawn = np.empty(size, np.int64)
    filled = 0
    while filled < size:
        proposed = draw(law.proposal, min(BATCH, (size - filled) * 3 // 2 + 8), source, signed=threshold is None)
        kept = proposed[_kept(law, np.abs(proposed), source)][: size - filled]
        drawn[filled : filled + len(kept)] = kept
        filled += len(kept)
    return drawn


def _kept(law: Hat, k: NDArray[np.int64], source: RandomBytes) -> NDArray[np.bool_]:
    """Which proposals are kept."""
    words = np.frombuffer(source(BITS // 8 * len(k)), np.uint32)
    # Where the truth is p and the float is within 2⁻³² of it, the true boundary p · 2³² is less than one word away.
    boundary = _exp(law.exponents(k)) * 2.0**BITS
    kept = words + 2.0 <= boundary
    for i in np.flatnonzero(~kept & (words < boundary + 1)).tolist():
        kept[i] = settled(partial(law.chance, int(k[i])), int(words[i]), BITS, source)
    return kept


def _exp(exponents: NDArray[np.float64]) -> NDArray[np.float64]:
    """e^(−E), or e⁻⁶⁴ where E is larger, from additions and multiplications alone, so that its error follows from IEEE 754.

    The table is rounded once, r = E − n/64 is exact, and the five terms of e^(−r) leave out less than r⁵/120 < 2⁻³⁶.
    """
    exponents = np.clip(exponents, 0, FARTHEST)
    n = (exponents * _PARTS).astype(np.int64)
    r = exponents - n * (1 / _PARTS)
    return np.asarray(_table()[n] * (1 - r * (1 - r * (1 / 2 - r * (1 / 6 - r * (1 / 24))))))


@lru_cache(maxsize=1)
def _table() -> NDArray[np.float64]:
    """e^(−n/64) for n = 0 … 64·64."""
    with localcontext(Context(prec=40)):
        return np.array([float((Decimal(-n) / _PARTS).exp()) for n in range(FARTHEST * _PARTS + 1)])
