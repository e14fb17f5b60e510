"""Markov models of order m [Bonomi thesis, §3.3.1]: frozen, from a public sample, or from the noisy counts of a growing tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.tables.flat import Flat
from seqveil.trees.tree import LevelTree

MOST_KEY = 2**62
"""Contexts and transitions are packed into one int64."""


def fitting_order(order: int, labels: int) -> int:
    """The order, lowered where contexts over so many labels could not be distinguished in 62 bits.

    >>> fitting_order(2, 17), fitting_order(2, 10**7)
    (2, 1)
    """
    while order > 1 and labels ** (order + 1) >= MOST_KEY:
        order -= 1
    return order


@dataclass(frozen=True, slots=True, eq=False)
class Markov:
    """π(y, a) = f(ya)/f(y) for contexts y of m labels; 0 where y was never seen. Keys are sorted."""

    labels: int
    context: NDArray[np.int64]
    seen: NDArray[np.float64]
    pair: NDArray[np.int64]
    times: NDArray[np.float64]
    largest: NDArray[np.float64]  # max over a of π(y, a), per context

    @classmethod
    def of(
        cls,
        labels: int,
        context: NDArray[np.int64],
        weight: NDArray[np.float64],
        pair: NDArray[np.int64],
        times: NDArray[np.float64],
    ) -> Markov:
        """From weighted sightings of contexts and of transitions (context·labels + label)."""
        contexts, at = np.unique(context, return_inverse=True)
        seen = np.bincount(at.reshape(-1), weight, len(contexts)).astype(np.float64)
        pairs, which = np.unique(pair, return_inverse=True)
        total = np.bincount(which.reshape(-1), times, len(pairs)).astype(np.float64)
        largest = np.zeros(len(contexts))
        present = np.isin(pairs // labels, contexts)
        owner = np.searchsorted(contexts, pairs[present] // labels)
        np.maximum.at(largest, owner, _ratio(total[present], seen[owner]))
        return cls(labels, contexts, seen, pairs, total, largest)

    def mode(self, context: NDArray[np.int64]) -> NDArray[np.float64]:
        """The probability of the likeliest next label."""
        at, present = _find(self.context, context)
        return np.where(present, self.largest[at] if len(self.largest) else 0.0, 0.0)

    def probability(self, context: NDArray[np.int64], label: NDArray[np.int64]) -> NDArray[np.float64]:
        """π(y, a)."""
        at, present = _find(self.pair, context * self.labels + label)
        where, seen = _find(self.context, context)
        if not len(self.pair) or not len(self.context):
            return np.zeros(len(context))
        return np.where(present & seen, _ratio(self.times[at], self.seen[where]), 0.0)


def _ratio(times: NDArray[np.float64], seen: NDArray[np.float64]) -> NDArray[np.float64]:
    """Estimated probabilities: within 0..1, and 0 where the denominator is not positive."""
    return np.clip(np.divide(times, seen, out=np.zeros(len(times)), where=seen > 0), 0.0, 1.0)


def _find(keys: NDArray[np.int64], wanted: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    if not len(keys):
        return np.zeros(len(wanted), np.int64), np.zeros(len(wanted), np.bool_)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return at, np.asarray(keys[at] == wanted)


def contexts(tree: LevelTree, order: int) -> NDArray[np.int64]:
    """The last m labels of every node, packed; -1 for prefixes shorter than m."""
    packed = np.zeros(len(tree), np.int64)
    for start, stop in zip(tree.levels[1:], tree.levels[2:], strict=False):
        packed[start:stop] = (packed[tree.parent[start:stop]] * tree.labels + tree.symbol[start:stop]) % tree.labels**order
    return np.where(tree.depth >= order, packed, -1)


def dynamic_model(tree: LevelTree, order: int) -> Markov:
    """PT-Dynamic: the frequencies of a tree's own noisy counts; a context counts where its family has been asked."""
    context = contexts(tree, order)
    asked = np.flatnonzero((context >= 0) & (np.arange(len(tree)) < tree.levels[-2]))
    grown = np.flatnonzero((tree.depth > order) & (context[tree.parent] >= 0))
    pair = context[tree.parent[grown]] * tree.labels + tree.symbol[grown]
    clipped = np.maximum(tree.count, 0.0)
    return Markov.of(tree.labels, context[asked], clipped[asked], pair, clipped[grown])


def sample_model(sample: Flat, labels: int, order: int) -> Markov:
    """PT-Sample: the frequencies of a public sample."""
    items = sample.items.astype(np.int64)
    place = np.arange(len(items)) - np.repeat(sample.offsets[:-1], sample.lengths)
    packed = np.zeros(len(items), np.int64)
    for back in range(order - 1, -1, -1):
        packed = packed * labels + np.concatenate([np.zeros(back, np.int64), items[: len(items) - back]])
    full = place >= order - 1
    follows = np.flatnonzero(place >= order)
    pair = packed[follows - 1] * labels + items[follows]
    return Markov.of(labels, packed[full], np.ones(int(full.sum())), pair, np.ones(len(pair)))
