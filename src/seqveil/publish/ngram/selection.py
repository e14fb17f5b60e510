"""What a count that was seen because it passed a threshold says about the true one. Post-processing.

An answer y of scale s is seen only if it reaches θ. Given that, its density for a true count t is e^(−a)/s with a = (y − θ)/s,
the same for every t ≤ θ (the tail has no memory), and e^(−|y − t|/s) / (2s − s·e^(−(t − θ)/s)) above. So an answer just above θ
says little: any count from 0 to θ explains it as well as any other. With all counts t ≥ 0 equally likely beforehand, the mean and
the variance of t follow from θ/s and three integrals over u = (t − θ)/s that depend on a alone. Far above θ they are y and 2s².
"""

from __future__ import annotations

from functools import cache

import numpy as np

from seqveil.trees.tree import Floats, Ints

FAR = 30.0
"""So many scales above the threshold, that the answer was selected no longer matters: by less than e⁻³⁰."""


@cache
def _moments() -> tuple[Floats, Floats]:
    """For a = 0..FAR: the integrals of 1, u and u² over u > 0 against e^(−|a − u|) / (2 − e^(−u))."""
    a = np.linspace(0.0, FAR, 601)
    u = np.linspace(0.0, 2 * FAR, 12_001)
    density = np.exp(-np.abs(a[:, None] - u)) / (2.0 - np.exp(-u))
    return a, np.stack([np.trapezoid(density * u**power, u) for power in range(3)])


def selected(noisy: Ints, scale: Floats, threshold: Ints) -> tuple[Floats, Floats]:
    """The mean and the variance of the true counts behind answers that reached their thresholds.

    >>> far, near = selected(np.array([900, 50]), np.array([20.0, 20.0]), np.array([50, 50]))[0].round().tolist()
    >>> far, near
    (900.0, 34.0)
    """
    s = np.maximum(scale, 1e-9)
    floor = np.maximum(threshold, 0)
    a = np.maximum((noisy - floor) / s, 0.0)
    below = floor / s
    grid, table = _moments()
    none = np.exp(-a)
    mass, first, second = (np.interp(a, grid, moment) for moment in table)
    total = mass + none * below
    mean = (below * mass + first + none * below**2 / 2) / total
    square = (below**2 * mass + 2 * below * first + second + none * below**3 / 3) / total
    far = (a >= FAR) | (threshold <= 0)
    return np.where(far, np.maximum(noisy, 0), mean * s), np.where(far, 2.0, np.maximum(square - mean**2, 0.0)) * s**2
