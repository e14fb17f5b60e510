"""The tables of a record model: rows with a fitted count and, where they were measured, their noisy answer and its noise."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seqveil.errors import CallError
from seqveil.release.answers import Answer
from seqveil.release.answers.intervals import CONFIDENCE
from seqveil.release.answers.sums import spread
from seqveil.tables.flat import Flat

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MOST_NOISES = 64
"""Noises in one answer: at most one per stratum."""


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Columns with one entry per row of a table.

    `count` is what the model says, and what is shown; it is never negative. Where `measured`, the row was asked about in every
    stratum in which it can occur: `noisy` is the sum of these answers and `scales(row)` are the scales of the discrete Laplace
    noises in that sum, or the σ of the discrete Gaussian ones where noise is `gaussian`, which were drawn independently. (A scale
    of 0 is an exact answer, as experiments have them.) Elsewhere `noisy` means nothing. Rows share few combinations of scales:
    `law[row]` is the number of its one in `laws`, or -1.

    The interval of a measured row covers the true count with probability 95 % or more for every row that is chosen without
    looking at the release (docs/decisions/error-bars.md, 'The record model'). It always contains the count that is shown: where
    the model disagrees with the row's own answer, the interval is widened up to the count, and the count stays as it is.

    >>> rows = Counted.of(count=[410.0, 3.5], noisy=[400, -12], scales=[20.0])
    >>> rows.answers([0, 1], "records")
    [Answer(value=410, low=340, high=460), Answer(value=4, low=0, high=60)]
    >>> Counted.of(count=[100.0], noisy=[400], scales=[20.0]).answers([0], "records")     # widened
    [Answer(value=100, low=100, high=460)]
    """

    count: Floats
    noisy: Ints
    law: NDArray[np.int32]
    laws: tuple[tuple[float, ...], ...]
    gaussian: bool = False

    @classmethod
    def of(
        cls,
        count: ArrayLike,
        noisy: ArrayLike | None = None,
        scales: Sequence[float] = (),
        measured: ArrayLike | None = None,
        gaussian: bool = False,
    ) -> Counted:
        """Rows whose noise has the same scales; without `noisy`, or where `measured` is false, they were not measured."""
        fitted = np.array(count, np.float64)
        asked = np.full(fitted.shape, noisy is not None) if measured is None else np.array(measured, np.bool_)
        answers = np.zeros(fitted.shape, np.int64) if noisy is None else np.array(noisy, np.int64)
        law = np.where(asked, 0, -1).astype(np.int32)
        return cls(fitted, np.where(asked, answers, 0), law, (tuple(map(float, scales)),), gaussian)

    @classmethod
    def joined(cls, parts: Sequence[Counted]) -> Counted:
        """The rows of several, one after the other."""
        numbers: dict[tuple[float, ...], int] = {}
        laws = []
        for part in parts:
            of_part = np.array([numbers.setdefault(law, len(numbers)) for law in part.laws] + [-1], np.int32)
            laws.append(of_part[part.law])
        return cls(
            np.concatenate([np.zeros(0), *(part.count for part in parts)]),
            np.concatenate([np.zeros(0, np.int64), *(part.noisy for part in parts)]),
            np.concatenate([np.zeros(0, np.int32), *laws]),
            tuple(numbers),
            any(part.gaussian for part in parts),
        )

    def __len__(self) -> int:
        return len(self.count)

    def take(self, rows: NDArray[np.integer]) -> Counted:
        """The chosen rows, in the given order."""
        return Counted(self.count[rows], self.noisy[rows], self.law[rows], self.laws, self.gaussian)

    @property
    def measured(self) -> NDArray[np.bool_]:
        """Whether a row was asked about wherever it can occur."""
        return self.law >= 0

    def scales(self, row: int) -> tuple[float, ...]:
        """The scales of the noises in the answer of a row; none where it was not measured."""
        return self.laws[self.law[row]] if self.law[row] >= 0 else ()

    def intervals(self, rows: NDArray[np.integer]) -> tuple[Ints, Ints]:
        """The ends of rows; they mean nothing where a row was not measured."""
        law = self.law[rows]
        used, at = np.unique(law, return_inverse=True)
        spreads = np.array(
            [spread(self.laws[k], 1 - CONFIDENCE, self.gaussian) if k >= 0 else 0 for k in used.tolist()], np.int64
        )
        count, noisy, reach = self.count[rows], self.noisy[rows], spreads[at]
        low = np.minimum(np.maximum(noisy - reach, 0), np.floor(count).astype(np.int64))
        # An answer below 0 counts as 0 here: its own upper end would be near 0, and look like a precise one.
        return low, np.maximum(np.maximum(noisy, 0) + reach, np.ceil(count).astype(np.int64))

    def answers(self, rows: Iterable[int], about: str) -> list[Answer]:
        """The answers of rows, all at once."""
        at = np.asarray(list(rows), np.int64)
        low, high = self.intervals(at)
        ends = zip(self.count[at].tolist(), low.tolist(), high.tolist(), self.measured[at].tolist(), strict=True)
        return [Answer(v, lo, hi, "count", about) if m else Answer(v, None, None, "estimate", about) for v, lo, hi, m in ends]

    def total(self, rows: Sequence[int], groups: Sequence[int], about: str) -> Answer:
        """The sum of different rows, with an interval for the sum of their noise; an estimate if one of them is.

        Noise is convolved within one group (rows of one length); groups share the 5 % evenly, since what was asked about longer
        sequences may depend on the answers about shorter ones.
        """
        at, group = np.asarray(rows, np.int64), np.asarray(groups, np.int64)
        value = float(self.count[at].sum())
        if not self.measured[at].all():
            return Answer(value, None, None, "estimate", about)
        parts = [tuple(s for row in at[group == g].tolist() for s in self.scales(row)) for g in np.unique(group)]
        reach = sum(spread(scales, (1 - CONFIDENCE) / len(parts), self.gaussian) for scales in parts)
        noisy = sum(self.noisy[at].tolist())  # of any size: a stranger's numbers may not fit into 64 bits together
        low, high = min(max(noisy - reach, 0), math.floor(value)), max(max(noisy, 0) + reach, math.ceil(value))
        return Answer(value, low, high, "total", about)

    def largest(self, rows: NDArray[np.integer], n: int) -> list[int]:
        """The n of these rows with the largest counts, best first; the earlier row first where they are equal."""
        if n < len(rows) and n > 0:
            rows = rows[self.count[rows] >= np.partition(self.count[rows], -n)[-n]]
        best: list[int] = rows[np.argsort(-self.count[rows], kind="stable")][: max(n, 0)].tolist()
        return best

    def check(self) -> None:
        """Refuse columns that are none of a counted table.

        >>> Counted.of(count=[-1.0]).check()
        Traceback (most recent call last):
        seqveil.errors.CallError: not a table of counts: a count is negative or not a number.
        """
        scales = np.array([s for law in self.laws for s in law], np.float64)
        used = np.unique(self.law[self.law >= 0]).tolist() if len(self.law) else []
        for problem, is_there in (
            ("the columns differ in length", not len(self.count) == len(self.noisy) == len(self.law)),
            ("a count is negative or not a number", not ((self.count >= 0) & np.isfinite(self.count)).all()),
            ("a row has a law that is not there", bool(used) and used[-1] >= len(self.laws)),
            ("a scale is negative or not a number", not ((scales >= 0) & np.isfinite(scales)).all()),
            ("a measured row has no scales, or too many", any(not 0 < len(law) <= MOST_NOISES for law in _at(self.laws, used))),
        ):
            if is_there:
                raise CallError(f"not a table of counts: {problem}.")


