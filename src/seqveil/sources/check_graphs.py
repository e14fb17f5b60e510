"""What a reading of a graph leaves out, and whether the order of its vertices follows the edges. INTERNAL: exact counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.sources.check import quantiles
from seqveil.tables.graphs import GraphTable

SUSPICIOUS = 0.3
"""A rank correlation of order and degree from here on is worth a warning."""


def check_graph(table: GraphTable) -> dict[str, Any]:
    """Everything that `seqveil check --kind graph` reports, as one JSON object."""
    degrees = table.degrees
    follows = rank_correlation(degrees)
    return {
        "internal": True,
        "vertices": {"declared": len(table.domain), "without_edges": int(np.count_nonzero(degrees == 0))},
        "edges": len(table),
        "degrees": quantiles(degrees),
        "order": {
            "correlation_with_degree": follows,
            "follows_degrees": bool(abs(follows) >= SUSPICIOUS),
            "mean_distance_of_ends": mean_distance(table),
        },
    }


def rank_correlation(degrees: NDArray[np.int64]) -> float:
    """Spearman's rank correlation of position and degree; 0 where all degrees are equal.

    >>> rank_correlation(np.array([1, 2, 3, 9])), rank_correlation(np.array([2, 2]))
    (1.0, 0.0)
    """
    from scipy.stats import rankdata

    ranks = rankdata(degrees)
    if len(ranks) < 2 or ranks.min() == ranks.max():
        return 0.0
    return round(float(np.corrcoef(np.arange(len(ranks)), ranks)[0, 1]), 6)


def mean_distance(table: GraphTable) -> float:
    """How far apart the ends of an edge stand on average, as a share of what a random order gives (1: no relation)."""
    if not len(table):
        return 1.0
    return round(float((table.high - table.low).mean()) * 3 / (len(table.domain) + 1), 6)
