"""How many records there are, and how many of each length: closed (first = last label) or open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.models.records.denoise import denoised
from seqveil.models.records.margins import levelled
from seqveil.publish.records.asking import Noisy, asked, scale_of
from seqveil.publish.records.shares import ROUGH, in_measure, length_share, part, size_share
from seqveil.wall import Alphabet, ClosedLengths, Firsts, Wall

ROUNDS = 16
"""Rounds in which lengths that would become negative are found to be empty."""

MOST_ITEMS = 2**29
"""With very little ε noise alone can ask for trillions of records: no more items than this are drawn."""


@dataclass(frozen=True, slots=True, eq=False)
class Sum:
    """A noisy sum over records: each counts as often as `weights[l − 1]` says for its length l."""

    weights: NDArray[np.float64]
    answer: float
    variance: float

    @classmethod
    def of(cls, table: Noisy, weights: NDArray[np.float64]) -> Sum:
        """The sum of a table, in which each record is counted that often."""
        return cls(weights, float(table.answer.sum()), 2 * table.scale**2 * len(table.answer))

    @classmethod
    def number(cls, tables: Sequence[Noisy], longest: int) -> Sum:
        """The number of records, from tables that hold nothing else."""
        precision = np.array([1 / (2 * table.scale**2) for table in tables])
        answer = float((precision * [table.answer[0] for table in tables]).sum() / precision.sum())
        return cls(np.ones(longest), answer, float(1 / precision.sum()))


@dataclass(frozen=True, slots=True, eq=False)
class Sizes:
    """What was asked about the size of the data: the `number` of records, and how many have every `length`: slot 2l − 1 counts
    closed records of l items, slot 2l − 2 open ones (of one item there are none). `signal` is the number of records, divided by
    the scale that noise has when one sequence of a unit is counted with all of ε."""

    number: Sum
    lengths: Noisy
    signal: float


def measure_sizes(wall: Wall, l_max: int) -> Sizes:
    """A rough number of records, from which the shares of everything else follow; a better one; and lengths."""
    # Records with at least one item, by a first label of any kind.
    question = Firsts(Alphabet(np.zeros(len(wall.domain), np.int32), 1))
    unit = scale_of(wall, question, wall.epsilon)

    def paid(share: float) -> int:
        return part(wall.epsilon, in_measure(share, wall.measure))

    with wall.stage("number of records"):
        rough = asked(wall, question, paid(ROUGH))
        signal = max(float(rough.answer[0]), 1.0) / unit
        better = asked(wall, question, paid(size_share(signal)))
    with wall.stage("lengths"):
        noisy = asked(wall, ClosedLengths(l_max), paid(length_share(signal)))
    number = Sum.number([rough, better], l_max)
    return Sizes(number, noisy, max(number_of(noisy, [number]), 1.0) / unit)


def drawable(lengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Fewer records, if these would have too many items to be drawn.

    >>> float(drawable(np.array([[0.0, 0.0], [1e8, 0.0]])).sum()), float(drawable(np.array([[0.0, 0.0], [1e12, 0.0]])).sum())
    (100000000.0, 268435456.0)
    """
    items = float((lengths.sum(axis=1) * np.arange(1, len(lengths) + 1)).sum())
    return lengths * min(1.0, MOST_ITEMS / max(items, 1.0))


