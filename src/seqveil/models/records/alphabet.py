"""The labels that the model tells apart: those that stand out from noise; all others become one symbol, OTHER."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Strong:
    """Codes of the labels told apart, ascending; `size` symbols in all, of which the last is OTHER if there are other labels."""

    labels: int
    codes: NDArray[np.int64]

    @property
    def other(self) -> bool:
        """Whether there are other labels."""
        return len(self.codes) < self.labels

    @property
    def size(self) -> int:
        """The number of symbols."""
        return len(self.codes) + self.other

    @property
    def weak(self) -> NDArray[np.int64]:
        """The labels behind OTHER."""
        weak = np.ones(self.labels, np.bool_)
        weak[self.codes] = False
        return np.flatnonzero(weak)

    @property
    def symbols(self) -> NDArray[np.int32]:
        """The symbol of every label.

        >>> Strong(4, np.array([1, 3])).symbols.tolist()
        [2, 0, 2, 1]
        """
        out = np.full(self.labels, len(self.codes), np.int32)
        out[self.codes] = np.arange(len(self.codes), dtype=np.int32)
        return out

    def summed(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Counts per symbol from counts per label."""
        return np.asarray(np.bincount(self.symbols, counts, self.size), np.float64)


def strongest(passed: NDArray[np.bool_], score: NDArray[np.float64], most: int) -> Strong:
    """At most `most` symbols: the labels that passed with the largest scores. A small domain is kept whole.

    >>> strongest(np.array([True, False, True, True]), np.array([5.0, 9.0, 7.0, 6.0]), most=3).codes.tolist()
    [2, 3]
    >>> strongest(np.array([False, False]), np.zeros(2), most=2).codes.tolist()
    [0, 1]
    """
    labels = len(passed)
    if labels <= most:
        return Strong(labels, np.arange(labels))
    order = np.argsort(np.where(passed, -score, np.inf), kind="stable")[: most - 1]
    return Strong(labels, np.sort(order[passed[order]]))
