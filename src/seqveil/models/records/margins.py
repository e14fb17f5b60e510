"""Bring tables to known margins: iterative proportional fitting, and corrections in proportion to variances."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.float64]

TINY, LEAST = 1e-12, 1e-100


def _factor(wanted: Table, now: Table) -> Table:
    return np.where(now > LEAST, wanted / np.maximum(now, LEAST), 0.0)


def proportional(table: Table, rows: Table, columns: Table, rounds: int = 30) -> Table:
    """IPF: the table of the same cross ratios with these sums of rows and columns. The columns' total is brought to the rows'.

    >>> proportional(np.array([[1.0, 1.0], [1.0, 1.0]]), np.array([3.0, 1.0]), np.array([2.0, 2.0])).tolist()
    [[1.5, 1.5], [0.5, 0.5]]
    """
    out = np.maximum(table, TINY)
    columns = columns * (rows.sum() / max(float(columns.sum()), TINY))
    for _ in range(rounds):
        out = out * _factor(columns, out.sum(axis=0))
        sums = out.sum(axis=1)
        out = out * _factor(rows, sums)[:, None]
        if np.abs(sums - rows).sum() <= 1e-6 * rows.sum():
            break
    return out


def closed_proportional(table: Table, rows: Table, columns: Table, diagonal: float, rounds: int = 50) -> Table:
    """IPF in three ways: sums of rows, sums of columns, and the sum of the diagonal, as near as rows and columns let it be.

    >>> t = closed_proportional(np.ones((2, 2)), np.array([2.0, 2.0]), np.array([2.0, 2.0]), diagonal=3.0)
    >>> t.round(3).tolist()
    [[1.5, 0.5], [0.5, 1.5]]
    """
    out = np.maximum(table, TINY)
    total = float(rows.sum())
    columns = columns * (total / max(float(columns.sum()), TINY))
    # No table has these rows and columns and a diagonal outside of this: fitting one would take whole rows away.
    least, most = max(float((rows + columns).max()) - total, 0.0), float(np.minimum(rows, columns).sum())
    diagonal = min(max(diagonal, least), max(most, least))
    where = np.arange(len(out))
    for _ in range(rounds):
        inside = float(out[where, where].sum())
        outside = float(out.sum()) - inside
        scaled = out * ((total - diagonal) / max(outside, TINY))
        scaled[where, where] = out[where, where] * (diagonal / max(inside, TINY))
        out = scaled * _factor(columns, scaled.sum(axis=0))
        out = out * _factor(rows, out.sum(axis=1))[:, None]
    return out


def corrected(table: Table, variance: Table, rows: Table, columns: Table, rounds: int = 30) -> Table:
    """The table nearest in the metric of its variances with these sums: what is uncertain moves, what is precise stays.

    >>> t = corrected(np.array([[9.0, 4.0]]), np.array([[0.0, 1.0]]), np.array([10.0]), np.array([9.0, 1.0]))
    >>> t.round(3).tolist()
    [[9.0, 1.0]]
    """
    out = np.maximum(table, 0.0)
    columns = columns * (rows.sum() / max(float(columns.sum()), TINY))
    for _ in range(rounds):
        loose = np.where(out > 0, variance, 0.1 * variance) + TINY
        out = np.maximum(out + loose * ((columns - out.sum(axis=0)) / loose.sum(axis=0)), 0.0)
        loose = np.where(out > 0, variance, 0.1 * variance) + TINY
        out = np.maximum(out + loose * ((rows - out.sum(axis=1)) / loose.sum(axis=1))[:, None], 0.0)
    return proportional(out, rows, columns, 5)


def on_simplex(values: Table, total: float) -> Table:
    """The nearest non-negative values with this sum.

    >>> on_simplex(np.array([5.0, 1.0, -3.0]), 4.0).tolist()
    [4.0, 0.0, 0.0]
    """
    if total <= 0 or not len(values):
        return np.zeros(len(values))
    fall = np.sort(values)[::-1]
    excess = (np.cumsum(fall) - total) / np.arange(1, len(values) + 1)
    keep = int(np.flatnonzero(fall >= excess)[-1])
    out: Table = np.maximum(values - excess[keep], 0.0)
    return out


def levelled(values: Table, variance: Table, total: float, rounds: int = 20) -> Table:
    """Non-negative values with this sum, each moved in proportion to its variance.

    >>> levelled(np.array([8.0, 1.0, 1.0]), np.array([0.0, 1.0, 1.0]), 12.0).round(6).tolist()
    [8.0, 2.0, 2.0]
    """
    if total <= 0:
        return np.zeros_like(values)
    out = np.maximum(values, 0.0)
    for _ in range(rounds):
        away = total - float(out.sum())
        loose = variance * ((out > 0) | (away > 0)) + TINY
        out = np.maximum(out + loose * (away / float(loose.sum())), 0.0)
    return out * (total / max(float(out.sum()), TINY))
