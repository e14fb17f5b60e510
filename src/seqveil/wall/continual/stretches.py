"""Which stretches of a stream are released, and how many of them any one event lies in.

Every sound method here is the same mechanism: the exact value of each of a public family of stretches, told once, when
the stretch ends, with discrete Laplace noise of scale *overlap* · Δ / ε. Replacing the event at position t changes only
stretches that contain t, at most `overlap` of them, each by at most Δ (the statistic's sensitivity): an L1 distance of at
most overlap · Δ between neighbouring streams, so the whole stream of answers is ε-differentially private. A stretch that is too
short for the statistic has the value 0 in every stream, and does not count: `touched` is the overlap of the others.

In zCDP the noise is discrete Gaussian, and what counts is the L2 distance: at most `touched` values move, each by at most the
root of the statistic's `square`, so that its square is at most touched · square, and m² times that where m events differ.

    Prefixes      1..i for every i                           overlap T
    Checkpoints   1..c for R public positions c              overlap R
    Windows       the last W events, for every i             overlap min(W, T)
    PrefixBlocks  dyadic blocks that prefixes are made of    overlap ⌊log2 T⌋ + 1
    WindowBlocks  all blocks of k^j ≤ W events               overlap ⌊log_k min(W, T)⌋ + 1
    Blocks        blocks by digits with a bounded sum        overlap d (blocks.py)
    SquareRoot    weighted sums of everything so far         not stretches: square_root.py has an argument of its own

Singleton blocks count in the overlap because of null events: without them a single event has a longest increasing
subsequence of 1 whatever it is, and ⌊log2 T⌋ would do (docs/soundness.md, 'Binary decomposition').

Which positions are checkpoints is a public schedule: evenly spaced, or closer together at the beginning (`quadratic`), where
what grows like a root of time grows fastest.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import isqrt
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.protocol import Exact, StreamEngine
from seqveil.wall.continual.blocks import Additive, adds_up
from seqveil.wall.continual.statistics import Statistic, square_of


class Stretches(Protocol):
    """A public family of stretches of a stream of at most `length` events."""

    @property
    def length(self) -> int: ...

    def touched(self, shortest: int) -> int:
        """The most stretches with `shortest` events or more that any one event lies in."""
        ...

    def influence(self, statistic: Statistic) -> int:
        """The L1 distance between the released values of two neighbouring streams, at most."""
        ...

    def square(self, statistic: Statistic, events: int) -> int:
        """The square of their L2 distance where so many events differ, at most."""
        ...

    def ending(self, position: int, events: int) -> NDArray[np.int64]:
        """How many stretches end with each of the events at position, position + 1, …; positions begin at 1."""
        ...

    def exact(self, statistic: Statistic, engine: StreamEngine) -> Exact:
        """The kernel that computes their exact values, in the same order."""
        ...


@dataclass(frozen=True, slots=True)
class Prefixes:
    """Everything so far, after every event."""

    length: int

    @property
    def overlap(self) -> int:
        return self.length

    def touched(self, shortest: int) -> int:
        return max(0, self.length - shortest + 1)

    def influence(self, statistic: Statistic) -> int:
        return self.touched(statistic.shortest) * statistic.sensitivity

    def square(self, statistic: Statistic, events: int) -> int:
        return square_of(statistic, self.touched(statistic.shortest), events)

    def ending(self, position: int, events: int) -> NDArray[np.int64]:
        return np.ones(events, np.int64)

    def exact(self, statistic: Statistic, engine: StreamEngine) -> Exact:
        return statistic.prefix(engine)


SPACINGS = ("even", "quadratic")


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """Everything so far, at R public positions: ⌈kT/R⌉ for k = 1..R, or ⌈k²T/R²⌉ and at least k (`quadratic`).

    >>> Checkpoints(10, 3).ending(1, 10).tolist(), Checkpoints(10, 3, "quadratic").ending(1, 10).tolist()
    ([0, 0, 0, 1, 0, 0, 1, 0, 0, 1], [0, 1, 0, 0, 1, 0, 0, 0, 0, 1])
    """

    length: int
    checkpoints: int
    spacing: str = "even"

    @property
    def overlap(self) -> int:
        return self.checkpoints

    def touched(self, shortest: int) -> int:
        return self.checkpoints - self._reached(shortest - 1)

    def influence(self, statistic: Statistic) -> int:
        return self.touched(statistic.shortest) * statistic.sensitivity

    def square(self, statistic: Statistic, events: int) -> int:
        return square_of(statistic, self.touched(statistic.shortest), events)

    def ending(self, position: int, events: int) -> NDArray[np.int64]:
        reached = [self._reached(i) for i in range(position - 1, position + events)]
        return np.array([after - before for before, after in pairwise(reached)], np.int64)

    def exact(self, statistic: Statistic, engine: StreamEngine) -> Exact:
        return _Chosen(self, statistic.prefix(engine))

    def _reached(self, position: int) -> int:
        """How many checkpoints lie at this position or before: the last k with ⌈kT/R⌉ ≤ i, or with max(k, ⌈k²T/R²⌉) ≤ i."""
        if self.spacing == "even":
            return min(position, self.length) * self.checkpoints // self.length
        return min(position, self.checkpoints, isqrt(position * self.checkpoints**2 // self.length))


class _Chosen:
    """The values of another kernel at the checkpoints."""

    def __init__(self, checkpoints: Checkpoints, kernel: Exact) -> None:
        self._checkpoints, self._kernel, self._position = checkpoints, kernel, 1

    def feed(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        everything = self._kernel.feed(values)
        kept = self._checkpoints.ending(self._position, len(values))
        self._position += len(values)
        return everything[kept > 0]


@dataclass(frozen=True, slots=True)
class Windows:
    """The last W events, after every event (fewer at the beginning)."""

    length: int
    width: int

    @property
    def overlap(self) -> int:
        return min(self.width, self.length)

    def touched(self, shortest: int) -> int:
        # The first windows are shorter; no other is, unless all are.
        return min(self.overlap, self.length - shortest + 1) if shortest <= self.overlap else 0

    def influence(self, statistic: Statistic) -> int:
        return self.touched(statistic.shortest) * statistic.sensitivity

    def square(self, statistic: Statistic, events: int) -> int:
        return square_of(statistic, self.touched(statistic.shortest), events)

    def ending(self, position: int, events: int) -> NDArray[np.int64]:
        return np.ones(events, np.int64)

    def exact(self, statistic: Statistic, engine: StreamEngine) -> Exact:
        return statistic.window(engine, self.overlap)


@dataclass(frozen=True, slots=True)
class PrefixBlocks:
    """After event i, the block of the last 2^k events, 2^k the largest power of two that divides i [Bonomi thesis, §5.2.1]."""

    length: int

    @property
    def overlap(self) -> int:
        return self.length.bit_length()

    def touched(self, shortest: int) -> int:
        return max(0, self.overlap - (shortest - 1).bit_length())

    def influence(self, statistic: Statistic) -> int:
        return self.touched(statistic.shortest) * statistic.sensitivity

    def square(self, statistic: Statistic, events: int) -> int:
        return square_of(statistic, self.touched(statistic.shortest), events)

    def ending(self, position: int, events: int) -> NDArray[np.int64]:
        return np.ones(events, np.int64)

    def exact(self, statistic: Statistic, engine: StreamEngine) -> Exact:
        return statistic.blocks(engine, self.overlap, every=False)


def best_arity(width: int) -> int:
    """The k with the least noise in a window of W events: d levels, (k − 1) draws of each but the largest, W/k^(d − 1) of that.

    >>> [best_arity(width) for width in (1, 8, 168, 10_000)]
    [2, 9, 13, 22]
    """

    def cost(levels: int) -> float:
        arity = _root(width, levels) + 1
        largest: int = arity ** (levels - 1)
        return levels**2 * ((levels - 1) * (arity - 1) + width / largest - (levels > 1))

    return _root(width, min(range(1, width.bit_length() + 1), key=cost)) + 1


def _root(number: int, degree: int) -> int:
    """⌊number^(1/degree)⌋, exactly."""
    guess: int = round(number ** (1 / degree))
    return guess + 1 if (guess + 1) ** degree <= number else guess if guess**degree <= number else guess - 1


@dataclass(frozen=True, slots=True)
class WindowBlocks:
    """After event i, every block of k^j ≤ W events that ends there, shortest first; k (the arity) is 2 for dyadic blocks.

    >>> WindowBlocks(100, 4).overlap, WindowBlocks(100, 4).ending(1, 8).tolist()
    (3, [1, 2, 1, 3, 1, 2, 1, 3])
    >>> WindowBlocks(100, 168, arity=13).sizes
    [1, 13]
    """

    length: int
    width: int
    arity: int = 2

    @property
    def sizes(self) -> list[int]:
        """k^j ≤ min(W, T)."""
        sizes = [1]
        while sizes[-1] * self.arity <= min(self.width, self.length):
            sizes.append(sizes[-1] * self.arity)
        return sizes

    @property
    def overlap(self) -> int:
        return len(self.sizes)

    def touched(self, shortest: int) -> int:
        return sum(size >= shortest for size in self.sizes)

    def influence(self, statistic: Statistic) -> int:
        return self.touched(statistic.shortest) * statistic.sensitivity

    def square(self, statistic: Statistic, events: int) -> int:
        return square_of(statistic, self.touched(statistic.shortest), events)

    def ending(self, position: int, events: int) -> NDArray[np.int64]:
        ends = np.arange(position, position + events, dtype=np.int64)
        return np.asarray(np.sum([ends % size == 0 for size in self.sizes], axis=0), np.int64)

    def exact(self, statistic: Statistic, engine: StreamEngine) -> Exact:
        if self.arity == 2:
            return statistic.blocks(engine, self.overlap, every=True)
        return _SizedTotals(self.sizes, adds_up(statistic))


class _SizedTotals:
    """Exact totals of the blocks of each size, all of which divide the next one."""

    def __init__(self, sizes: list[int], statistic: Additive) -> None:
        self._sizes, self._statistic = np.array(sizes, np.int64), statistic
        self._totals = np.zeros(1, np.int64)  # after each of the last events, as many as the largest block has, and before them
        self._position = 0

    def feed(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        kept = len(self._totals)
        totals = np.concatenate([self._totals, self._totals[-1] + np.cumsum(self._statistic.steps(values)[:, 0])])
        ends = np.arange(self._position + 1, self._position + len(values) + 1)
        at, size = np.nonzero(ends[:, np.newaxis] % self._sizes == 0)
        at += kept
        self._position += len(values)
        self._totals = totals[-int(self._sizes[-1]) :]
        return np.asarray(totals[at] - totals[at - self._sizes[size]], np.int64)
