"""The first phase: PT-Sample and PT-Dynamic (thesis 002, Algorithm 3)."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from seqveil.mine.refinement import refine_leaves
from seqveil.mine.twophase.allocation import average_count, budget
from seqveil.mine.twophase.model import Markov, contexts, dynamic_model
from seqveil.publish.prefix.consistency import consistent_estimates
from seqveil.publish.prefix.growth import positions
from seqveil.publish.prefix.tree import PrefixTree
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

    def grow(self, tree: PrivateTree) -> tuple[PrefixTree, NDArray[np.float64]]:
        """The noisy tree, and consistent estimates of its counts."""
        known = PrefixTree()
        count = np.zeros(1)
        for _ in range(self.h):
            # Invariant: `count` holds what is believed of every node, and the deepest level has not been expanded.
            turn = self._turn(tree, known, count)
            if not self._expand(tree, known, turn):
                break
            count = np.concatenate([count, self._believed(known, count, turn)])
        value, scale = known.noisy.astype(np.float64), known.scale
        if self.adaptive:
            value, scale = refine_leaves(tree, known, self.epsilon, self.influence)
        return known, consistent_estimates(known, value, scale)

    def _turn(self, tree: PrivateTree, known: PrefixTree, count: NDArray[np.float64]) -> _Turn:
        """Which of the deepest nodes to expand, and for how much."""
        nodes = known.deepest
        if known.height < self.order:
            paid = tree.remaining(known.private[nodes]) // (self.h - known.height)
            return _Turn(nodes[paid > 0], paid[paid > 0], None, np.inf)
        model = dynamic_model(known, count, self.labels, self.order) if self.model is None else self.model
        size = float(np.maximum(known.noisy[1 : known.levels[2]], 0).sum())
        limit = average_count(size, len(nodes), self.alpha)
        largest = np.maximum(count[nodes], 0.0) * model.mode(contexts(known, self.labels, self.order)[nodes])
        paid = budget(tree.remaining(known.private[nodes]), self.h - known.height, largest, limit, self.epsilon)
        return _Turn(nodes[paid > 0], paid[paid > 0], model, limit)

    def _expand(self, tree: PrivateTree, known: PrefixTree, turn: _Turn) -> bool:
        if not len(turn.nodes):
            return False
        private = known.private[turn.nodes]
        least = np.ceil(self.deviations * sqrt(2) * self.influence * GRAINS / turn.paid)
        children = tree.expand(private, turn.paid, least)
        if not len(children):
            return False
        owner = turn.nodes[positions(private, children.parent)]
        label = children.rank.astype(np.int64)
        known.grow(owner, label, children.noisy, children.scale, children.threshold, children.node)
        return True

    def _believed(self, known: PrefixTree, count: NDArray[np.float64], turn: _Turn) -> NDArray[np.float64]:
        """The counts of the new level: noisy, or their mean with the model where the model says at least λ."""
        fresh = known.deepest
        noisy = known.noisy[fresh].astype(np.float64)
        if turn.model is None:
            return noisy
        parent = known.parent[fresh]
        context = contexts(known, self.labels, self.order)[parent]
        modelled = count[parent] * turn.model.probability(context, known.symbol[fresh])
        return np.where(modelled >= turn.limit, (noisy + modelled) / 2, noisy)
