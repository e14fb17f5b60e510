"""The rows with the largest answers, in the order of the numbers that people are shown.

What is shown is a consistent count, moved into the interval of its own noisy answer: no column of a table has that order.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError

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


def of_length(lengths: Ints, shortest: int, longest: int | None) -> Ints:
    """The rows whose patterns have a length in a range.

    >>> of_length(np.array([1, 2, 3, 2]), shortest=2, longest=2).tolist()
    [1, 3]
    """
    return np.flatnonzero((lengths >= shortest) & (lengths <= (longest if longest is not None else lengths.max(initial=0))))


def check_range(k: int, shortest: int, longest: int | None) -> None:
    """Refuse numbers that no list of patterns can have.

    >>> check_range(10, shortest=3, longest=2)
    Traceback (most recent call last):
    seqveil.errors.CallError: longest = 2 is below shortest = 3: give a number of at least 3, or leave it out.
    """
    for name, value, least in (("k", k, 0), ("shortest", shortest, 1)):
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise CallError(f"{name} = {value!r}: give a whole number of at least {least}, for example {name}={max(least, 10)}.")
    if longest is None:
        return
    if not isinstance(longest, int) or isinstance(longest, bool) or longest < 1:
        raise CallError(f"longest = {longest!r}: give a number of labels of at least 1, or leave it out.")
    if longest < shortest:
        raise CallError(
            f"longest = {longest} is below shortest = {shortest}: give a number of at least {shortest}, or leave it out."
        )
