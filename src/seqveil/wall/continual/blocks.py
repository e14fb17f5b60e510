"""Few blocks per prefix, few blocks per event: the stretches that running counts and sums are made of.

Positions are counted in d digits. The lowest digit moves with every step; when the digits may grow no further, the lowest ones
go back to 0 and the next one moves, as in any number system. In base k every digit is at most k − 1; here the *sum* of the digits
is at most m, which reaches further: C(d + m, d) − 1 steps with at most m in all, where base k has k^d − 1 with d(k − 1).

When digit j moves, the block since the moment when digit j, or a higher one, moved before is released. So

- the blocks of one digit do not overlap, and any one event lies in at most d blocks: that is the whole privacy argument;
- the events so far are made of as many blocks as the sum of the digits: the answer has that many draws of scale d·Δ/ε.

For a given d no other way to cut prefixes into released blocks needs fewer of them, on average or at worst
(docs/mechanisms/streams.md, 'Blocks'; the test tries all ways for short streams). Without a declared length the lower digits may
sum up to d(r + 1) while the top digit is r: the bound grows with the stream, and d stays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb
from typing import Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.protocol import Exact, StreamEngine
from seqveil.errors import CallError
from seqveil.surface import parameter
from seqveil.wall.continual.statistics import Statistic, square_of

MOST_EVENTS = 2**40
"""Longer streams could not be counted in int64 on every grid that is allowed."""

OPEN_OVERLAP = 5
"""d for a stream without a declared length: from 1,000 to 10^9 steps its error is within 40 % of the best for that length."""


def largest_sum(steps: int, overlap: int) -> int:
    """The least m with which d digits count so many steps.

    >>> largest_sum(34_589, 4), largest_sum(1, 1), largest_sum(10**6, 1)
    (28, 1, 1000000)
    """
    low, high = 0, 1
    while comb(overlap + high, overlap) <= steps:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if comb(overlap + middle, overlap) > steps else (middle, high)
    return high


def best_overlap(steps: int) -> int:
    """The d with the least mean squared error for so many steps: a draw has variance 2d², an answer about m·d/(d + 1) of them.

    >>> [best_overlap(steps) for steps in (1, 100, 1000, 34_589, 10**6, 2**40)]
    [1, 2, 3, 4, 5, 10]
    """
    fitting = [overlap for overlap in range(1, 16) if reached(steps, overlap)]
    return min(fitting, key=lambda d: d**3 * largest_sum(steps, d) / (d + 1))


def reached(steps: int, overlap: int) -> bool:
    """Whether every one of d digits moves within so many steps: the top one moves first after C(d − 1 + m, d − 1) of them."""
    return comb(overlap - 1 + largest_sum(steps, overlap), overlap - 1) <= steps


class Digits:
    """Counts, and says which digit moved.

    >>> Digits(2, lambda top: 2 - top).moved(5)                             # 01 02 10 11 20
    [0, 0, 1, 0, 1]
    """

    def __init__(self, overlap: int, most: Callable[[int], int]) -> None:
        self._digits, self._most = [0] * overlap, most
        self._below, self._room = 0, most(0)  # the sum of all digits but the top one, and how large it may be

    def moved(self, steps: int) -> list[int]:
        """For each of the next steps the digit that moves, 0 for the lowest."""
        return [self._move() for _ in range(steps)]

    def _move(self) -> int:
        digits, top = self._digits, len(self._digits) - 1
        at = 0
        while at < top and self._below >= self._room:
            self._below -= digits[at]
            digits[at] = 0
            at += 1
        digits[at] += 1
        if at < top:
            self._below += 1
        else:
            self._room = self._most(digits[top])
        return at


@dataclass(frozen=True, slots=True)
class Blocks:
    """After every `every` events one block, as said above; `length` is None where it is not declared.

    >>> Blocks(34_589, 4).overlap, Blocks(10, 2, every=3).ending(1, 10).tolist()
    (4, [0, 0, 1, 0, 0, 1, 0, 0, 1, 0])
    """

    declared: int | None
    overlap: int
    every: int = 1

    def __post_init__(self) -> None:
        if self.every > self.length:
            named = parameter("every", str(self.every))
            raise CallError(f"{named}: give at most the length, {self.length:,}: there would be no answer.")
        if self.declared is not None and not reached(self.length // self.every, self.overlap):
            named = parameter("overlap", str(self.overlap))
            raise CallError(f"{named}: so few answers cannot use so many layers of blocks; give fewer, or leave it out.")

    @property
    def length(self) -> int:
        return MOST_EVENTS if self.declared is None else self.declared

    @property
    def most(self) -> int:
        """The most blocks that an answer adds up; without a declared length, over the first million answers."""
        return self.sums(1_000_000) if self.declared is None else largest_sum(self.length // self.every, self.overlap)

    def sums(self, steps: int) -> int:
        """The most blocks that an answer adds up within so many steps."""
        if self.declared is not None:
            return largest_sum(steps, self.overlap)
        top, done, room = 0, 0, self._room()
        while (done := done + comb(self.overlap - 1 + room(top), self.overlap - 1)) < steps:
            top += 1
        return top + room(top)

    def digits(self) -> Digits:
        """The count of steps from the beginning."""
        return Digits(self.overlap, self._room())

    def touched(self, shortest: int) -> int:
        return self.overlap

    def influence(self, statistic: Statistic) -> int:
        return self.overlap * statistic.sensitivity

    def square(self, statistic: Statistic, events: int) -> int:
        return square_of(statistic, self.touched(statistic.shortest), events)

    def ending(self, position: int, events: int) -> NDArray[np.int64]:
        return np.asarray(np.arange(position, position + events) % self.every == 0, np.int64)

    def exact(self, statistic: Statistic, engine: StreamEngine) -> Exact:
        if isinstance(statistic, Packing):
            return _BlockPackings(self, statistic.lengths(engine))
        return _BlockTotals(self, adds_up(statistic))

    def _room(self) -> Callable[[int], int]:
        """How large the sum of the lower digits may be, by the top digit."""
        if self.declared is None:
            return lambda top: self.overlap * (top + 1)
        most = largest_sum(self.length // self.every, self.overlap)
        return lambda top: most - top


@runtime_checkable
class Packing(Protocol):
    """A statistic that counts members of a family which share no event: its value of a block is that of the block alone."""

    def lengths(self, engine: StreamEngine) -> Exact:
        """The kernel that tells, after each event, how long the shortest member is that ends there."""
        ...


class Additive(Statistic, Protocol):
    """A statistic whose value of a stretch is the sum of what its events add."""

    def steps(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """What each event adds to each of the statistic's numbers: one row per event."""
        ...


