"""Predict a noisy table from other tables about the same labels: the mixture of them that explains it best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

Counts = NDArray[np.float64]

MISFIT = 0.5
"""Counts are explained within this share of them, besides their noise."""

EVENLY = 0.02
"""Share of the total that is always predicted to lie on all labels evenly: no label is impossible."""

ROUNDS = 3


def explained(answer: NDArray[np.int64], scale: float, total: float, tables: Sequence[Counts]) -> Counts:
    """Counts with this total: non-negative weights of the tables and of an even spread, by least squares.

    A table that had a part in making another must not be explained by it: it would be explained by its own noise.

    >>> explained(np.array([10, 30, 0]), 0.1, 40.0, [np.array([1.0, 3.0, 0.0]), np.array([0.0, 0.0, 9.0])]).round().tolist()
    [10.0, 30.0, 0.0]
    """
    labels = len(answer)
    columns = [table / table.sum() for table in [*tables, np.ones(labels)] if table.sum() > 0]
    shapes = np.stack(columns, axis=1)
    predicted = shapes.mean(axis=1)
    for _ in range(ROUNDS):
        precision = 1 / (2 * (scale / total) ** 2 + (MISFIT * predicted) ** 2)
        gram = shapes.T @ (shapes * precision[:, None])
        seen = shapes.T @ (answer * precision / total)
        size = float(np.trace(gram))  # the weights must sum to 1: one more equation, of great weight
        root = np.linalg.cholesky(gram + 1e3 * size + 1e-9 * size * np.eye(len(gram)))
        weights, _ = nnls(root.T, np.linalg.solve(root, seen + 1e3 * size))
        if not weights.sum() > 0:
            weights = np.ones(len(weights))
        predicted = shapes @ (weights / weights.sum())
    return np.asarray(total * ((1 - EVENLY) * predicted + EVENLY / labels))
