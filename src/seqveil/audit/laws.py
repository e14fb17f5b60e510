"""How likely an answer of the wall is, given what is exactly true: the laws that the wall claims to follow.

With them the privacy loss of one recorded run is a number, not an estimate: the sum, over everything that crossed the wall,
of log P(answer | D) − log P(answer | D′). Pure ε says that it never exceeds ε in size, for any answers and any neighbours; the
audit computes it for as many of both as it can reach. zCDP speaks of its distribution over all answers: where a law has
`losses`, that is known as well. Floats: trust differences down to 1e-9.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, singledispatch
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from seqveil.audit.losses import Losses, log_masses
from seqveil.wall.noise import Law as NoiseLaw
from seqveil.wall.noise import Sigma
from seqveil.wall.noise.ladder import rung_of
from seqveil.wall.questions.arrangement import Arrangement
from seqveil.wall.sparse import Survivors


class Law(Protocol):
    """The distribution of one answer, given one data set."""

    def loss(self, other: Any, answer: Any) -> float:
        """log P(answer | here) − log P(answer | there)."""
        ...

    def moved(self, other: Any) -> int:
        """How far the exact values are apart, in the norm that the question's sensitivity is stated in."""
        ...


@lru_cache(maxsize=65_536)
def log_tail(threshold: int, noise: NoiseLaw) -> float:
    """log P(X ≥ threshold) of noise.

    >>> from seqveil.wall.noise import Scale
    >>> round(math.exp(log_tail(0, Scale(1.0))) + math.exp(log_tail(1, Scale(1.0))), 12)
    1.0
    >>> round(math.exp(log_tail(-3, Sigma(4.0))) + math.exp(log_tail(4, Sigma(4.0))), 12)
    1.0
    """
    if threshold <= 0:
        return math.log1p(-math.exp(log_tail(1 - threshold, noise)))
    if isinstance(noise, Sigma):
        masses = log_masses(noise, np.arange(threshold, threshold + math.ceil(10 * noise.value) + 1))
        return float(masses[0] + math.log(np.exp(masses - masses[0]).sum()))
    a = 1 / noise.value
    return -a * threshold - math.log1p(math.exp(-a))


def lost(answer: int, here: int, there: int, noise: NoiseLaw) -> float:
    """log P(here + X = answer) − log P(there + X = answer)."""
    if isinstance(noise, Sigma):
        return ((answer - there) ** 2 - (answer - here) ** 2) / (2 * noise.square)
    return (abs(answer - there) - abs(answer - here)) / noise.value


def _log_tails(threshold: NDArray[np.int64], scale: float) -> NDArray[np.float64]:
    """`log_tail` of many thresholds, for discrete Laplace noise."""
    a = 1 / scale
    above = -a * np.maximum(threshold, 0) - math.log1p(math.exp(-a))
    below = np.log1p(-np.exp(-a * (1 - np.minimum(threshold, 0))) / (1 + math.exp(-a)))
    return np.asarray(np.where(threshold > 0, above, below))


Slot = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Slots:
    """Counts with noise, of which those that reach a threshold are released. Slots that are not in `count` are empty."""

    count: Mapping[Slot, int]
    noise: NoiseLaw
    threshold: int | None
    released_before: frozenset[Slot] = frozenset()

    def loss(self, other: Slots, answer: Survivors) -> float:
        released = {
            (int(family), int(rank)): int(noisy)
            for family, rank, noisy in zip(answer.family, answer.rank, answer.noisy, strict=True)
        }
        total = 0.0
        for slot in (self.count.keys() | other.count.keys()) - self.released_before:
            here, there = self.count.get(slot, 0), other.count.get(slot, 0)
            if here == there:
                continue
            if slot in released:
                total += lost(released[slot], here, there, self.noise)
            elif self.threshold is None:  # every slot has an answer, unless it was left out for what it holds
                return math.inf
            else:  # X < threshold − count has the probability of X ≥ count + 1 − threshold
                total += log_tail(here + 1 - self.threshold, self.noise) - log_tail(there + 1 - self.threshold, self.noise)
        return total

    def losses(self, other: Slots) -> Losses:
        """The distribution of the loss over all answers."""
        together = Losses.nothing()
        for slot in (self.count.keys() | other.count.keys()) - self.released_before:
            here, there = self.count.get(slot, 0), other.count.get(slot, 0)
            if here != there:
                together = together.with_(Losses.of_counts(here, there, self.noise, self.threshold))
        return together

    def moved(self, other: Slots) -> int:
        return sum(abs(self.count.get(s, 0) - other.count.get(s, 0)) for s in self.count.keys() | other.count.keys())


@dataclass(frozen=True, slots=True, eq=False)
class Plain:
    """A vector of counts, all of them released, each with noise of its own law."""

    count: NDArray[np.int64]
    noise: Sequence[NoiseLaw]

    def loss(self, other: Plain, answer: NDArray[np.int64]) -> float:
        pairs = zip(answer.tolist(), self.count.tolist(), other.count.tolist(), self.noise, strict=True)
        return math.fsum(lost(said, here, there, noise) for said, here, there, noise in pairs)

    def losses(self, other: Plain) -> Losses:
        """The distribution of the loss over all answers."""
        together = Losses.nothing()
        for here, there, noise in zip(self.count.tolist(), other.count.tolist(), self.noise, strict=True):
            if here != there:
                together = together.with_(Losses.of_counts(here, there, noise, None))
        return together

    def moved(self, other: Plain) -> int:
        return int(np.abs(self.count - other.count).sum())


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """One candidate, drawn with probability ∝ exp(rate · score)."""

    score: NDArray[np.int64]
    rate: Fraction

    def log(self, answer: int) -> float:
        weight = float(self.rate) * (self.score - self.score.max()).astype(np.float64)
        return float(weight[answer] - math.log(np.exp(weight).sum()))

    def loss(self, other: Scored, answer: int) -> float:
        return self.log(answer) - other.log(answer)

    def losses(self, other: Scored) -> Losses:
        """The distribution of the loss over all answers."""
        log = np.array([self.log(answer) for answer in range(len(self.score))])
        return Losses(log - np.array([other.log(answer) for answer in range(len(self.score))]), log)

    def moved(self, other: Scored) -> int:
        return int(np.abs(self.score - other.score).max())


