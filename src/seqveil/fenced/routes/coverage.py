"""The degree of coverage: what share of their own preferences everybody gets, and what the group makes of it.

[Bonomi thesis, §6.6] proposes utility functions of it. With the curve p, the utility of a trip is Σ w·A·d^p over the users, w a
user's weight, A the sum of their preferences and d their degree of coverage. p = 1 is the profit (6.3).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqveil.fenced.routes.query import Query
from seqveil.fenced.routes.wanted import Wanted

_ROUNDING = 1e-9


def degrees(query: Query, levels: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.float64]:
    """degrees[i, s]: the share of user i's preferences that row s of levels for some columns meets; 1 for who wants nothing."""
    hoped = query.preferences.sum(axis=1)
    met = query.preferences[:, columns] @ (levels / query.levels).T
    return np.asarray(np.where(hoped[:, None] > 0, met / np.maximum(hoped, 1e-300)[:, None], 1.0))


def utility(query: Query, levels: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.float64]:
    """What each row of levels is worth to the group; −∞ where somebody gets less than the least that was asked for."""
    terms = query.terms
    share = degrees(query, levels, columns)
    weights = np.array([user.weight for user in query.users])
    worth = (weights * query.preferences.sum(axis=1)) @ np.clip(share, 0, 1) ** terms.curve
    poor = (share < terms.coverage - _ROUNDING) & (weights > 0)[:, None]
    return np.where(poor.any(axis=0), -np.inf, worth)


def value_of(query: Query, want: Wanted, columns: NDArray[np.int64]) -> NDArray[np.float64]:
    """The worth of every state; the profit where neither a curve nor a least coverage was asked for."""
    plain = query.terms.curve == 1 and query.terms.coverage == 0
    return want.profit if plain else utility(query, want.digits, columns)