def fit_lengths(noisy: Noisy, number: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Records per length, open and closed, denoised against those of neighbouring lengths; and their variances."""
    wide = noisy.answer.astype(np.float64).reshape(-1, 2)
    padded = np.pad(wide, ((2, 2), (0, 0)))
    beside = (padded[:-4] + 2 * padded[1:-3] + 2 * padded[3:-1] + padded[4:]) / 6
    mean, variance = denoised(noisy.answer[1:], np.maximum(beside, 0.0).ravel()[1:], noisy.scale, None, number, noisy.gaussian)
    none = [0.0]  # the slot of open records of one item
    return np.append(none, levelled(mean, variance, number)).reshape(-1, 2), np.append(none, variance).reshape(-1, 2)


def shared(lengths: NDArray[np.float64], variance: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """Variances of weak lengths, whose errors are alike: noise makes hundreds of lengths that nobody has a little too frequent.

    From one power of two to the next, they hold together what is known no better than by the sum of their answers. Each has a
    share of that variance in proportion to its records, unless its own is larger.

    >>> shared(np.array([[0.0, 90.0], [0.0, 1.0], [3.0, 0.0]]), np.array([[0.0, 8.0], [0.5, 0.5], [0.5, 0.5]]), scale=2.0)
    array([[ 0. ,  8. ],
           [ 0.5,  8. ],
           [24. ,  0.5]])
    """
    raw = 2 * scale**2
    weak = lengths * (variance < raw)
    octave = np.frexp(np.arange(1, len(lengths) + 1))[1]
    total, cells = (np.bincount(octave, counted.sum(axis=1))[octave, None] for counted in (weak, (variance < raw) * 1.0))
    return np.asarray(np.where(weak > 0, np.maximum(variance, raw * cells * weak / np.maximum(total, 1e-300)), variance))


def number_of(lengths: Noisy, sums: Sequence[Sum]) -> float:
    """The number of records as all say together: the records of every length, and sums, each by its variance.

    Without bias, but that it is not negative: lengths are not brought above zero before they are added up. What is known well
    about some records, such as the short ones, helps to know how many there are.

    >>> ones = Sum(np.array([1.0, 0.0]), 40.0, 0.0)  # records of one item: 40, without noise
    >>> round(number_of(Noisy(np.array([0, 50, 7, 3]), 10.0), [ones]), 3)
    50.0
    """
    cells = lengths.answer.astype(np.float64)[1:]
    agreed = _agreed(cells, np.full(len(cells), 2 * lengths.scale**2), _design(sums)[:, 1:], sums)
    return max(float(agreed.sum()), 0.0)


def _design(sums: Sequence[Sum]) -> NDArray[np.float64]:
    """How often a record of every slot of lengths counts in every sum."""
    return np.repeat(np.stack([one.weights for one in sums]), 2, axis=1)


def _agreed(
    values: NDArray[np.float64], variance: NDArray[np.float64], design: NDArray[np.float64], sums: Sequence[Sum]
) -> NDArray[np.float64]:
    """Generalized least squares: values, and sums of them, moved by their variances until they agree."""
    missing = np.array([one.answer for one in sums]) - design @ values
    spread = (design * variance) @ design.T + np.diag([one.variance + 1e-6 for one in sums])
    return np.asarray(values + variance * (design.T @ np.linalg.solve(spread, missing)))


def informed(lengths: NDArray[np.float64], variance: NDArray[np.float64], sums: Sequence[Sum]) -> NDArray[np.float64]:
    """The same number of records, in lengths that agree with what sums of other tables say, each by its variance.

    >>> said = Sum(np.array([1.0, 2.0, 3.0]), 100.0, 0.0)  # items
    >>> informed(np.array([[0.0, 50.0], [0.0, 0.0], [9.0, 1.0]]), np.array([[0.0, 1.0], [0.0, 0.0], [9.0, 1.0]]), [said]).round(1)
    array([[ 0., 40.],
           [ 0.,  0.],
           [18.,  2.]])
    """
    number = float(lengths.sum())
    if number <= 0 or not sums:
        return lengths
    evidence = [*sums, Sum(np.ones(len(lengths)), number, 0.0)]
    design = _design(evidence)
    start, loose = lengths.ravel().copy(), variance.ravel().copy()
    for _ in range(ROUNDS):
        moved = _agreed(start, loose, design, evidence)
        empty = moved < 0
        if not empty.any():
            break
        start[empty] = loose[empty] = 0.0
    out = np.maximum(moved, 0.0)
    return (out * (number / max(float(out.sum()), 1e-9))).reshape(lengths.shape)
