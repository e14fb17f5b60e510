"""Adaptive privacy budget allocation and the threshold θ [Chen 2012, §4.3.2, §4.3.3].

Repaired as in docs/soundness.md, 'Heights below 1' and docs/soundness.md, 'Undefined heights and thresholds'.

All inputs are public or already noisy, so nothing here costs privacy; that no path overspends is the tree's business.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from seqveil.trees.suffixes import markov_contexts
from seqveil.trees.tree import LevelTree
from seqveil.wall import GRAINS

DEEP = 64
"""Levels along which a chain is followed: the ε of a node that grows deeper is small whatever its height is."""


@dataclass(frozen=True, slots=True)
class InL2:
    """What one unit moves the counts of a tree by, squared: where noise is Gaussian, and paid for in ρ."""

    square: int


Influence = int | InL2
"""What one unit moves them by: in L1 where noise is discrete Laplace noise."""


def threshold(influence: Influence, labels: int, epsilon: NDArray[np.int64]) -> NDArray[np.float64]:
    """θ = influence·ln(|I|/2)/ε′, which lets about one empty child of a family pass; ε′ in grains.

    With |I| ≤ 4 the logarithm is replaced by its public floor ln 2: for |I| ≤ 2 it would not be positive. In zCDP θ is what
    Gaussian noise passes as often, once in |I|.

    >>> threshold(20, 17, np.array([2 * 10**11])).round(2).tolist()
    [214.01]
    >>> threshold(20, 2, np.array([10**12])).round(2).tolist()
    [13.86]
    >>> threshold(InL2(40), 17, np.array([2 * 10**10])).round(2).tolist()
    [49.48]
    """
    if isinstance(influence, InL2):
        return np.asarray(np.sqrt(influence.square * GRAINS / (2 * epsilon)) * -ndtri(1 / max(labels, 4)))
    return np.asarray(influence * max(log(labels / 2), log(2)) * GRAINS / epsilon)


def p_max(tree: LevelTree, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
    """The probability of the mode among a node's children, predicted by the Markov chain from families that have passed."""
    return _modes(tree)[0][markov_contexts(tree, nodes)]


def _modes(tree: LevelTree) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """For every node the share of its largest child, and that child; 0 and the root where a family says nothing."""
    # All families in one pass: contexts lie scattered over the tree, and many nodes share one.
    clipped = np.maximum(tree.noisy[1:], 0).astype(np.float64)
    total = np.bincount(tree.parent[1:], clipped, len(tree))
    order = np.lexsort((clipped, tree.parent[1:]))
    largest = order[np.flatnonzero(np.diff(tree.parent[1:][order], append=-1))]
    share, child = np.zeros(len(tree)), np.zeros(len(tree), np.int64)
    at = tree.parent[1:][largest]
    share[at] = np.divide(clipped[largest], total[at], out=np.zeros(len(at)), where=total[at] > 0)
    child[at] = np.where(share[at] > 0, largest + 1, 0)
    return share, child


def expected_height(p: NDArray[np.float64], ratio: NDArray[np.float64], most: int) -> NDArray[np.int64]:
    """h_v = ⌈log_Pmax(θ/c(v))⌉ within 1..most; `ratio` is θ/c(v). Pmax outside (0, 1) says nothing: h_v = most.

    >>> expected_height(np.array([10 / 23] * 3), np.array([3 / 4, 3 / 10, 3 / 9]), most=4).tolist()
    [1, 2, 2]
    >>> expected_height(np.array([1.0]), np.array([0.75]), most=3).tolist()
    [3]
    """
    sensible = (p > 0) & (p < 1)
    log_p = np.log(np.where(sensible, p, 0.5))
    raw = np.ceil(np.log(np.maximum(ratio, 1e-300)) / log_p)
    return np.where(sensible, np.clip(raw, 1, most), most).astype(np.int64)


def followed(tree: LevelTree, nodes: NDArray[np.int64], most: int) -> NDArray[np.float64]:
    """The share of a node's count that is left after 1, 2, … levels when the Markov chain's mode is followed at each of them.

    The more precise estimate of [Chen 2012, footnote 4]. Behind the end of a record nothing follows; where the chain knows
    nothing, nothing falls. Of many levels only the first `DEEP` are told apart.
    """
    share, child = _modes(tree)
    context = markov_contexts(tree, nodes)
    now = np.ones(len(nodes))
    out = np.ones((len(nodes), min(most, DEEP)))
    for level in range(out.shape[1]):
        # Invariant: `context` is the longest suffix with a family of the path that was followed so far.
        now = np.where(share[context] > 0, now * share[context], now)
        out[:, level] = now
        step = child[context]
        now = np.where((step > 0) & (tree.symbol[step] == tree.labels), 0.0, now)
        context = np.where(tree.last[step] > tree.first[step], step, markov_contexts(tree, step))
    return out


def height_of(shares: NDArray[np.float64], ratio: NDArray[np.float64], most: int) -> NDArray[np.int64]:
    """After how many levels no more than `ratio` is left: at least 1, and `most` where that does not happen.

    >>> height_of(np.array([[0.5, 0.5, 0.1]] * 3), np.array([0.6, 0.4, 0.05]), most=4).tolist()
    [1, 3, 4]
    """
    above = (shares > ratio[:, None]).sum(axis=1)
    return np.where(above < shares.shape[1], above + 1, most).astype(np.int64)


def allocate(
    remaining: NDArray[np.int64],
    count: NDArray[np.int64],
    height_at: Callable[[NDArray[np.float64]], NDArray[np.int64]],
    most: int,
    influence: Influence,
    labels: int,
    theta: float | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """ε_v and θ_v of every node to be expanded; `height_at` gives heights, at most `most`, for ratios θ/c(v).

    A larger h means less ε for the children, so a larger θ, so a smaller h: going down from h = most, the first h whose
    own θ still lets the path reach h levels is the fixed point. A given `theta` replaces the rule for θ.
    """
    clipped = np.maximum(count, 1).astype(np.float64)
    height = np.full(len(count), most, np.int64)
    for _ in range(most - 1):
        epsilon = np.maximum(remaining // height, 1)
        least = threshold(influence, labels, epsilon) if theta is None else np.full(len(count), theta)
        too_high = height_at(least / clipped) < height
        height = np.where(too_high, np.maximum(height - 1, 1), height)
    epsilon = remaining // height
    return epsilon, threshold(influence, labels, np.maximum(epsilon, 1)) if theta is None else np.full(len(count), theta)
