"""Communities by modularity: the Louvain method [Blondel 2008]. For the evaluation of graphs.

Vertices move, one after the other in a seeded order, to the community of a neighbour that raises modularity most, until none
does; then communities become vertices, and so on, until nothing moves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

LEAST_GAIN = 1e-7
"""Of modularity, in one sweep; below it a level is done."""

MOST_SWEEPS = 50


@njit(cache=True)
def _moved(start, neighbour, weight, own, order, least):  # type: ignore[no-untyped-def]
    """One level: communities of vertices with loops of weight `own` (counted twice in their strength)."""
    n = len(start) - 1
    strength = own.copy()
    for v in range(n):
        for p in range(start[v], start[v + 1]):
            strength[v] += weight[p]
    total = strength.sum()
    community, inside = np.arange(n), strength.copy()
    to = np.zeros(n)
    near = np.empty(n, np.int64)
    for _ in range(MOST_SWEEPS):
        gained = 0.0
        for v in order:
            size = 0
            old = community[v]
            for p in range(start[v], start[v + 1]):
                c = community[neighbour[p]]
                if to[c] == 0.0:
                    near[size] = c
                    size += 1
                to[c] += weight[p]
            inside[old] -= strength[v]
            stay = to[old] - inside[old] * strength[v] / total
            best, most = old, stay
            for k in range(size):
                gain = to[near[k]] - inside[near[k]] * strength[v] / total
                if gain > most + 1e-12:
                    best, most = near[k], gain
            inside[best] += strength[v]
            community[v] = best
            gained += 2 * (most - stay) / total
            for k in range(size):
                to[near[k]] = 0.0
        if gained < least:
            break
    return community


def communities(matrix: Any, seed: int = 0) -> NDArray[np.int64]:
    """The community of every vertex of a symmetric sparse matrix without loops.

    >>> from scipy.sparse import csr_array
    >>> pairs = np.array([[0, 1], [0, 2], [1, 2], [3, 4], [3, 5], [4, 5], [2, 3]])
    >>> ends = np.concatenate([pairs, pairs[:, ::-1]])
    >>> found = communities(csr_array((np.ones(14), (ends[:, 0], ends[:, 1])), shape=(6, 6)))
    >>> found.tolist()
    [0, 0, 0, 1, 1, 1]
    """
    from scipy.sparse import csr_array

    random = np.random.default_rng(seed)
    n = matrix.shape[0]
    member, level, own = np.arange(n), csr_array(matrix), np.zeros(n)
    while level.nnz:
        start, neighbour = level.indptr.astype(np.int64), level.indices.astype(np.int64)
        moved = _moved(start, neighbour, level.data.astype(np.float64), own, random.permutation(level.shape[0]), LEAST_GAIN)
        names, moved = np.unique(moved, return_inverse=True)
        member = moved[member]
        if len(names) == level.shape[0]:
            break
        into = csr_array((np.ones(len(moved)), (np.arange(len(moved)), moved)), shape=(len(moved), len(names)))
        level = csr_array(into.T @ level @ into)
        own = np.bincount(moved, own, len(names)) + level.diagonal()
        level.setdiag(0)
        level.eliminate_zeros()
    return np.asarray(np.unique(member, return_inverse=True)[1], np.int64)


def modularity(low: NDArray[np.integer], high: NDArray[np.integer], member: NDArray[np.int64]) -> float:
    """Of a division of the vertices: the share of edges inside, less what random edges between the same degrees would have."""
    if not len(low):
        return 0.0
    ends = np.bincount(member[low], minlength=len(member)) + np.bincount(member[high], minlength=len(member))
    inside = np.count_nonzero(member[low] == member[high]) / len(low)
    return float(inside - ((ends / (2 * len(low))) ** 2).sum())


def agreement(one: NDArray[np.int64], other: NDArray[np.int64]) -> float:
    """Normalised mutual information of two divisions, by the mean of their entropies: 1 where they are equal.

    >>> agreement(np.array([0, 0, 1, 1]), np.array([5, 5, 3, 3])), agreement(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
    (1.0, 0.0)
    """
    entropy = [_entropy(np.unique(division, return_counts=True)[1]) for division in (one, other)]
    both = _entropy(np.unique(np.stack([one, other]), axis=1, return_counts=True)[1])
    return 1.0 if sum(entropy) == 0 else max(0.0, round(2 * (sum(entropy) - both) / sum(entropy), 12))


def _entropy(counts: NDArray[np.int64]) -> float:
    share = counts / counts.sum()
    return float(-(share * np.log(share)).sum())
