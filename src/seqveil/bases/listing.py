"""Counted itemsets as a table of patterns, best first, with their error bars.

Error bars. The count of an itemset from a basis of m labels is a sum of 2^(m − |X|) answers with independent noise; the law of
that sum is convolved, and the table holds the scale of noise with the same 95 % interval. Itemsets of one basis share bins, so
what an answer had to reach to be among the best is not a fixed number, and no threshold is stated: an interval covers the true
count of an itemset that was chosen without looking at the release. Clipped counts have independent noise, and a threshold each.
"""

from __future__ import annotations

from math import log

import numpy as np

from seqveil.bases.counting import Counted
from seqveil.bases.noise import Noise
from seqveil.release.answers.intervals import CONFIDENCE
from seqveil.release.answers.sums import spread
from seqveil.release.patterns import PatternTable, top_thresholds


def listed(counted: Counted, top: int, size: int) -> PatternTable:
    """The `top` itemsets of largest count; no count exceeds the noisy number of records."""
    if counted.bases:
        rows = np.argsort(-counted.count, kind="stable")[:top]
        scales = {n: scale_of_a_sum(counted.noise, n) for n in np.unique(counted.terms[rows]).tolist()}
        return PatternTable.of(
            [counted.patterns[row] for row in rows.tolist()],
            counted.noisy[rows],
            [scales[n] for n in counted.terms[rows].tolist()],
            count=counted.count[rows],
            gaussian=counted.noise.gaussian,
        )
    rows, thresholds = top_thresholds(counted.noisy, top)
    patterns = [counted.patterns[row] for row in rows.tolist()]
    noisy = counted.noisy[rows]
    count = np.clip(noisy, 0, max(size, 0))
    return PatternTable.of(patterns, noisy, counted.noise.width, thresholds, count=count, gaussian=counted.noise.gaussian)


def scale_of_a_sum(noise: Noise, terms: int) -> float:
    """The width of noise whose 95 % interval is as wide as that of a sum of `terms` answers.

    >>> scale_of_a_sum(Noise(3.0), 1), scale_of_a_sum(Noise(0.0), 8), scale_of_a_sum(Noise(3.0, gaussian=True), 4)
    (3.0, 0.0, 6.0)
    >>> round(scale_of_a_sum(Noise(3.0), 1024) / (3.0 * 1024**0.5), 2)    # about 1.96·√2 deviations instead of ln 20
    0.92
    """
    scale = noise.width
    if noise.gaussian:
        return noise.sum_of(terms).width
    if terms == 1 or scale <= 0:
        return scale
    return (spread((scale,) * terms, 1 - CONFIDENCE) + 1) / log(1 / (1 - CONFIDENCE))
