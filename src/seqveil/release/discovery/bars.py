"""Error bars of weights with Gaussian noise that are seen only because they passed a threshold.

The upper end t leaves answers of at most y a probability of 2.5 %; that an answer was seen makes small ones rarer still.
The lower end t leaves answers of at least y a probability of 2.5 % *given* that they passed. Just above the threshold nothing
rules out 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

TAIL = 0.025
"""What each end may miss."""

_QUANTILE = 1.959964
"""Of the normal law, rounded up."""


def bars(noisy: NDArray[np.int64], sigma: float, threshold: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The least and the largest weight that each answer does not rule out.

    >>> low, high = bars(np.array([250, 900]), 50.0, 250)
    >>> low.round().tolist(), high.round().tolist()
    ([0.0, 802.0], [348.0, 998.0])
    >>> [end.tolist() for end in bars(np.array([7]), 0.0, 1)]
    [[7.0], [7.0]]
    """
    from scipy.special import log_ndtr

    y = noisy.astype(np.float64)
    if sigma <= 0:
        return y, y

    def ruled_out(t: NDArray[np.float64]) -> NDArray[np.bool_]:
        given_passed = log_ndtr((t - y) / sigma) - log_ndtr((t - threshold) / sigma)
        return np.asarray(given_passed < np.log(TAIL))

    low, inside = np.zeros(len(y)), y.copy()
    low = np.where(ruled_out(low), low, -1.0)  # -1: nothing is ruled out, not even 0
    for _ in range(60):
        middle = (np.maximum(low, 0) + inside) / 2
        out = ruled_out(middle) & (low >= 0)
        low, inside = np.where(out, middle, low), np.where(out | (low < 0), inside, middle)
    return np.maximum(low, 0.0), y + _QUANTILE * sigma
