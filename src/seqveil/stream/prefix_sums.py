"""Prefixes from dyadic blocks: the binary decomposition [Bonomi thesis, §5.2.1, Algorithm 7].

The binary digits of i say which blocks cover 1..i: for i = 6 the four first events and the two after them (Figure 5.2).
Each block's noisy value was released once, when the block ended, and is only added up here. For counts and sums the total
is unbiased; for longest increasing subsequences it never lies below the truth but for noise, since a subsequence of the whole
breaks into subsequences of the blocks; for matches and bursts it lies below by at most one per border between two blocks.
Blocks of fewer than `shortest` events have the value 0, and their noise is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from seqveil.wall.continual import Released

Pair = tuple[int, int]


@dataclass(slots=True)
class PrefixSums:
    """Adds the blocks of each prefix.

    >>> sums = PrefixSums(levels=3)
    >>> [value for value, _ in sums.combine(Released(1, np.ones(6, np.int64), np.array([1, 20, 3, 400, 5, 60])))]
    [1, 20, 23, 400, 405, 460]
    """

    levels: int
    shortest: int = 1
    grid: int = 1
    _upto: list[Pair] = field(init=False)
    _answer: Pair = field(default=(0, 0), init=False)

    def __post_init__(self) -> None:
        self._upto = [(0, 0)] * (self.levels + 1)

    @property
    def every(self) -> int:
        return 1

    def combine(self, released: Released) -> list[Pair]:
        if released.closed:
            # A closed position keeps the answer before it, which is all that was ever released.
            for position in range(released.first, released.first + len(released)):
                self._note(position, self._answer)
            return []
        answers = []
        for position, noisy in enumerate(released.noisy.tolist(), released.first):
            # Invariant: _upto[k] is the answer at the last multiple of 2^k before this position.
            block = position & -position
            before, draws = self._upto[block.bit_length()]
            answers.append((before + noisy, draws + 1) if block >= self.shortest else (before, draws))
            self._note(position, answers[-1])
        self._answer = answers[-1] if answers else self._answer
        return answers

    def covers(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        return positions

    def factor(self, positions: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.ones(len(positions))

    def _note(self, position: int, answer: Pair) -> None:
        if not position & 1:  # nobody asks _upto[0]
            for level in range(1, (position & -position).bit_length()):
                self._upto[level] = answer