@dataclass(frozen=True, slots=True, eq=False)
class FirstAbove:
    """The first of a series of noisy counts that reaches a noisy threshold, or None."""

    count: NDArray[np.int64]
    threshold: int
    limit_scale: float
    count_scale: float

    def log(self, answer: int | None) -> float:
        """Summed over what the noisy threshold may have been; the tail beyond 40 scales is below 1e-17."""
        reach = math.ceil(40 * self.limit_scale) + 1
        shift = np.arange(-reach, reach + 1)
        limit = self.threshold + shift
        term = -np.abs(shift) / self.limit_scale
        for count, size in zip(*np.unique(self.count[:answer], return_counts=True), strict=True):
            term += size * _log_tails(int(count) + 1 - limit, self.count_scale)
        if answer is not None:
            term += _log_tails(limit - int(self.count[answer]), self.count_scale)
        return float(term.max() + math.log(np.exp(term - term.max()).sum()))

    def loss(self, other: FirstAbove, answer: int | None) -> float:
        return self.log(answer) - other.log(answer)

    def moved(self, other: FirstAbove) -> int:
        return int(np.abs(self.count - other.count).max(initial=0))


@dataclass(frozen=True, slots=True, eq=False)
class Rungs:
    """A whole number, drawn with probability ∝ exp(−rung / scale) around an exact value."""

    value: int
    widths: NDArray[np.int64]
    scale: float

    def rung(self, answers: Sequence[int]) -> NDArray[np.int64]:
        """The rungs on which answers lie."""
        return rung_of(np.abs(np.asarray(answers, np.int64) - self.value), self.widths)

    def log(self, answer: int) -> float:
        # Rungs beyond the last width weigh a geometric series.
        power = np.exp(-np.arange(1, len(self.widths) + 2) / self.scale)
        beyond = self.widths[-1] * power[-1] / -math.expm1(-1 / self.scale)
        weight = 1 + 2 * float((self.widths * power[:-1]).sum() + beyond)
        return -float(self.rung([answer])[0]) / self.scale - math.log(weight)

    def loss(self, other: Rungs, answer: int) -> float:
        return self.log(answer) - other.log(answer)

    def moved(self, other: Rungs) -> int:
        """The most rungs by which any number moves; far out, where both ladders are as wide, nothing changes any more."""
        reach = int(self.widths.sum() + other.widths.sum()) + 2 * int(self.widths[-1]) + 2
        numbers = range(min(self.value, other.value) - reach, max(self.value, other.value) + reach + 1)
        return int(np.abs(self.rung(numbers) - other.rung(numbers)).max())


@dataclass(frozen=True, slots=True)
class Arranged:
    """A set of `chosen` of `size` cells, drawn with weight exp(rate · how many of them are edges)."""

    edges: frozenset[int]
    size: int
    chosen: int
    rate: Fraction

    def log(self, answer: NDArray[np.int64]) -> float:
        ones, zeros, rate = len(self.edges), self.size - len(self.edges), float(self.rate)
        hits = len(self.edges.intersection(answer.tolist()))
        weights = [
            rate * w + math.log(math.comb(ones, w) * math.comb(zeros, self.chosen - w))
            for w in range(max(0, self.chosen - zeros), min(ones, self.chosen) + 1)
        ]
        largest = max(weights)
        return rate * hits - largest - math.log(math.fsum(math.exp(w - largest) for w in weights))

    def loss(self, other: Arranged, answer: NDArray[np.int64]) -> float:
        return self.log(answer) - other.log(answer)

    def moved(self, other: Arranged) -> int:
        return len(self.edges ^ other.edges)


@dataclass(frozen=True, slots=True)
class Several:
    """Independent answers about several nodes."""

    laws: tuple[Law, ...]

    def loss(self, other: Several, answer: list[Any]) -> float:
        return math.fsum(a.loss(b, part) for a, b, part in zip(self.laws, other.laws, answer, strict=True))

    def moved(self, other: Several) -> int:
        return sum(a.moved(b) for a, b in zip(self.laws, other.laws, strict=True))


@dataclass(frozen=True, slots=True)
class Unknown:
    """A question whose law the audit does not know: replayed, attacked by statistics, but without an exact loss."""

    name: str

    def loss(self, other: Any, answer: Any) -> float:
        return 0.0

    def moved(self, other: Any) -> int:
        return 0


@singledispatch
def node_law(question: Any, position: int, counter: Any, node: int, rate: Fraction) -> Law:
    """The law of a NodeQuestion about one node. A new kind of question registers its own, or brings a `law` method.

    Not needed where its answer is a choice: the draw itself tells its law (`WatchedNoise.exponential`).
    """
    own = getattr(question, "law", None)
    return own(position, counter, node, rate) if own is not None else Unknown(question.name)


@node_law.register
def _(question: Arrangement, position: int, counter: Any, node: int, rate: Fraction) -> Law:
    from seqveil.tables.triangle import cells

    edges = frozenset(counter.occupied(node).tolist())
    return Arranged(edges, int(cells(counter.region(node))), int(question.chosen[position]), rate)
