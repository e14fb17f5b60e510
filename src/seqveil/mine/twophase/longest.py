"""From longest matches to occurrences. Post-processing.

A pattern occurs where it is the longest match, and where the longest match is a candidate that ends with it. So its occurrences
are a sum of answers, one for each candidate that ends with it, itself included: `mine/sums.py` has the rest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from seqveil.mine.sums import largest_sums
from seqveil.release.patterns import PatternTable


def endings(patterns: Sequence[tuple[int, ...]]) -> NDArray[np.bool_]:
    """Entry (p, q): whether pattern q ends with pattern p; every pattern ends with itself.

    >>> endings([(0, 0), (1, 0), (1, 0, 0)]).astype(int).tolist()
    [[1, 0, 1], [0, 1, 0], [0, 0, 1]]
    """
    number = {pattern: p for p, pattern in enumerate(patterns)}
    ends = np.zeros((len(patterns), len(patterns)), np.bool_)
    for q, pattern in enumerate(patterns):
        for start in range(len(pattern)):
            if pattern[start:] in number:
                ends[number[pattern[start:]], q] = True
    return ends


def most_frequent(patterns: Sequence[tuple[int, ...]], longest: NDArray[np.int64], scale: float, k: int) -> PatternTable:
    """The k patterns that occur most often, from noisy numbers of longest matches, each with noise of the given scale.

    >>> table = most_frequent([(0, 0), (1, 0), (1, 0, 0)], np.array([40, 70, 35]), scale=2.0, k=2)
    >>> [table.pattern(k) for k in range(2)], table.noisy.tolist()
    ([(0, 0), (1, 0)], [75, 70])
    """
    return largest_sums(patterns, endings(patterns), longest, scale, k)
