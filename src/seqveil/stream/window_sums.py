"""Windows from dyadic blocks: noise that grows with log W, not with W [Bonomi thesis, §5.4.1].

The last W events are a run of at most 2·log2 W blocks of at most W events each. All of them have ended, and each was released
once. Blocks that ended at a closed position were not: such a block is the sum of its two halves, and a closed single
event is 0. So is every block of fewer than `shortest` events, whatever its noise.
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
    grid: int = 1
    _blocks: list[list[Pair]] = field(init=False)

    def __post_init__(self) -> None:
        # As many blocks of each level as can touch a window; older ones are written over.
        self._blocks = [[(0, 0)] * ((self.width >> level) + 2) for level in range(self.levels)]

    def combine(self, released: Released) -> list[Pair]:
        values = iter(released.noisy.tolist())
        answers: list[Pair] = []
        for position in range(released.first, released.first + len(released)):
            for level in range(min(self.levels, (position & -position).bit_length())):
                index = (position >> level) - 1
                block = self._halves(level, index) if released.closed else (next(values), 1)
                self._put(level, index, block if 1 << level >= self.shortest else (0, 0))
            if not released.closed:
                answers.append(self._window(position))
        return answers

    def covers(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.minimum(positions, self.width)

    def factor(self, positions: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.ones(len(positions))

    def _put(self, level: int, index: int, pair: Pair) -> None:
        self._blocks[level][index % len(self._blocks[level])] = pair

    def _get(self, level: int, index: int) -> Pair:
        return self._blocks[level][index % len(self._blocks[level])]

    def _halves(self, level: int, index: int) -> Pair:
        if level == 0:
            return 0, 0
        (left, some), (right, more) = self._get(level - 1, 2 * index), self._get(level - 1, 2 * index + 1)
        return left + right, some + more

    def _window(self, position: int) -> Pair:
        start, total, draws = max(0, position - self.width), 0, 0
        while start < position:
            # The longest block that begins here, lies inside the window and was released.
            aligned = (start & -start).bit_length() - 1 if start else self.levels
            level = min(aligned, self.levels - 1, (position - start).bit_length() - 1)
            value, some = self._get(level, start >> level)
            start, total, draws = start + (1 << level), total + value, draws + some
        return total, draws
