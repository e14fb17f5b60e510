"""Where edges go, by public groups of vertices: so many between any two groups as noisy counts and degrees say together.

The counts and the degrees were measured apart and do not agree. Rows and columns of the table of counts are scaled in turn
until every group has as many ends as its vertices have degrees [Deming 1940]; what is then between two groups are ends that
are joined there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.release.graphs.draw import Random, paired

ROUNDS = 100
"""Of scaling: each halves what is off, or more."""

LEAST = 1e-3
"""What a pair of groups without edges counts as, so that a group whose counts are all 0 can place its ends somewhere."""


def pair_numbers(groups: int) -> NDArray[np.int64]:
    """The slot of each pair of groups a ≤ b, as a symmetric table.

    >>> pair_numbers(3).tolist()
    [[0, 1, 2], [1, 3, 4], [2, 4, 5]]
    """
    a, b = np.triu_indices(groups)
    table = np.empty((groups, groups), np.int64)
    table[a, b] = table[b, a] = np.arange(len(a))
    return table


def nearest(counts: NDArray[np.int64], total: float) -> NDArray[np.float64]:
    """The nearest counts, none below 0, that add up to a total: all are lowered by the same amount, those below 0 become 0.

    Noise that is merely cut off at 0 would add edges between all pairs of groups that have few.

    >>> nearest(np.array([9, 3, -2, 1]), 10).tolist()
    [8.0, 2.0, 0.0, 0.0]
    """
    falling = np.sort(counts.astype(np.float64))[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, len(falling) + 1)
    kept = np.flatnonzero(falling > excess)
    return np.maximum(counts - (excess[kept[-1]] if len(kept) else 0.0), 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """`member[v]` is the group of vertex v; `ends[a, b]` how many ends of a are joined to b, so that the table is symmetric."""

    member: NDArray[np.int64]
    ends: NDArray[np.float64]

    @classmethod
    def of(cls, member: NDArray[np.int64], counts: NDArray[np.int64], degrees: NDArray[np.int64]) -> Groups:
        """From noisy counts of edges by pair of groups, and degrees.

        >>> by_group = Groups.of(np.array([0, 0, 1]), np.array([3, -1, 0]), np.array([2, 2, 1]))
        >>> by_group.ends.sum(axis=1).round(3).tolist()
        [4.0, 1.0]
        """
        size = int(member.max()) + 1
        own = np.bincount(member, weights=degrees, minlength=size)
        ends = np.maximum(nearest(counts, float(own.sum()) / 2), LEAST)[pair_numbers(size)]
        ends[np.diag_indices(size)] *= 2  # an edge inside a group has both ends there
        for _ in range(ROUNDS):
            factor = np.sqrt(own / np.maximum(ends.sum(axis=1), 1e-300))
            ends = ends * factor[:, None] * factor[None, :]
        return cls(member, ends)

    def thinned(self, drawn: NDArray[np.bool_], low: NDArray[np.int64], order: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Of the pairs inside groups that were drawn, as many as have room there, the first in this order."""
        kept = np.zeros(len(drawn), np.bool_)
        rows = np.flatnonzero(drawn)
        group = self.member[low[rows]]
        rows = rows[np.lexsort((order[rows], group))]
        group = np.sort(group)
        place = np.arange(len(rows)) - np.searchsorted(group, group)
        kept[rows[place < np.floor(np.diag(self.ends)[group] / 2)]] = True
        return kept

    def paired(
        self, left: NDArray[np.int64], low: NDArray[np.int64], random: Random
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The ends that are left, joined between groups as the table says, and the pair of groups of each.

        `low` are the first ends of the edges that are there already, all of them inside groups.
        """
        size = len(self.ends)
        open_ = self.ends.copy()
        open_[np.diag_indices(size)] -= 2 * np.bincount(self.member[low], minlength=size)
        lots = np.triu(random.random((size, size)))
        whole = np.floor(np.maximum(open_, 0) + lots + np.triu(lots, 1).T).astype(np.int64)
        vertex, other = self._addressed(left, whole, random)
        group = self.member[vertex]
        pair, far = np.minimum(group, other) * size + np.maximum(group, other), group > other
        inside = group == other
        place = _place(pair * 2 + far)
        # Inside a group every second end is the far one; elsewhere the ends of the group with the higher number are.
        far, place = np.where(inside, place % 2 == 1, far), np.where(inside, place // 2, place)
        key = pair * (len(vertex) + 1) + place
        _, near_rows, far_rows = np.intersect1d(key[~far], key[far], assume_unique=True, return_indices=True)
        first, second = vertex[~far][near_rows], vertex[far][far_rows]
        n = len(left)
        rest = left - np.bincount(first, minlength=n) - np.bincount(second, minlength=n)
        more = paired(np.maximum(rest, 0), random)
        kind = np.concatenate([pair[~far][near_rows], np.full(len(more[0]), size * size)])
        return np.concatenate([first, more[0]]), np.concatenate([second, more[1]]), kind

    def _addressed(
        self, left: NDArray[np.int64], whole: NDArray[np.int64], random: Random
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Ends and the groups that they are meant for; those beyond what the table has room for are left out."""
        ends = random.permutation(np.repeat(np.arange(len(left)), left))
        ends = ends[np.argsort(self.member[ends], kind="stable")]
        start = np.searchsorted(self.member[ends], np.arange(len(whole) + 1))
        vertices, others = [ends[:0]], [ends[:0]]
        for a, row in enumerate(whole):
            own = ends[start[a] : start[a + 1]]
            target = random.permutation(np.repeat(np.arange(len(row)), row))[: len(own)]
            vertices.append(own[: len(target)])
            others.append(target)
        return np.concatenate(vertices), np.concatenate(others)


def _place(key: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many equal keys stand before each."""
    order = np.argsort(key, kind="stable")
    place = np.empty(len(key), np.int64)
    place[order] = np.arange(len(key)) - np.searchsorted(key[order], key[order])
    return place
