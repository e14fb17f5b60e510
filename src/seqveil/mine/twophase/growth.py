"""The first phase: PT-Sample and PT-Dynamic [Bonomi thesis, Alg. 3]."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from seqveil.mine.refinement import refine_leaves
from seqveil.mine.twophase.allocation import average_count, budget
from seqveil.mine.twophase.model import Markov, contexts, dynamic_model
from seqveil.trees.isotonic import consistent_counts
from seqveil.trees.tree import LevelTree
from seqveil.wall import GRAINS, PrivateTree


@dataclass(frozen=True, slots=True, eq=False)
class _Turn:
    """One level's question: nodes, their grains, the model that was asked (none near the root) and λ."""

    nodes: NDArray[np.int64]
    paid: NDArray[np.int64]
    model: Markov | None
    limit: float


@dataclass(frozen=True, slots=True)
class FirstPhase:
    """The public settings of the tree; `model` is frozen where a public sample gave one, else it follows the tree."""

    labels: int
    influence: int
    epsilon: int
    h: int
    order: int
    alpha: float
    deviations: float
    adaptive: bool
    model: Markov | None

    def grow(self, private: PrivateTree) -> LevelTree:
        """The noisy tree, with consistent counts."""
        tree = LevelTree(self.labels)
        for _ in range(self.h):
            # Invariant: `tree.count` holds the best guess at every node, and the deepest level has not been expanded.
            turn = self._turn(private, tree)
            if not self._expand(private, tree, turn):
                break
            tree.count[tree.deepest] = self._guess(tree, turn)
        value, scale = tree.noisy.astype(np.float64), tree.scale
        if self.adaptive:
            value, scale = refine_leaves(private, tree, self.epsilon, self.influence)
        return consistent_counts(tree, value, scale)

    def _turn(self, private: PrivateTree, tree: LevelTree) -> _Turn:
        """Which of the deepest nodes to expand, and for how much."""
        nodes = tree.deepest
        if tree.height < self.order:
            paid = private.remaining(tree.private[nodes]) // (self.h - tree.height)
            return _Turn(nodes[paid > 0], paid[paid > 0], None, np.inf)
        model = dynamic_model(tree, self.order) if self.model is None else self.model
        size = float(np.maximum(tree.noisy[tree.level(1)], 0).sum())
        limit = average_count(size, len(nodes), self.alpha)
        largest = np.maximum(tree.count[nodes], 0.0) * model.mode(contexts(tree, self.order)[nodes])
        paid = budget(private.remaining(tree.private[nodes]), self.h - tree.height, largest, limit)
        return _Turn(nodes[paid > 0], paid[paid > 0], model, limit)

    def _expand(self, private: PrivateTree, tree: LevelTree, turn: _Turn) -> bool:
        if not len(turn.nodes):
            return False
        least = np.ceil(self.deviations * sqrt(2) * self.influence * GRAINS / turn.paid)
        children = private.expand(tree.private[turn.nodes], turn.paid, least)
        tree.grow(children)
        return len(children) > 0

    def _guess(self, tree: LevelTree, turn: _Turn) -> NDArray[np.float64]:
        """The counts of the new level: noisy, or their mean with the model where the model says at least λ."""
        fresh = tree.deepest
        noisy = tree.noisy[fresh].astype(np.float64)
        if turn.model is None:
            return noisy
        parent = tree.parent[fresh]
        context = contexts(tree, self.order)[parent]
        modelled = tree.count[parent] * turn.model.probability(context, tree.symbol[fresh])
        return np.where(modelled >= turn.limit, (noisy + modelled) / 2, noisy)