def adds_up(statistic: Statistic) -> Additive:
    """The statistic, if the value of a block is a difference of two totals. For any other the argument above would be wrong.

    >>> from seqveil.wall.continual import Lis
    >>> adds_up(Lis())
    Traceback (most recent call last):
    seqveil.errors.CallError: blocks of this kind work for counts and sums only, not for lis: use method=binary.
    """
    if not hasattr(statistic, "steps"):
        instead = parameter("method", "binary")
        raise CallError(f"blocks of this kind work for counts and sums only, not for {statistic.name}: use {instead}.")
    return cast(Additive, statistic)


class _BlockTotals:
    """Exact totals of the blocks that end; several numbers where the statistic has several."""

    def __init__(self, blocks: Blocks, statistic: Additive) -> None:
        self._blocks, self._statistic, self._digits = blocks, statistic, blocks.digits()
        self._position = 0
        self._total = np.zeros(statistic.values, np.int64)
        self._since = np.zeros((blocks.overlap, statistic.values), np.int64)  # the total when each digit, or a higher one, moved

    def feed(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        ends = np.flatnonzero(self._blocks.ending(self._position + 1, len(values)))
        totals = self._total + np.cumsum(self._statistic.steps(values), axis=0, dtype=np.int64)
        self._position += len(values)
        self._total = totals[-1] if len(totals) else self._total
        moments = np.concatenate([self._since, totals[ends]])
        begin = list(range(self._blocks.overlap))  # the row of `moments` at which the open block of each digit begins
        begun = []
        for row, digit in enumerate(self._digits.moved(len(ends)), start=self._blocks.overlap):
            begun.append(begin[digit])
            begin[: digit + 1] = [row] * (digit + 1)
        self._since = moments[begin]
        return np.asarray(totals[ends] - moments[np.array(begun, np.int64)], np.int64).reshape(-1)


class _BlockPackings:
    """The most members without a common event in each block that ends: taken greedily in the order of their ends."""

    def __init__(self, blocks: Blocks, lengths: Exact) -> None:
        self._blocks, self._lengths, self._digits = blocks, lengths, blocks.digits()
        self._position = 0
        self._taken = [0] * blocks.overlap
        self._used = [0] * blocks.overlap  # where the last member taken ends, or the open block begins

    def feed(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        lengths = self._lengths.feed(values).tolist()
        ends = self._blocks.ending(self._position + 1, len(values)).tolist()
        released: list[int] = []
        for length, end in zip(lengths, ends, strict=True):
            self._position += 1
            if length:
                self._take(length)
            if end:
                (digit,) = self._digits.moved(1)
                released.append(self._taken[digit])
                self._taken[: digit + 1] = [0] * (digit + 1)
                self._used[: digit + 1] = [self._position] * (digit + 1)
        return np.array(released, np.int64)

    def _take(self, length: int) -> None:
        for digit, used in enumerate(self._used):
            if self._position - length >= used:
                self._taken[digit] += 1
                self._used[digit] = self._position
