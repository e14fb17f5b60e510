"""Single labels of every stratum: first, last and all of them, and which of them the model tells apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.models.records.alphabet import Strong, strongest
from seqveil.models.records.denoise import denoised
from seqveil.models.records.margins import levelled
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


SWEEPS = 2
"""How often every table is denoised anew, against what the other tables then say."""


def fit_labels(parts: list[Part], labels: int, settled: int = 0) -> None:
    """Denoise the tables, each against the same table of other strata and, less so, all other tables.

    The tables of the first `settled` strata stay as they are.
    """
    pool = np.zeros((3, len(parts), labels))
    for k, p in enumerate(parts[:settled]):
        pool[:, k] = p.fitted_first, p.fitted_last, p.fitted_label
    for _ in range(SWEEPS):
        for k, p in list(enumerate(parts))[settled:]:
            totals = (p.records, p.records, p.items)
            for which, noisy in enumerate((p.first, p.last, p.label)):
                if noisy is not None and (which == 0 or p.high > 1):
                    pool[which, k] = _fitted(noisy, _shape(pool, which, k), totals[which])
            if p.high == 1:
                pool[1:, k] = pool[0, k]
            elif p.label is None:
                pool[2, k] = pool[0, k] + pool[1, k]
    for k, p in enumerate(parts):
        p.fitted_first, p.fitted_last, p.fitted_label = pool[0, k], pool[1, k], pool[2, k]


def _shape(pool: NDArray[np.float64], which: int, k: int) -> Counts:
    """How a table of stratum k is expected to be spread over labels."""
    labels = pool.shape[2]
    others = np.delete(pool, k, axis=1)
    same, label = others[which].sum(axis=0), others[2].sum(axis=0) + pool[:2, k].sum(axis=0) * (which == 2)
    shape = np.full(labels, 0.02 / labels)
    for part_of, share in ((same, 0.9), (label, 0.08)):
        total = float(part_of.sum())
        shape += share * (part_of / total if total > 0 else 1 / labels)
    return shape


def _fitted(noisy: Noisy, shape: Counts, total: float) -> Counts:
    mean, variance = denoised(noisy.answer, total * shape, noisy.scale, total=total)
    return levelled(mean, variance, total)


def refine_ends(p: Part, strong: Strong, trips: Counts) -> None:
    """Take the ends of strong labels from a table of trips that says more about them than their own tables."""
    p.fitted_first = _replaced(p.fitted_first, strong, trips.sum(axis=1))
    p.fitted_last = _replaced(p.fitted_last, strong, trips.sum(axis=0))
    p.fitted_label = p.fitted_first + p.fitted_last


def _replaced(fitted: Counts, strong: Strong, symbols: Counts) -> Counts:
    """Symbols as given; OTHER is spread over weak labels as before."""
    out = fitted.copy()
    if strong.other:
        weak = strong.weak
        out[weak] *= symbols[-1] / max(float(out[weak].sum()), 1e-9)
    out[strong.codes] = symbols[: len(strong.codes)]
    return out


def choose_labels(parts: list[Part], labels: int) -> Strong:
    """The labels that stand out from noise in one of the tables."""
    passed, score = np.zeros(labels, np.bool_), np.zeros(labels)
    for p in parts:
        for noisy in (p.first, p.last, p.label):
            if noisy is not None:
                passed |= noisy.answer > noisy.scale * np.log(max(labels / 4, 2.0))
        score += p.fitted_label
    return strongest(passed, score, MOST_SYMBOLS)
