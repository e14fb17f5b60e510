"""Samplers that do not draw what they claim.

One is biased by its arithmetic: OpenDP 0.9 to 0.14.1 (opendp issue 2638), planted in ours.

Those versions drew the geometric law of [Canonne 2020] with a library whose division of a fraction a/b by a whole number k is
wrong where g = gcd(a, k) is above 1: it computes (a/g) / (⌊b/g⌋·k), which is too large. So Bernoulli(exp(−u/q)) is accepted too
often for some u, and some values of the noise are too likely. The larger the denominator, the smaller the error: it shows at
small whole scales, and hardly at all at 7.3, whose denominator as a float is huge.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from seqveil.audit.planted.planting import Planted, replaced
from seqveil.wall.budget import GRAINS
from seqveil.wall.noise import Law, Scale, Sigma
from seqveil.wall.noise.secure import SecureNoise

_laplace = SecureNoise.laplace

WIDEST = 1000
"""Denominators above this leave no error that any test could see: the true sampler draws there."""


def wrongly_divided(x: Fraction, k: int) -> Fraction:
    """x/k as those versions computed it.

    >>> wrongly_divided(Fraction(2, 3), 2), wrongly_divided(Fraction(1, 3), 2)
    (Fraction(1, 2), Fraction(1, 6))
    """
    g = math.gcd(x.numerator, k)
    return Fraction(x.numerator // g, x.denominator // g * k)


def accepted(x: Fraction) -> float:
    """How likely their Bernoulli(exp(−x)) was to be true, x ≤ 1: the first k at which Bernoulli(x/k) fails is odd.

    >>> round(accepted(Fraction(2, 3)), 3), round(math.exp(-2 / 3), 3)
    (0.609, 0.513)
    """
    reached, odd = 1.0, 0.0
    for k in range(1, 40):
        if not reached:
            break
        goes_on = float(wrongly_divided(x, k))
        odd += reached * (1 - goes_on) * (k % 2)
        reached *= goes_on
    return odd


@cache
def _remainders(q: int) -> NDArray[np.float64]:
    """The law of u, uniform below q and kept with probability exp(−u/q), as those versions kept it."""
    weight = np.array([accepted(Fraction(u, q)) for u in range(q)])
    return np.asarray(weight / weight.sum())


def biased_laplace(noise: SecureNoise, scale: Scale, size: int) -> NDArray[np.int64]:
    """Discrete Laplace noise as those versions drew it: a sign, and (v·q + u) // p for 1/scale = p/q, v geometric."""
    p, q = scale.exact.denominator, scale.exact.numerator
    if q > WIDEST or size == 0:
        return _laplace(noise, scale, size)
    random = np.random.default_rng()
    kept = [np.empty(0, np.int64)]
    while sum(map(len, kept)) < size:
        u = random.choice(q, size, p=_remainders(q))
        v = random.geometric(-math.expm1(-1), size) - 1
        magnitude, positive = (v * q + u) // p, random.integers(0, 2, size) == 1
        drawn = np.where(positive, magnitude, -magnitude)
        kept.append(drawn[positive | (magnitude > 0)])  # zero has one sign only
    return np.concatenate(kept)[:size].astype(np.int64)


_gaussian, _beyond, _sigma_of = SecureNoise.gaussian, SecureNoise.beyond, Sigma.of


def rounded_down(square: int, grains: int) -> Sigma:
    """The float next below where the exact ratio lies between two."""
    exact = Fraction(square * GRAINS, 2 * grains)
    return Sigma(math.nextafter(_sigma_of(square, grains).square, 0)) if float(exact) != exact else _sigma_of(square, grains)


def variance_as_width(noise: SecureNoise, sigma: Sigma, size: int) -> NDArray[np.int64]:
    """σ² goes where σ belongs: too much noise above 1, too little below."""
    return _gaussian(noise, Sigma(sigma.square**2), size)


def memoryless(noise: SecureNoise, law: Law, threshold: int, size: int) -> NDArray[np.int64]:
    """The excess over a high threshold as if the law went on with the slope that it has there."""
    if isinstance(law, Sigma) and threshold > 3 * law.value:
        law = Scale(law.square / threshold)
    return _beyond(noise, law, threshold, size)


SAMPLERS = [
    Planted(
        "opendp 2638",
        "OpenDP 0.9 to 0.14.1",
        "a division that is wrong where a fraction can be reduced biases discrete Laplace noise",
        "noise",
        "discrete Laplace of scale 3 does not follow its law",
        replaced(SecureNoise, "laplace", biased_laplace),
    ),
    Planted(
        "sigma rounded down",
        "docs/mechanisms/noise.md, 'The scale'",
        "the σ² of discrete Gaussian noise is the next float below what the budget pays for",
        "noise",
        "is rounded down",
        replaced(Sigma, "of", rounded_down),
    ),
    Planted(
        "variance for width",
        "a common mistake: libraries differ in which of the two they take",
        "discrete Gaussian noise is drawn with σ² in place of σ",
        "noise",
        "discrete Gaussian of σ = 0.6 does not follow its law",
        replaced(SecureNoise, "gaussian", variance_as_width),
    ),
    Planted(
        "tail without memory",
        "docs/mechanisms/noise.md, 'Beyond a threshold'",
        "what lies beyond a threshold of Gaussian noise is drawn from a geometric law",
        "noise",
        "beyond 12 does not follow its law",
        replaced(SecureNoise, "beyond", memoryless),
    ),
]
