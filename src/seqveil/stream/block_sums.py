"""Prefixes from the blocks of bounded digit sums: the answer so far is the sum of as many blocks as its digits say.

When digit j moves, the new block begins where digit j, or a higher one, moved before; so the answer is the answer of that
moment plus the block's value. Closed moments keep the answer before them, which is all that was ever released.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.wall.continual import Blocks, Released
from seqveil.wall.continual.blocks import Digits

Pair = tuple[Any, int]


@dataclass(slots=True)
class BlockSums:
    """Adds the blocks of each prefix; one number per label where there are several.

    >>> sums = BlockSums(Blocks(5, 2))                                             # 01 02 10 11 20
    >>> sums.combine(Released(1, np.ones(5, np.int64), np.array([1, 20, 300, 4000, 50000])))
    [(1, 1), (21, 2), (300, 1), (4300, 2), (50300, 2)]
    """

    blocks: Blocks
    values: int = 1
    grid: int = 1
    _digits: Digits = field(init=False)
    _upto: list[Pair] = field(init=False)
    _answer: Pair = field(init=False)

    def __post_init__(self) -> None:
        self._digits = self.blocks.digits()
        self._answer = (0 if self.values == 1 else np.zeros(self.values, np.int64)), 0
        self._upto = [self._answer] * self.blocks.overlap

    @property
    def every(self) -> int:
        return self.blocks.every

    def combine(self, released: Released) -> list[Pair]:
        before = released.first - 1
        steps = (before + len(released)) // self.every - before // self.every
        moved = self._digits.moved(steps)
        if released.closed:
            for digit in moved:
                self._note(digit)
            return []
        noisy = released.noisy.tolist() if self.values == 1 else list(released.noisy.reshape(steps, self.values))
        answers = []
        for digit, value in zip(moved, noisy, strict=True):
            upto, draws = self._upto[digit]
            self._answer = upto + value, draws + 1
            self._note(digit)
            answers.append(self._answer)
        return answers

    def covers(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        return positions

    def factor(self, positions: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.ones(len(positions))

    def _note(self, digit: int) -> None:
        for lower in range(digit + 1):
            self._upto[lower] = self._answer
