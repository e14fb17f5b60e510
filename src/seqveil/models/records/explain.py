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

ROUNDS, MOST_ROUNDS = 3, 1000


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
        weights = _weights(gram + 1e3 * size + 1e-9 * size * np.eye(len(gram)), seen + 1e3 * size)
        predicted = shapes @ (weights / weights.sum())
    return np.asarray(total * ((1 - EVENLY) * predicted + EVENLY / labels))


def _weights(gram: Counts, seen: Counts) -> Counts:
    """Non-negative weights by least squares. Where no solution is found all are alike: ε is spent, and the run goes on."""
    try:
        root = np.linalg.cholesky(gram)
        weights, _ = nnls(root.T, np.linalg.solve(root, seen), maxiter=MOST_ROUNDS)
    except (RuntimeError, ValueError, np.linalg.LinAlgError):
        weights = np.zeros(len(seen))
    return np.asarray(weights) if weights.sum() > 0 else np.ones(len(seen))
