"""The upper triangle: cells (i, j) with i < j, one for every pair of vertices, and the regions it is divided into.

Public geometry: nothing here looks at an edge. A region is four numbers (top, bottom, left, right) and holds the cells
with top ≤ i < bottom, left ≤ j < right and i < j; since a pair has one cell, an edge lies in exactly one region of any
division. Cells of a region are numbered row by row.

>>> whole = root(4)
>>> whole.tolist(), int(cells(whole))
([0, 3, 1, 4], 6)
>>> row, column = cells_at(whole, np.arange(6))
>>> list(zip(row.tolist(), column.tolist()))
[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

AUTO_CUTS = 64
"""With step 0 a side of a region is cut at most this many times; then splitting costs the same at every size."""


@njit(cache=True)
def _before(r, c):  # type: ignore[no-untyped-def]
    """Cells with i < r and j < c."""
    m = min(r, c)
    return m * (c - 1) - m * (m - 1) // 2


@njit(cache=True)
def cells_between(top, bottom, left, right):  # type: ignore[no-untyped-def]
    """Cells of the region with these sides."""
    return _before(bottom, right) - _before(bottom, left) - _before(top, right) + _before(top, left)


@njit(cache=True)
def _every_cells(regions):  # type: ignore[no-untyped-def]
    out = np.empty(len(regions), np.int64)
    for k in range(len(regions)):
        out[k] = cells_between(regions[k, 0], regions[k, 1], regions[k, 2], regions[k, 3])
    return out


def root(vertices: int) -> NDArray[np.int64]:
    """All pairs of `vertices` vertices."""
    return tight(np.array([0, vertices, 0, vertices], np.int64))


def cells(regions: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many cells each region holds."""
    return np.asarray(_every_cells(regions.reshape(-1, 4)).reshape(regions.shape[:-1]))


def tight(regions: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same cells without rows and columns that hold none; regions without cells become all zeros."""
    top, bottom, left, right = np.moveaxis(regions, -1, 0)
    # Row i has a cell if right - 1 > i, column j if j > top.
    close = np.stack([top, np.minimum(bottom, right - 1), np.maximum(left, top + 1), right], axis=-1)
    return np.asarray(np.where((cells(regions) > 0)[..., None], close, 0))


def quadrants(regions: NDArray[np.int64], split: NDArray[np.int64]) -> NDArray[np.int64]:
    """The four parts of each region around its splitting point (row, column), in the order of their ranks.

    Rank 2·(i ≥ row) + (j ≥ column). Parts without cells are all zeros.

    >>> quadrants(root(4)[None], np.array([[2, 2]]))[0].tolist()
    [[0, 1, 1, 2], [0, 2, 2, 4], [0, 0, 0, 0], [2, 3, 3, 4]]
    """
    top, bottom, left, right = regions.T
    row, column = split.T
    parts = [(top, row, left, column), (top, row, column, right), (row, bottom, left, column), (row, bottom, column, right)]
    return tight(np.stack([np.stack(part, axis=-1) for part in parts], axis=1))


@njit(cache=True)
def steps_of(region, step):  # type: ignore[no-untyped-def]
    """How far apart the cuts of a region lie, by row and by column; step 0 stands for at most 64 cuts a side."""
    if step > 0:
        return step, step
    rows, columns = region[1] - region[0], region[3] - region[2]
    return max(1, -(-rows // AUTO_CUTS)), max(1, -(-columns // AUTO_CUTS))


@njit(cache=True)
def is_legal(region, row, column, least):  # type: ignore[no-untyped-def]
    """Whether every part of a split holds either no cell or at least `least`."""
    top, bottom, left, right = region[0], region[1], region[2], region[3]
    a = cells_between(top, row, left, column)
    b = cells_between(top, row, column, right)
    c = cells_between(row, bottom, left, column)
    d = cells_between(row, bottom, column, right)
    return (a == 0 or a >= least) and (b == 0 or b >= least) and (c == 0 or c >= least) and (d == 0 or d >= least)


@njit(cache=True)
def _count_splits(region, least, step):  # type: ignore[no-untyped-def]
    by_row, by_column = steps_of(region, step)
    count = 0
    for row in range(region[0] + by_row, region[1], by_row):
        for column in range(region[2] + by_column, region[3], by_column):
            count += is_legal(region, row, column, least)
    return count


@njit(cache=True)
def _nth_split(region, least, step, nth):  # type: ignore[no-untyped-def]
    by_row, by_column = steps_of(region, step)
    at = -1
    for row in range(region[0] + by_row, region[1], by_row):
        for column in range(region[2] + by_column, region[3], by_column):
            at += is_legal(region, row, column, least)
            if at == nth:
                return row, column
    return -1, -1


def count_splits(regions: NDArray[np.int64], least: int, step: int = 0) -> NDArray[np.int64]:
    """How many legal splits each region has: splitting points whose parts all hold `least` cells or none.

    >>> count_splits(root(8)[None], least=6).tolist(), count_splits(root(8)[None], least=9).tolist()
    ([3], [0])
    """
    return np.array([_count_splits(region, least, step) for region in regions], np.int64)


def nth_splits(regions: NDArray[np.int64], least: int, nth: NDArray[np.int64], step: int = 0) -> NDArray[np.int64]:
    """The legal split of each region with this number, as (row, column)."""
    splits = [_nth_split(region, least, step, n) for region, n in zip(regions, nth.tolist(), strict=True)]
    return np.array(splits, np.int64).reshape(-1, 2)


@njit(cache=True)
def _row_of(top, bottom, left, right, number):  # type: ignore[no-untyped-def]
    """The row of a cell: the last one before which at most `number` cells lie."""
    low, high = top, bottom - 1
    while low < high:
        middle = (low + high + 1) // 2
        if cells_between(top, middle, left, right) <= number:
            low = middle
        else:
            high = middle - 1
    return low


@njit(cache=True)
def _cells_at(top, bottom, left, right, numbers):  # type: ignore[no-untyped-def]
    row, column = np.empty(len(numbers), np.int64), np.empty(len(numbers), np.int64)
    for k in range(len(numbers)):
        i = _row_of(top, bottom, left, right, numbers[k])
        row[k] = i
        column[k] = max(left, i + 1) + numbers[k] - cells_between(top, i, left, right)
    return row, column


@njit(cache=True)
def numbers_at(top, bottom, left, right, row, column):  # type: ignore[no-untyped-def]
    """The numbers of cells within a region."""
    out = np.empty(len(row), np.int64)
    for k in range(len(row)):
        i = np.int64(row[k])
        out[k] = cells_between(top, i, left, right) + column[k] - max(left, i + 1)
    return out


def cells_at(region: NDArray[np.int64], numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows and columns of the cells of a region with these numbers."""
    top, bottom, left, right = region.tolist()
    row, column = _cells_at(top, bottom, left, right, np.asarray(numbers, np.int64))
    return row, column
