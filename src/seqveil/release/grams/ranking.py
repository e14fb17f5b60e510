"""The rows with the largest answers, in the order of the numbers that people are shown.

What is shown is a consistent count, moved into the interval of its own noisy answer: no column of a table has that order.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def largest(n: int, rows: Ints, count: Floats, answer: Floats, shown: Callable[[Ints], Floats]) -> list[int]:
    """The n rows whose shown values are the largest, best first, the earlier row first where they are equal.

    `count` and `answer` belong to the rows. An interval contains its answer (as far as that is above 0), so what is shown lies
    between the two: intervals are only computed for rows that can be among the n largest.

    >>> count, answer = np.array([9.0, 8.0, 1.0]), np.array([3.0, 8.0, 1.0])
    >>> largest(2, np.array([5, 6, 7]), count, answer, lambda at: np.where(at == 5, 4.0, 8.0))
    [6, 5]
    """
    if n <= 0 or not len(rows):
        return []
    answer = np.maximum(answer, 0.0)
    least, most = np.minimum(count, answer), np.maximum(count, answer)
    if n < len(rows):
        rows = rows[most >= np.partition(least, -n)[-n]]
    best: list[int] = rows[np.argsort(-shown(rows), kind="stable")][:n].tolist()
    return best