@dataclass(frozen=True, slots=True, eq=False)
class SequenceCounts:
    """Sequences of labels and their counts: n-grams, first and last labels (one each), pairs of first and last label (two).

    Sequence k is `symbols[offsets[k]:offsets[k + 1]]`, codes of a Domain. Canonical order: by length, then lexicographically by
    codes, each sequence once. A sequence may be there without its prefix. It is found by bisection, without an index.

    >>> rows = SequenceCounts.of([[1], [0, 1], [0]], Counted.of([5.0, 4.0, 9.0]))
    >>> [rows.sequence(k) for k in range(len(rows))], rows.counted.count.tolist(), rows.find([0, 1]), rows.find([1, 1])
    ([(0,), (1,), (0, 1)], [9.0, 5.0, 4.0], 2, None)
    """

    symbols: NDArray[np.int32]
    offsets: Ints
    counted: Counted

    @classmethod
    def of(cls, sequences: Iterable[Iterable[int]], counted: Counted) -> SequenceCounts:
        """From lists of codes in any order; for tests, examples and small models."""
        rows = [tuple(sequence) for sequence in sequences]
        order = sorted(range(len(rows)), key=lambda k: (len(rows[k]), rows[k]))
        flat = Flat.of(rows[k] for k in order)
        return cls(flat.items, flat.offsets, counted.take(np.array(order, np.int64)))

    @classmethod
    def blocks(cls, blocks: Sequence[tuple[NDArray[np.integer], Counted]]) -> SequenceCounts:
        """From matrices with one sequence per row, at most one matrix per length, and the counts of their rows."""
        symbols, counted, lengths = [np.zeros(0, np.int32)], [], [np.zeros(0, np.int64)]
        for matrix, counts in sorted(blocks, key=lambda block: block[0].shape[1]):
            order = np.lexsort(matrix.T[::-1])
            symbols.append(matrix[order].astype(np.int32).ravel())
            lengths.append(np.full(len(matrix), matrix.shape[1], np.int64))
            counted.append(counts.take(order))
        offsets = np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype(np.int64)
        return cls(np.concatenate(symbols), offsets, Counted.joined(counted))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Ints:
        """How many labels every sequence has."""
        return np.diff(self.offsets)

    @property
    def measured(self) -> NDArray[np.bool_]:
        """Whether a row was measured."""
        return self.counted.measured

    def sequence(self, k: int) -> tuple[int, ...]:
        """The codes of sequence k."""
        return tuple(self.symbols[self.offsets[k] : self.offsets[k + 1]].tolist())

    def _labels_of(self, k: int) -> int:
        return int(self.offsets[k + 1] - self.offsets[k])

    def block(self, length: int) -> tuple[int, NDArray[np.int32]]:
        """The sequences of one length as the rows of a matrix, and the number of the first of them."""
        # Bisection of the rows themselves: a query must not look at every length.
        start, stop = (bisect_left(range(len(self)), n, key=self._labels_of) for n in (length, length + 1))
        return start, self.symbols[self.offsets[start] : self.offsets[stop]].reshape(-1, length)

    def find(self, codes: Sequence[int]) -> int | None:
        """The row of a sequence, None when it is not there."""
        if not codes:
            return None
        first, matrix = self.block(len(codes))
        start, stop = 0, len(matrix)
        for column, code in enumerate(codes):
            begin, end = np.searchsorted(matrix[start:stop, column], [code, code + 1])
            start, stop = start + int(begin), start + int(end)
        return first + start if start < stop else None

    def check(self, labels: int, shortest: int, longest: int) -> None:
        """Refuse what are no sequences of `shortest` to `longest` codes below `labels`, or not in canonical order."""
        self.counted.check()
        if self.offsets.ndim != 1 or len(self) < 0 or self.offsets[0] != 0 or self.offsets[-1] != len(self.symbols):
            raise CallError("not a table of sequences: the offsets do not span the symbols.")
        lengths = self.lengths
        for problem, is_there in (
            ("the columns differ in length", len(self.counted) != len(self)),
            (f"a sequence does not have {shortest} to {longest} labels", ((lengths < shortest) | (lengths > longest)).any()),
            ("a label lies outside the domain", ((self.symbols < 0) | (self.symbols >= labels)).any()),
            ("shorter sequences do not come first", (np.diff(lengths) < 0).any()),
        ):
            if is_there:
                raise CallError(f"not a table of sequences: {problem}.")
        if not all(_rises(self.block(length)[1]) for length in np.unique(lengths).tolist()):
            raise CallError("not a table of sequences: the sequences are not in canonical order, each once.")


def _at(laws: tuple[tuple[float, ...], ...], numbers: list[int]) -> list[tuple[float, ...]]:
    return [laws[k] for k in numbers if k < len(laws)]


def _rises(matrix: NDArray[np.int32]) -> bool:
    """Whether the rows rise strictly in lexicographic order."""
    step = np.diff(matrix.astype(np.int64), axis=0)
    first = step[np.arange(len(step)), np.argmax(step != 0, axis=1)] if len(step) else step
    return bool((first > 0).all())
