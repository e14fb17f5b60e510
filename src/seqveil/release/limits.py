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

MOST_LENGTH = 1_000_000
"""Items to which records are cut, symbols of a gram, levels of a tree."""

MOST_PAIRS = 10_000_000_000
"""Rows of the regions of a density map, added up: what answering a cut walks through."""

LEAST_SCALE, MOST_SCALE = 1e-9, 1e15
"""Scales of noise that the wall draws."""

MOST_COUNT = 1 << 60
"""A noisy count: with the largest scale, noise stays below it with probability 1 - exp(-1000)."""

LEAST_THRESHOLD = -(1 << 62)
"""The threshold of an answer that is kept whatever it is."""


def noise_problems(
    noisy: NDArray[np.int64], scale: NDArray[np.float64], threshold: NDArray[np.int64]
) -> list[tuple[str, bool]]:
    """What keeps columns from being noisy answers of a wall; a scale of 0 is an exact answer, as experiments have them.

    >>> odd = noise_problems(np.array([5]), np.array([1e300]), np.array([0]))
    >>> [problem for problem, found in odd if found]
    ['a scale lies outside 1e-09..1e+15']
    """
    sensible = (scale == 0) | ((scale >= LEAST_SCALE) & (scale <= MOST_SCALE))
    return [
        (f"a scale lies outside {LEAST_SCALE:g}..{MOST_SCALE:g}", not sensible.all()),
        ("a noisy count is beyond 2^60", not _within(noisy, -MOST_COUNT, MOST_COUNT)),
        ("a threshold lies outside -2^62..2^62", not _within(threshold, LEAST_THRESHOLD, 1 << 62)),
    ]


def _within(values: NDArray[Any], low: int, high: int) -> bool:
    return bool(not len(values) or (values.min() >= low and values.max() <= high))


def refuse_beyond(what: str, found: int, most: int) -> None:
    """Raise where a file holds more than a release can."""
    if found > most:
        raise ReleaseDamaged(
            f"{what}: {found:,}, but a release has at most {most:,}. "
            "The file is damaged or forged: ask the publisher for the release again."
        )
