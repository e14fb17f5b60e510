"""What a release can hold. A stranger's file is measured against it before room is made for what it claims to hold.

The largest release that the methods make is a prefix tree of 4 million nodes, 12 labels deep: 72 million cells. Twenty bytes
of forged Parquet can claim a billion.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import ReleaseDamaged

MOST_CELLS = 100_000_000
"""Values of one table: rows times columns, labels in lists counted one by one."""

MOST_FILE = 1 << 31
"""Bytes of one file on disk."""

MOST_UNPACKED = 1 << 30
"""Bytes of one file, unpacked."""

MOST_ITEMS = 100_000_000
"""Synthetic records, and labels of all synthetic records."""

MOST_LENGTH = 1 << 53
"""Items to which records are cut, symbols of a gram, levels of a tree."""

MOST_PAIRS = 10_000_000_000
"""Rows of the regions of a density map, added up: what answering a cut walks through."""

LEAST_SCALE, MOST_SCALE = 1e-9, 1e15
"""Scales of noise that the wall draws."""

MOST_COUNT = 1 << 60
"""A noisy count: with the largest scale, noise stays below it with probability 1 - exp(-1000)."""

LEAST_THRESHOLD = -(1 << 62)
"""The threshold of an answer that is kept whatever it is."""


def refuse_odd_noise(
    noisy: NDArray[np.int64],
    scale: NDArray[np.float64],
    threshold: NDArray[np.int64] | None = None,
    count: NDArray[np.float64] | None = None,
) -> None:
    """Refuse columns of a file that are no noisy answers of a wall; a scale of 0 is an exact answer, as experiments have them.

    Only what is read from files is measured so: a mechanism has spent its ε by the time it has a table.

    >>> refuse_odd_noise(np.array([5]), np.array([1e300]))
    Traceback (most recent call last):
    seqveil.errors.ReleaseDamaged: A scale lies outside 1e-09..1e+15. Copy the release again.
    """
    sensible = (scale == 0) | ((scale >= LEAST_SCALE) & (scale <= MOST_SCALE))
    for problem, is_there in (
        (f"A scale lies outside {LEAST_SCALE:g}..{MOST_SCALE:g}", not sensible.all()),
        ("A noisy count is beyond 2^60", not _within(noisy, -MOST_COUNT, MOST_COUNT)),
        ("A threshold lies outside -2^62..2^62", threshold is not None and not _within(threshold, LEAST_THRESHOLD, 1 << 62)),
        ("A count is beyond 2^60", count is not None and not (np.abs(count) <= MOST_COUNT).all()),
    ):
        if is_there:
            raise ReleaseDamaged(f"{problem}. Copy the release again.")


def _within(values: NDArray[Any], low: int, high: int) -> bool:
    return bool(not len(values) or (values.min() >= low and values.max() <= high))


def refuse_beyond(what: str, number: int, most: int) -> None:
    """Raise where a file holds more than a release can.

    >>> refuse_beyond("number of labels in the synthetic records", 10**9, MOST_ITEMS)
    Traceback (most recent call last):
    seqveil.errors.ReleaseDamaged: The number of labels in the synthetic records is 1,000,000,000; a release has at most ...
    """
    if number > most:
        raise ReleaseDamaged(
            f"The {what} is {number:,}; a release has at most {most:,}. "
            "The file is damaged or forged: ask the publisher for the release again."
        )
