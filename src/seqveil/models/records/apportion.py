"""Whole numbers in place of fractions, with the same totals: errors are passed on, not drawn anew."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


def apportioned(values: NDArray[np.float64], total: int) -> NDArray[np.int64]:
    """Whole numbers in proportion to the values, with this total (largest remainders).

    >>> apportioned(np.array([1.0, 1.0, 2.0]), 6).tolist()
    [2, 1, 3]
    """
    flat = np.maximum(values.ravel(), 0.0)
    if total <= 0:
        return np.zeros(values.shape, np.int64)
    weight = float(flat.sum())
    exact = flat * (total / weight) if weight > 1e-200 else np.full(flat.shape, total / max(len(flat), 1))
    whole = np.floor(exact).astype(np.int64)
    missing = total - int(whole.sum())
    if missing > 0:
        whole[np.argsort(whole - exact, kind="stable")[:missing]] += 1
    elif missing < 0:  # sums in floats: at most a few
        for at in np.argsort(-whole, kind="stable")[:-missing]:
            whole[at] -= 1
    return whole.reshape(values.shape)


@njit(cache=True)
def diffused(values):  # type: ignore[no-untyped-def]
    """A matrix rounded cell by cell, what a cell rounds off being passed on within its row and its column."""
    rows, columns = values.shape
    out = np.zeros((rows, columns), np.int64)
    down = np.zeros(columns)
    for i in range(rows):
        along = 0.0
        for j in range(columns):
            wanted = values[i, j]
            if wanted <= 0.0:
                continue
            with_errors = wanted + 0.5 * along + 0.5 * down[j]
            whole = max(np.floor(with_errors + 0.5), 0.0)
            error = wanted - whole
            along += error
            down[j] += error
            out[i, j] = int(whole)
    _complete(values, out, down)
    return out


@njit(cache=True)
def _complete(values, out, down):  # type: ignore[no-untyped-def]
    """Bring the total of `out` to that of the values: one at a time, in rows and columns that are farthest `down`."""
    rows, columns = values.shape
    aside = np.zeros(rows)
    exact, whole = 0.0, 0
    for i in range(rows):
        for j in range(columns):
            if values[i, j] > 0.0:
                exact += values[i, j]
                aside[i] += values[i, j] - out[i, j]
                whole += out[i, j]
    missing = int(np.floor(exact + 0.5)) - whole
    step = 1 if missing > 0 else -1
    for _ in range(abs(missing)):
        row, column = -1, -1
        for i in range(rows):
            if row >= 0 and step * aside[i] <= step * aside[row]:
                continue
            for j in range(columns):
                if values[i, j] > 0.0 and (step > 0 or out[i, j] > 0):
                    row = i
                    break
        for j in range(columns):
            if values[row, j] > 0.0 and (step > 0 or out[row, j] > 0) and (column < 0 or step * down[j] > step * down[column]):
                column = j
        out[row, column] += step
        aside[row] -= step
        down[column] -= step
