"""Budget allocation of the model-based prefix tree [Bonomi thesis, Alg. 4], corrected.

As printed, siblings get budgets of their own; but which siblings exist is not public, so one ε is given to a family, from the
largest estimate among its children. The levels left are counted from 1, λ is at least 1 and the factor λ/c̃ lies within (0, 1]:
docs/soundness.md, 'Model-based prefix trees'.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LEAST_FACTOR = 1 / 16
"""A family never gets less than this share of what an even division would give it."""


def average_count(size: float, prefixes: int, alpha: float) -> float:
    """λ = α·|D̃|/|P_l|, at least 1; |D̃| is the sum of the noisy counts of the first level."""
    return max(alpha * size / max(prefixes, 1), 1.0)


def budget(remaining: NDArray[np.int64], levels_left: int, estimate: NDArray[np.float64], threshold: float) -> NDArray[np.int64]:
    """ε of every family: an even share of what its path has left, times λ/c̃ where the largest child estimate c̃ exceeds λ.

    The factor is rounded down to powers of 2^¼, so that few distinct scales exist; an even share stays whole.

    >>> budget(np.array([800, 800, 800]), 4, np.array([0.0, 20.0, 1e9]), threshold=10.0).tolist()
    [200, 100, 12]
    """
    factor = np.clip(threshold / np.maximum(estimate, threshold), LEAST_FACTOR, 1.0)
    rounded = 2.0 ** (np.floor(4 * np.log2(factor) + 1e-9) / 4)
    even = remaining // levels_left
    return np.minimum(np.floor(even * rounded).astype(np.int64), even)  # a float next to 2^53 grains and more may lie above
