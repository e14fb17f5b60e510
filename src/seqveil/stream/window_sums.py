"""Windows from blocks of k^j events: noise that grows with log W, not with W [Bonomi thesis, §5.4.1] (k = 2 there).

The last W events are a run of blocks of at most W events each: at most 2(k − 1) of every size but the largest. All of them
have ended, and each was released once. Blocks that ended at a closed position were not: such a block is the sum of its k parts,
and a closed single event is 0. So is every block of fewer than `shortest` events, whatever its noise.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from seqveil.wall.continual import Released

Pair = tuple[int, int]


@dataclass(slots=True)
class WindowSums:
    """Adds the blocks of each window.

    >>> sums = WindowSums(width=3, levels=2)
    >>> ending, noisy = np.array([1, 2, 1, 2]), np.array([1, 2, 30, 4, 5, 90])       # [1] [2] [1 2] [3] [4] [3 4]
    >>> [value for value, _ in sums.combine(Released(1, ending, noisy))]              # 1 | 12 | 12+3 | 2+34
    [1, 30, 34, 92]
    """

    width: int
    levels: int
    shortest: int = 1
    arity: int = 2
    grid: int = 1
    _sizes: list[int] = field(init=False)
    _sums: list[list[Pair]] = field(init=False)

    def __post_init__(self) -> None:
        self._sizes = [self.arity**level for level in range(self.levels)]
        # Running totals of the blocks of each level, as many as can touch a window; older ones are written over.
        self._sums = [[(0, 0)] * (self.width // size + 3 + self.arity) for size in self._sizes]

    @property
    def every(self) -> int:
        return 1

    def combine(self, released: Released) -> list[Pair]:
        values = iter(released.noisy.tolist())
        answers: list[Pair] = []
        for position in range(released.first, released.first + len(released)):
            for level, size in enumerate(self._sizes):
                if position % size:
                    break
                index = position // size - 1
                value, draws = self._parts(level, index) if released.closed else (next(values), 1)
                self._put(level, index, (value, draws) if size >= self.shortest else (0, 0))
            if not released.closed:
                answers.append(self._window(position))
        return answers

    def covers(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.minimum(positions, self.width)

    def factor(self, positions: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.ones(len(positions))

    def _put(self, level: int, index: int, pair: Pair) -> None:
        sums = self._sums[level]
        total, draws = sums[index % len(sums)]
        sums[(index + 1) % len(sums)] = total + pair[0], draws + pair[1]

    def _run(self, level: int, first: int, end: int) -> Pair:
        """The sum of the blocks first..end − 1 of a level."""
        sums = self._sums[level]
        (before, some), (total, draws) = sums[first % len(sums)], sums[end % len(sums)]
        return total - before, draws - some

    def _parts(self, level: int, index: int) -> Pair:
        return (0, 0) if level == 0 else self._run(level - 1, self.arity * index, self.arity * (index + 1))

    def _window(self, position: int) -> Pair:
        """Blocks grow until the largest that fits, then shrink: one run of each size on either side."""
        at, total, draws, level = max(0, position - self.width), 0, 0, 0
        runs = []
        while level + 1 < self.levels and (aligned := -(-at // self._sizes[level + 1]) * self._sizes[level + 1]) <= position:
            runs.append((level, at, aligned))
            at, level = aligned, level + 1
        for lower in range(level, -1, -1):
            end = position // self._sizes[lower] * self._sizes[lower]
            runs.append((lower, at, end))
            at = end
        for one, first, end in runs:
            value, some = self._run(one, first // self._sizes[one], end // self._sizes[one])
            total, draws = total + value, draws + some
        return total, draws
