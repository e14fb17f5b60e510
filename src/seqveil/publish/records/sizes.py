"""How many records there are, and how many of each length: closed (first = last label) or open."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.models.records.denoise import denoised
from seqveil.models.records.margins import levelled
from seqveil.publish.records.asking import Noisy, asked
from seqveil.publish.records.shares import ROUGH, length_share, part, size_share
from seqveil.wall import GRAINS, Alphabet, ClosedLengths, Firsts, Wall

MOST_ITEMS = 2**29
"""With very little ε noise alone can ask for trillions of records: no more items than this are drawn."""


@dataclass(frozen=True, slots=True, eq=False)
class Sizes:
    """`lengths[l − 1, 1]` closed and `lengths[l − 1, 0]` open records of l items; `signal` is their number, divided by the scale
    that noise has when one sequence of a unit is counted with all of ε."""

    lengths: NDArray[np.float64]
    noisy: Noisy
    signal: float


def measure_sizes(wall: Wall, l_max: int) -> Sizes:
    """A rough number of records, from which the shares of everything else follow; a better one; and lengths."""
    unit = wall.unit.sequences * GRAINS / wall.epsilon
    with wall.stage("number of records"):
        # Records with at least one item, by a first label of any kind.
        question = Firsts(Alphabet(np.zeros(len(wall.domain), np.int32), 1))
        rough = asked(wall, question, part(wall.epsilon, ROUGH))
        signal = max(float(rough.answer[0]), 1.0) / unit
        better = asked(wall, question, part(wall.epsilon, size_share(signal)))
    with wall.stage("lengths"):
        noisy = asked(wall, ClosedLengths(l_max), part(wall.epsilon, length_share(signal)))
    cells = noisy.answer.astype(np.float64)[1:]  # slot 0 is that of open records of one item: there are none
    precision = 1 / np.array([rough.scale**2, better.scale**2, noisy.scale**2 * len(cells)])
    number = float((precision * [rough.answer[0], better.answer[0], cells.sum()]).sum() / precision.sum())
    number = max(number, 0.0)
    lengths = drawable(np.concatenate([[0.0], fit_lengths(noisy, number)]).reshape(l_max, 2))
    number = float(lengths.sum())
    return Sizes(lengths, noisy, max(number, 1.0) / unit)


def drawable(lengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Fewer records, if these would have too many items to be drawn.

    >>> float(drawable(np.array([[0.0, 0.0], [1e8, 0.0]])).sum()), float(drawable(np.array([[0.0, 0.0], [1e12, 0.0]])).sum())
    (100000000.0, 268435456.0)
    """
    items = float((lengths.sum(axis=1) * np.arange(1, len(lengths) + 1)).sum())
    return lengths * min(1.0, MOST_ITEMS / max(items, 1.0))


def fit_lengths(noisy: Noisy, number: float) -> NDArray[np.float64]:
    """Records per length, denoised against those of neighbouring lengths. The first slot, which is empty, is left out."""
    wide = noisy.answer.astype(np.float64).reshape(-1, 2)
    padded = np.pad(wide, ((2, 2), (0, 0)))
    beside = (padded[:-4] + 2 * padded[1:-3] + 2 * padded[3:-1] + padded[4:]) / 6
    mean, variance = denoised(noisy.answer[1:], np.maximum(beside, 0.0).ravel()[1:], noisy.scale, total=number)
    return levelled(mean, variance, number)
