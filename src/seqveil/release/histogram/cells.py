"""Cells: the noisy counts of every cell of a small table, all with the same noise, and sums of them with exact error bars."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError
from seqveil.release.answers import Answer
from seqveil.release.answers.intervals import CONFIDENCE
from seqveil.release.answers.sums import spread_of_copies

Ints = NDArray[np.int64]


@lru_cache(maxsize=1024)
def reach_of(scale: float, cells: int, gaussian: bool = False) -> int:
    """The smallest z such that the sum of the noise of so many cells is beyond ±z with probability 5 % or less.

    Where noise is `gaussian`, `scale` is σ.

    >>> reach_of(20.0, 1), reach_of(20.0, 100), reach_of(0.0, 5)
    (60, 555, 0)
    >>> reach_of(20.0, 1, gaussian=True), reach_of(20.0, 100, gaussian=True)
    (39, 392)
    """
    return spread_of_copies(scale, cells, 1 - CONFIDENCE, gaussian)


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """An array of noisy counts, of one axis or two, each with independent discrete Laplace noise of one scale, or discrete
    Gaussian noise, of which `scale` is σ.

    What is shown of a cell is its noisy count, or 0 where that is negative; low to high is z to either side of what was drawn,
    cut at 0, and at least z above what is shown. It covers the true count with probability 95 % or more, whatever that is: the
    plain interval noisy ± z does, true counts are not negative, and widening loses nothing. A sum adds the noisy counts,
    negative ones included. The sum of what is shown would be too large: noise that is cut at 0 no longer cancels out.

    >>> cells = Cells(np.array([900, -7, 3]), scale=20.0)
    >>> cells.answers(np.arange(3), "records")
    [Answer(value=900, ±=60), Answer(value=0, low=0, high=60), Answer(value=3, low=0, high=63)]
    >>> cells.total(np.s_[:], "records")
    Answer(value=896, ±=99)
    """

    noisy: Ints
    scale: float
    gaussian: bool = False

    def __post_init__(self) -> None:
        if self.noisy.dtype != np.int64 or self.noisy.ndim not in (1, 2) or not 0 <= self.scale < np.inf:
            raise CallError("not a table of cells: give whole numbers along one axis or two, and a scale of at least 0.")

    @property
    def size(self) -> int:
        """How many cells there are."""
        return int(self.noisy.size)

    @property
    def shown(self) -> Ints:
        """What is shown, files and rankings included."""
        return np.maximum(self.noisy, 0)

    @property
    def reach(self) -> int:
        """The z of every single cell."""
        return self.reach_together(1)

    def reach_together(self, cells: int) -> int:
        """The z of a sum of so many cells."""
        return reach_of(self.scale, cells, self.gaussian)

    def intervals(self) -> tuple[Ints, Ints]:
        """The ends of every cell."""
        return np.maximum(self.noisy - self.reach, 0), self.shown + self.reach

    def answers(self, at: NDArray[np.integer], about: str) -> list[Answer]:
        """The answers of cells, numbered along the flattened table."""
        noisy, z = self.noisy.ravel()[at], self.reach
        low, shown = np.maximum(noisy - z, 0).tolist(), np.maximum(noisy, 0).tolist()
        return [Answer(float(v), lo, v + z, "count", about) for v, lo in zip(shown, low, strict=True)]

    def total(self, part: Any, about: str) -> Answer:
        """The sum of different cells, chosen by an index of the array; one cell is a count."""
        chosen = self.noisy[part]
        if chosen.size == 1:
            return self._around(int(chosen.sum()), self.reach, "count", about)
        # Of any size: a stranger's numbers may not fit into 64 bits together.
        return self._around(sum(chosen.ravel().tolist()), self.reach_together(int(chosen.size)), "total", about)

    def _around(self, noisy: int, z: int, kind: Any, about: str) -> Answer:
        shown = max(noisy, 0)
        return Answer(float(shown), max(noisy - z, 0), shown + z, kind, about)

    def largest(self, k: int | None) -> Ints:
        """The k cells (all of them without k) with the largest counts that are shown, best first; the earlier one of equals."""
        shown = self.shown.ravel()
        if k is None or k >= len(shown):
            return np.argsort(-shown, kind="stable")
        if k <= 0:
            return np.zeros(0, np.int64)
        least = np.partition(shown, -k)[-k]
        some = np.flatnonzero(shown >= least)
        return some[np.argsort(-shown[some], kind="stable")][:k]
