"""Answers from the columns that tables of grams and of patterns share: counts, noisy answers, their scales and thresholds."""

from __future__ import annotations

from collections.abc import Iterable, Sized
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError
from seqveil.release.answers.answer import Answer
from seqveil.release.answers.intervals import interval
from seqveil.release.answers.ranking import largest
from seqveil.release.answers.sums import total

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Columns with one entry per row. Only where `measured` do `noisy`, `scale` and `threshold` mean something."""

    count: Floats
    noisy: Ints
    scale: Floats
    threshold: Ints
    measured: NDArray[np.bool_]
    length: Ints
    gaussian: bool = False

    def shown(self, at: Ints) -> tuple[Floats, Ints, Ints]:
        """Value, low and high of rows; the ends mean nothing where a count was not measured."""
        measured = self.measured[at]
        scale = np.where(measured, self.scale[at], 0.0)
        low, high = interval(self.noisy[at], scale, self.threshold[at], gaussian=self.gaussian)
        # The consistent count uses what the rows around it say; it only yields where its own answer rules it out.
        return np.where(measured, np.clip(self.count[at], low, high), self.count[at]), low, high

    def answers(self, rows: Iterable[int], about: str) -> list[Answer]:
        """The answers of rows, all at once."""
        at = np.asarray(list(rows), np.int64)
        value, low, high = self.shown(at)
        ends = zip(value.tolist(), low.tolist(), high.tolist(), self.measured[at].tolist(), strict=True)
        return [Answer(v, lo, hi, "count", about) if m else Answer(v, None, None, "estimate", about) for v, lo, hi, m in ends]

    def ranked(self, rows: Ints, n: int) -> list[int]:
        """The n of these rows with the largest answers, best first; the earlier row first where they are equal."""
        answer = np.where(self.measured[rows], self.noisy[rows], self.count[rows])
        return largest(n, rows, self.count[rows], answer, lambda some: self.shown(some)[0])

    def total(self, rows: list[int], about: str) -> Answer:
        """The sum of the counts of rows, with an interval for the sum of their noise; an estimate if one of them is."""
        value = sum(answer.value for answer in self.answers(rows, about))
        at = np.asarray(rows, np.int64)
        if not self.measured[at].all():
            return Answer(value, None, None, "estimate", about)
        low, high = total(self.noisy[at], self.scale[at], self.threshold[at], self.length[at], gaussian=self.gaussian)
        return Answer(min(max(value, low), high), low, high, "total", about)


def refuse_no_queries(queries: Sized) -> None:
    """A sum has parts."""
    if not len(queries):
        raise CallError("a total needs at least one query.")
