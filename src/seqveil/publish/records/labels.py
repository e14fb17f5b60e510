"""Single labels of every stratum: first, last and all of them, and which of them the model tells apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.models.records.alphabet import Strong, strongest
from seqveil.models.records.denoise import denoised
from seqveil.models.records.margins import on_simplex
from seqveil.publish.records.asking import Noisy, asked
from seqveil.publish.records.shares import Shares, part
from seqveil.wall import Alphabet, Firsts, Labels, Lasts, Wall

Counts = NDArray[np.float64]

MOST_SYMBOLS = 256
"""Symbols that the model tells apart; its cost grows with their square."""


@dataclass(slots=True, eq=False)
class Part:
    """A stratum: records of low..high items, `lengths` of them as in `Sizes`, and what was asked about single labels."""

    wall: Wall
    low: int
    high: int
    lengths: Counts
    shares: Shares
    first: Noisy
    last: Noisy
    label: Noisy | None
    fitted_first: Counts
    fitted_last: Counts
    fitted_label: Counts

    @property
    def records(self) -> float:
        """The number of records."""
        return float(self.lengths.sum())

    @property
    def items(self) -> float:
        """The number of items."""
        return float((self.lengths.sum(axis=1) * np.arange(self.low, self.high + 1)).sum())


def ask_labels(wall: Wall, low: int, high: int, lengths: Counts, shares: Shares) -> Part:
    """Ask a stratum about single labels. In records of one item all three are one and the same."""
    every = Alphabet.identity(len(wall.domain))
    none = np.zeros(0)
    if high == 1:
        first = asked(wall, Firsts(every), wall.remaining)
        return Part(wall, low, high, lengths, shares, first, first, first, none, none, none)
    grains = part(wall.epsilon, shares.ends)
    first, last = asked(wall, Firsts(every), grains), asked(wall, Lasts(every), grains)
    label = asked(wall, Labels(high, every), part(wall.epsilon, shares.labels)) if high > 2 else None
    return Part(wall, low, high, lengths, shares, first, last, label, none, none, none)


def fit_labels(parts: list[Part], labels: int) -> None:
    """Denoise the tables, each against those of shorter records."""
    pool = np.zeros((3, labels))
    for p in parts:
        p.fitted_first = _fitted(p.first, pool[0], p.records)
        p.fitted_last = p.fitted_first if p.high == 1 else _fitted(p.last, pool[1], p.records)
        ends = p.fitted_first + p.fitted_last
        if p.high == 1:
            p.fitted_label = p.fitted_first
        elif p.label is None:
            p.fitted_label = ends
        else:
            p.fitted_label = _fitted(p.label, pool[2], p.items)
        pool += [p.fitted_first, p.fitted_last, p.fitted_label]


def _fitted(noisy: Noisy, pool: Counts, total: float) -> Counts:
    labels = len(pool)
    shape = np.full(labels, 1 / labels) if pool.sum() <= 0 else 0.8 * pool / pool.sum() + 0.2 / labels
    mean, _ = denoised(noisy.answer, total * shape, noisy.scale)
    if labels <= MOST_SYMBOLS:
        return on_simplex(mean, total)
    return mean * (total / max(float(mean.sum()), 1e-9))


def choose_labels(parts: list[Part], labels: int) -> Strong:
    """The labels that stand out from noise in one of the tables."""
    passed, score = np.zeros(labels, np.bool_), np.zeros(labels)
    for p in parts:
        for noisy in (p.first, p.last, p.label):
            if noisy is not None:
                passed |= noisy.answer > noisy.scale * np.log(max(labels / 4, 2.0))
        score += p.fitted_label
    return strongest(passed, score, MOST_SYMBOLS)
