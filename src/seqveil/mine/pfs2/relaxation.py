"""Threshold relaxation [Xu 2015, §V-B]: how low a frequent pattern's answer in a sample may be.

A pattern of frequency f has about Normal(f·n, f(1−f)n) support in a sample of n records, and its answer has Laplace noise of
scale φ on top. The relaxed threshold θ' is the ζ-quantile of that sum for a pattern right at the user's threshold: at most
about a share ζ of the frequent patterns is lost. It steers what is asked next and carries no privacy argument; the size of the
sample is taken as (noisy size)/(number of parts).
"""

from __future__ import annotations

import math


def cdf(z: float, mean: float, deviation: float, scale: float) -> float:
    """P(X + Y ≤ z) for X ~ Normal(mean, deviation²) and Y ~ Laplace(0, scale).

    With d = (z − mean)/deviation ≤ 0 and r = deviation/scale the three terms of the distribution (Díaz-Francés, Montoya 2008)
    share the factor e^(−d²/2): Φ(d) = ½ e^(−d²/2) w(−d), and so on with w(x) = e^(x²/2)·erfc(x/√2), which neither overflows
    nor cancels. (The paper's erfc lacks its factor 2/√π.) The upper half follows by symmetry.

    >>> round(cdf(0.0, 0.0, 1.0, 1.0), 12), round(cdf(-3.0, 0.0, 1e-9, 1.0), 6), round(math.exp(-3) / 2, 6)
    (0.5, 0.024894, 0.024894)
    >>> 0 < cdf(-400.0, 0.0, 10.0, 1.0) < 1e-150      # deep in the tail the Laplace part remains, about e^(−350)/2
    True
    """
    if z > mean:
        return 1.0 - cdf(2.0 * mean - z, mean, deviation, scale)
    if deviation <= 0:
        return 0.5 * math.exp((z - mean) / scale)
    d, r = (z - mean) / deviation, deviation / scale
    normal = math.exp(-d * d / 2)
    left = normal * (0.5 * _tail(-d) - 0.25 * _tail(r - d))
    if d + r >= 0:
        return left + 0.25 * normal * _tail(d + r)
    return left + 0.25 * math.exp(r * (r / 2 + d)) * math.erfc((d + r) / math.sqrt(2))


def _tail(x: float) -> float:
    """e^(x²/2)·erfc(x/√2) for x ≥ 0, also where both factors leave the floats."""
    from scipy.special import erfcx

    return float(erfcx(x / math.sqrt(2)))


def relaxed(threshold: float, size: float, parts: int, scale: float, zeta: float) -> float:
    """θ' with F(θ') = ζ, for a pattern of support `threshold` among `size` records of which one part in `parts` is seen.

    >>> round(relaxed(15_000, 1_000_000, 8, scale=50.0, zeta=0.3), 1), round(relaxed(15_000, 1_000_000, 8, 50.0, 0.5), 1)
    (1837.4, 1875.0)
    """
    from scipy.optimize import brentq

    sample = max(size, 1.0) / parts
    frequency = min(max(threshold / max(size, 1.0), 0.0), 1.0)
    mean, deviation = frequency * sample, math.sqrt(frequency * (1.0 - frequency) * sample)
    # Normal and Laplace each stay within these distances but for far less than ζ or 1 − ζ.
    reach = (deviation + scale) * (10.0 - 2.0 * math.log(min(zeta, 1.0 - zeta)))
    return float(brentq(lambda z: cdf(z, mean, deviation, scale) - zeta, mean - reach, mean + reach, xtol=1e-9))
