"""Fit a law of trips to noisy counts: of all laws that meet them, give or take their noise, the one nearest to plain walks.

A trip begins in a block and ends in a block; how many trips every pair of blocks has is given. Its length, its first and last
cell and its moves have weights: those of a plain walk (the general frequency of every move, times that of its turn), times exp(θ)
for every count that was asked: trips of a length, trips that begin or end in a cell, steps from one block of the grid to another.
θ minimizes the convex function

    Σ_pairs trips · log(weight of all trips of that pair) − Σ target·θ + ½ Σ variance·θ².

Its gradient is expected − target + variance·θ: what was measured precisely is met precisely. Expected counts are exact; they come
from messages (`messages.py`), not from simulation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.models.gridtrips.grid import Moves
from seqveil.models.gridtrips.messages import DIRECTIONS, NONE, _backward, _forward
from seqveil.models.records.descent import minimized

Counts = NDArray[np.float64]

TURNS = (2.0, 1.0, 0.5, 0.1, 0.02)
"""Weights of a move that goes on as the last one did, and of those that turn by 45°, 90°, 135° and back: few trips turn back."""

MOST_LOG = 12.0
"""No weight is changed by more than this factor, as a logarithm."""

STIFF = 4.0
"""Curvatures are guessed to be this many times the target: trips take a step more than once, or not at all."""

CALLS, MOST_CALLS = 16, 64
"""How often a fit computes expectations: the fewer, the less precise the counts that it has to meet."""

ROUGH = 6_000.0
"""Trips, in scales of the noise of one count of trips, for which the fewest calls are enough."""

ROUNDS = 60
"""Rounds of proportional fitting with which the weights of lengths begin."""


@dataclass(frozen=True, eq=False)
class Target:
    """Counts to meet, and the variances with which they are met."""

    count: Counts
    variance: Counts


@dataclass(frozen=True, eq=False)
class Evidence:
    """All that is known of the trips: between blocks (`pairs`), by length, by first and last cell, and by step.

    `flows` are counts of steps: `at[x, k]` is the count to which move k from cell x belongs, -1 for none.
    """

    block: NDArray[np.int32]
    pairs: Counts
    length: Target
    first: Target
    last: Target
    moves: Moves
    frequency: Counts
    flows: list[tuple[NDArray[np.int64], Target]]


@dataclass(frozen=True, eq=False)
class Trips:
    """A fitted law: expected trips by (length − 1, first block, last block), and the weights with which they are drawn."""

    expected: Counts
    block: NDArray[np.int32]
    first: Counts
    moves: Moves
    weight: NDArray[np.float32]
    beta: NDArray[np.float32]


def turning() -> NDArray[np.float32]:
    """The weight of a move in every direction after a move in every direction, or after none."""
    out = np.ones((DIRECTIONS + 1, DIRECTIONS), np.float32)
    for s in range(DIRECTIONS):
        for t in range(DIRECTIONS):
            apart = abs(s - t)
            out[s, t] = TURNS[min(apart, DIRECTIONS - apart)]
    return out


class Fit:
    """The function that is minimized, and everything that it needs once."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.turn, self.direction = turning(), evidence.moves.direction
        self.cells, self.blocks = len(evidence.block), len(evidence.pairs)
        inside = evidence.moves.cell >= 0
        self.base = np.where(inside, evidence.frequency[None, :], 0.0)
        self.base /= max(float(self.base.sum(axis=1).mean()), 1e-300)
        self.order = np.argsort(evidence.block, kind="stable")
        self.starts = np.searchsorted(evidence.block[self.order], np.arange(self.blocks))
        self.one_hot = (evidence.block[:, None] == np.arange(self.blocks)).astype(np.float64)
        targets = [*(target for _, target in evidence.flows), evidence.first, evidence.last, evidence.length]
        self.target = np.concatenate([target.count for target in targets])
        self.variance = np.concatenate([target.variance for target in targets])
        self.cuts = np.cumsum([len(target.count) for target in targets])[:-1]
        self.first, self.last = (self._within(end.count) for end in (evidence.first, evidence.last))
        self.unit = 1 / np.sqrt(STIFF * np.maximum(self.target, 1.0) + self.variance)
        shape = (len(evidence.length.count), self.cells, DIRECTIONS + 1, self.blocks)
        self.beta = np.empty(shape, np.float32)
        self.logs = self._lengths()

    def _within(self, count: Counts) -> Counts:
        """The share of every cell in its block."""
        count = np.maximum(count, 1e-3)
        return np.asarray(count / np.bincount(self.evidence.block, count, self.blocks)[self.evidence.block])

    def _parted(self, theta: Counts) -> tuple[Counts, Counts, Counts, Counts]:
        """Weights of moves, of first and last cells, and logarithms of those of lengths."""
        *flows, first, last, length = np.split(np.clip(theta, -MOST_LOG, MOST_LOG), self.cuts)
        logs = np.zeros(self.base.shape)
        for (at, _), values in zip(self.evidence.flows, flows, strict=True):
            logs += np.append(values, 0.0)[at]
        return (
            self.base * np.exp(np.clip(logs, -MOST_LOG, MOST_LOG)),
            self.first * np.exp(first),
            self.last * np.exp(last),
            length,
        )

    def _messages(self, weight: Counts, last: Counts) -> tuple[NDArray[np.float32], Counts]:
        """What remains of trips, up to factors, and the logarithms of these. The next call overwrites it."""
        ends, narrow = (self.one_hot * last[:, None]).astype(np.float32), weight.astype(np.float32)
        logs = _backward(self.evidence.moves.cell, self.direction, narrow, self.turn, ends, self.beta, 0)
        return self.beta, logs

    def _weights(self, beta: NDArray[np.float32], first: Counts) -> Counts:
        """The weight of all trips of a (length − 1, first block, last block), up to a factor for every length."""
        begun = beta[:, :, NONE, :] * first.astype(np.float32)[None, :, None]
        return np.asarray(np.add.reduceat(begun[:, self.order], self.starts, axis=1), np.float64)

    def _spread(self, weights: Counts, scaled: Counts) -> tuple[Counts, float]:
        """Expected numbers of trips where lengths have such logarithms of weights, and Σ trips · log(weight)."""
        top = float(scaled.max())
        trips = weights * np.exp(scaled - top)[:, None, None]
        sums = trips.sum(axis=0)
        height = float((self.evidence.pairs * (np.log(np.maximum(sums, 1e-300)) + top)).sum())
        return trips * (self.evidence.pairs / np.maximum(sums, 1e-300)), height

    def _lengths(self) -> Counts:
        """Logarithms of weights under which every length is as frequent as it should be, other things being as they are."""
        weight, first, last, _ = self._parted(np.zeros(len(self.target)))
        beta, logs = self._messages(weight, last)
        weights, wanted, out = self._weights(beta, first), np.maximum(self.evidence.length.count, 1e-2), -logs
        for _ in range(ROUNDS):
            now = self._spread(weights, out + logs)[0].sum(axis=(1, 2))
            out = out + np.where(now > 1e-12, 0.9 * np.log(wanted / np.maximum(now, 1e-12)), 0.0)
        return out

    def expected(self, theta: Counts) -> tuple[Counts, float, Trips]:
        """Expected counts, in the order of the targets; Σ trips · log(weight); and the law itself."""
        weight, first, last, length = self._parted(theta)
        beta, logs = self._messages(weight, last)
        weights = self._weights(beta, first)
        trips, height = self._spread(weights, length + self.logs + logs)
        ratio = (trips / np.maximum(weights, 1e-300)).astype(np.float32)[:, self.evidence.block, :]
        starting = ratio * first.astype(np.float32)[None, :, None]
        begun = (starting * beta[:, :, NONE, :]).sum(axis=(0, 2), dtype=np.float64)
        narrow = weight.astype(np.float32)
        flow, ended = _forward(self.evidence.moves.cell, self.direction, narrow, self.turn, beta, logs, starting, 0)
        met = [np.bincount((at + 1).ravel(), flow.ravel(), len(target.count) + 1)[1:] for at, target in self.evidence.flows]
        law = Trips(trips, self.evidence.block, first, self.evidence.moves, narrow, beta)
        return np.concatenate([*met, begun, ended, trips.sum(axis=(1, 2))]), height, law

    def value(self, point: Counts) -> tuple[float, Counts]:
        """The function and its gradient, in units in which its curvature is about one."""
        theta = point * self.unit
        met, height, _ = self.expected(theta)
        height += float((theta * (0.5 * self.variance * theta - self.target)).sum())
        gradient = (met - self.target + self.variance * theta) * self.unit
        if np.isfinite(height) and np.isfinite(gradient).all():
            return height, gradient
        return np.inf, np.zeros_like(gradient)


def calls(signal: float) -> int:
    """How often expectations are computed for so many trips per scale of noise.

    >>> calls(100.0), calls(24_000.0), calls(1e9)
    (16, 32, 64)
    """
    return int(min(max(CALLS * (signal / ROUGH) ** 0.5, CALLS), MOST_CALLS))


def fitted(evidence: Evidence, signal: float) -> Trips:
    """The law of trips that meets what is known; `signal` is the number of trips in scales of the noise of one count of them."""
    fit = Fit(evidence)
    point = minimized(fit.value, np.zeros(len(fit.target)), calls(signal), fit.unit)
    return fit.expected(point * fit.unit)[2]
