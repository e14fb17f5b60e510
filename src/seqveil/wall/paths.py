"""What every root-to-leaf path of a private tree has cost, in exact grains."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import BudgetExceeded
from seqveil.wall.budget import decimal
from seqveil.wall.measures.measure import SYMBOL, Measure


class Paths:
    """The account of a tree: charges sit at nodes, and a path costs the sum of the charges on it, in grains of the measure.

    Nodes are numbered in the order they were added, parents before children; node 0 is the root.

    >>> paths = Paths(budget=10)
    >>> paths.charge(np.array([0]), np.array([4]))
    >>> paths.add(np.array([0, 0]))
    1
    >>> paths.charge(np.array([1]), np.array([6]))
    >>> paths.left(np.array([1, 2])).tolist()
    [0, 6]
    >>> paths.charge(np.array([0]), np.array([1]))
    Traceback (most recent call last):
    seqveil.errors.BudgetExceeded: a path would cost ε = 0.000000000011, but the tree has 0.00000000001.
    """

    def __init__(self, budget: int, measure: Measure = "pure") -> None:
        self._budget = budget
        self._symbol = SYMBOL[measure]
        self._parent = np.array([-1], np.int64)
        self._own = np.zeros(1, np.int64)
        self._spent = np.zeros(1, np.int64)  # own charges summed from the root down to the node
        self._leaf = np.ones(1, np.bool_)
        self._generations = [0]  # where each `add` began: parents of a generation lie before it

    def __len__(self) -> int:
        return len(self._parent)

    @property
    def parent(self) -> NDArray[np.int64]:
        """The parent of every node, -1 for the root."""
        return self._parent

    @property
    def dearest(self) -> int:
        """The cost of the dearest path."""
        return int(self._spent.max())

    def left(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        """What is left on the path from the root to each node."""
        return np.asarray(self._budget - self._spent[nodes])

    def close(self) -> None:
        """Nothing more can be charged."""
        self._budget = 0

    def add(self, parent: NDArray[np.int64]) -> int:
        """Add children, which inherit what the path to them has cost; returns the number of the first."""
        first = len(self)
        self._generations.append(first)
        self._parent = np.concatenate([self._parent, parent])
        self._own = np.concatenate([self._own, np.zeros(len(parent), np.int64)])
        self._spent = np.concatenate([self._spent, self._spent[parent]])
        self._leaf = np.concatenate([self._leaf, np.ones(len(parent), np.bool_)])
        self._leaf[parent] = False
        return first

    def afford(self, nodes: NDArray[np.int64], amount: NDArray[np.int64]) -> None:
        """Raise unless a new child of each node could be charged this much."""
        self._check(amount)
        if np.any(amount > self.left(nodes)):
            over = decimal(int((amount + self._spent[nodes]).max()))
            raise self._too_dear(over)

    def _too_dear(self, over: str) -> BudgetExceeded:
        return BudgetExceeded(f"a path would cost {self._symbol} = {over}, but the tree has {decimal(self._budget)}.")

    def _check(self, amount: NDArray[np.int64]) -> None:
        if np.any(amount <= 0):
            raise BudgetExceeded(f"a question to the tree must be paid with at least one grain of {self._symbol}.")
        if np.any(amount > self._budget):
            asked = decimal(int(amount.max()))
            raise BudgetExceeded(f"a question asked for {self._symbol} = {asked} of a tree that has {decimal(self._budget)}.")

    def charge(self, nodes: NDArray[np.int64], amount: NDArray[np.int64]) -> None:
        """Charge distinct nodes, that is every path through them; raises before anything has changed."""
        self._check(amount)
        own = self._own.copy()
        own[nodes] += amount
        if self._leaf[nodes].all():
            spent = self._spent.copy()
            spent[nodes] += amount
        else:
            spent = self._summed(own)
        if spent.max() > self._budget:
            over = decimal(int(spent.max()))
            raise self._too_dear(over)
        self._own, self._spent = own, spent

    def _summed(self, own: NDArray[np.int64]) -> NDArray[np.int64]:
        """Path sums from scratch: an inner node was charged, so everything below it pays too."""
        spent = own.copy()
        for start, stop in zip(self._generations[1:], [*self._generations[2:], len(own)], strict=True):
            # Invariant: spent is final for every node before `start`, hence for the parents of this generation.
            spent[start:stop] += spent[self._parent[start:stop]]
        return spent
