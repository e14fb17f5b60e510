"""Single labels of every stratum: first, last and all of them, and which of them the model tells apart."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from seqveil.models.records import totals
from seqveil.models.records.alphabet import Strong, strongest
from seqveil.models.records.denoise import denoised
from seqveil.models.records.explain import explained
from seqveil.publish.records.asking import Noisy, asked_labels
from seqveil.publish.records.caps import NO_CAPS, Caps
from seqveil.publish.records.shares import Shares, part
from seqveil.publish.records.sizes import Sizes, Sum, drawable, fit_lengths, informed, number_of, shared
from seqveil.wall import Alphabet, Firsts, Labels, Lasts, Wall

Counts = NDArray[np.float64]

MOST_SYMBOLS, MOST_SURE, MOST_IN_PAIRS = 256, 384, 1024
"""Symbols that the model tells apart; more, if all of them stand out twice as clearly; more still, if no record has more than two
items: else the cost grows with their cube."""

MOST_CELLS, TABLES = 2.5e8, 4
"""A fit holds numbers of four bytes: per step one for every state and symbol, and so many tables of pairs of symbols. In all no
more than this: 1 GB. It binds where records are very long."""


@dataclass(slots=True, eq=False)
class Part:
    """A stratum: records of low..high items, `lengths[l − low]` open and closed ones of l items, and what was asked about single
    labels."""

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
    caps: Caps = NO_CAPS

    @property
    def records(self) -> float:
        """The number of records."""
        return float(self.lengths.sum())

    @property
    def items(self) -> float:
        """The number of items."""
        return float((self.lengths.sum(axis=1) * np.arange(self.low, self.high + 1)).sum())


def ask_labels(wall: Wall, low: int, high: int, shares: Shares, caps: Caps = NO_CAPS) -> Part:
    """Ask a stratum about single labels. In records of one item all three are one and the same."""
    every = Alphabet.identity(len(wall.domain))
    lengths, none = np.zeros((high - low + 1, 2)), np.zeros(0)
    if high == 1:
        first = asked_labels(wall, Firsts(every), wall.remaining)
        return Part(wall, low, high, lengths, shares, first, first, first, none, none, none, caps)
    grains = part(wall.epsilon, shares.ends)
    first, last = asked_labels(wall, Firsts(every), grains), asked_labels(wall, Lasts(every), grains)
    counted = Labels(high, every, caps.labels)
    label = asked_labels(wall, counted, part(wall.epsilon, shares.labels)) if high > 2 else None
    return Part(wall, low, high, lengths, shares, first, last, label, none, none, none, caps)


def fit_sizes(parts: list[Part], sizes: Sizes) -> None:
    """How many records have every length, by all that was asked so far: tables of first or last labels also count all records of
    their stratum, tables of labels all their items."""
    longest = len(sizes.number.weights)
    sums = []
    for p in parts:
        records, items = np.zeros(longest), np.zeros(longest)
        records[p.low - 1 : p.high] = 1.0
        items[p.low - 1 : p.high] = np.arange(p.low, p.high + 1)
        for table, weights in ((p.first, records), (p.last, records), (p.label, items)):
            capped = table is p.label and p.caps.labels is not None  # its sum is below the number of items
            if table is not None and table.threshold is None and not capped and (table is p.first or p.high > 1):
                sums.append(Sum.of(table, weights))
    lengths, variance = fit_lengths(sizes.lengths, number_of(sizes.lengths, [sizes.number, *sums]))
    lengths = informed(drawable(lengths), shared(lengths, variance, sizes.lengths.scale), sums)
    for p in parts:
        p.lengths = lengths[p.low - 1 : p.high]


def fit_labels(parts: list[Part], labels: int, settled: int = 0) -> None:
    """Denoise the tables, each against what those before it explain of it: first the table that says most.

    The tables of the first `settled` strata stay as they are. No table has a part in its own prediction.
    """
    pool = np.zeros((3, len(parts), labels))
    for k, p in enumerate(parts[:settled]):
        pool[:, k] = p.fitted_first, p.fitted_last, p.fitted_label
    todo = []
    for k, p in list(enumerate(parts))[settled:]:
        for which, noisy in enumerate((p.first, p.last, p.label)):
            if noisy is not None and (which == 0 or p.high > 1):
                total = p.items if which == 2 else p.records
                todo.append((-total / noisy.scale, which, k, noisy, total))
    for _, which, k, noisy, total in sorted(todo, key=lambda one: one[:3]):
        pool[which, k] = _fitted(noisy, total, _related(pool, which, k))
        if parts[k].high == 1:
            pool[1:, k] = pool[0, k]
        elif parts[k].label is None:
            pool[2, k] = pool[0, k] + pool[1, k]
    if not settled:
        _settle(parts, pool)
    for k, p in enumerate(parts):
        p.fitted_first, p.fitted_last, p.fitted_label = pool[0, k], pool[1, k], pool[2, k]


def _settle(parts: list[Part], pool: NDArray[np.float64]) -> None:
    """Take away what posterior means of many tables leave to labels that all tables together show to be rare or absent."""
    tables = [table for p in parts for table in ((p.first, p.last) if p.label is None else (p.label,))]
    ends, items, records = pool[:2].sum(axis=(0, 1)), sum(p.items for p in parts), sum(p.records for p in parts)
    if any(table.threshold is not None for table in tables) or items <= 0 or ends.sum() <= 0:
        return
    answer = np.sum([table.answer for table in tables], axis=0).astype(np.float64)
    scale = float(np.sqrt(sum(table.scale**2 for table in tables)))
    gaussian = tables[0].gaussian
    count = totals.settled(answer, scale, answer, np.inf, ends[None, :] / ends.sum(), items, totals.RARE * records, gaussian)
    sums = pool.sum(axis=2, keepdims=True)
    kept = pool * np.minimum(count / np.maximum(pool[2].sum(axis=0), 1e-9), 1.0)
    left = kept.sum(axis=2, keepdims=True)
    # A table of which nothing would be left stays as it is: its records do not vanish.
    pool[:] = np.where(left > 1e-9 * sums, kept * (sums / np.maximum(left, 1e-300)), pool)


def _related(pool: NDArray[np.float64], which: int, k: int) -> list[Counts]:
    """The tables that a table of stratum k may resemble: the same of other strata, those of its own stratum, and the rest."""
    others = pool.sum(axis=1) - pool[:, k]
    return [*others, *(pool[kind, k] for kind in range(3) if kind != which)]


def _fitted(noisy: Noisy, total: float, related: list[Counts]) -> Counts:
    if total <= 0:
        return np.zeros(len(noisy.answer))
    if noisy.threshold is not None:
        return _completed(noisy.answer, noisy.threshold, total, related)
    predicted = explained(noisy.answer, noisy.scale, total, related)
    return denoised(noisy.answer, predicted, noisy.scale, None, total, noisy.gaussian)[0]


def _completed(answer: NDArray[np.int64], threshold: int, total: float, related: list[Counts]) -> Counts:
    """Counts that were given, as they are; the others share the rest of the total as in related tables, below the threshold,
    and evenly where those say nothing."""
    given = answer >= threshold
    rest = total - float(answer[given].sum())
    if rest <= 0 or given.all():
        return np.asarray(answer * (total / max(float(answer[given].sum()), 1e-9)), np.float64)
    shape = np.zeros(len(answer))
    for table in related:
        shape += table / max(float(table.sum()), 1e-9)
    shape[given] = 0.0
    out = np.minimum(shape * (rest / max(float(shape.sum()), 1e-9)), threshold)
    left = rest - float(out.sum())
    return np.where(given, answer, out + left / int((~given).sum()))


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
    clear, score = np.zeros(labels), np.zeros(labels)
    for p in parts:
        for noisy in (p.first, p.last, p.label):
            if noisy is not None:
                clear = np.maximum(clear, noisy.answer / noisy.clear)
        score += p.fitted_label
    return strongest(clear > 1, score, most_symbols(parts[-1].high, int((clear > 2).sum())))


def most_symbols(high: int, sure: int = 0) -> int:
    """How many symbols a model of records of at most `high` items tells apart, if so many labels stand out clearly.

    Tables of pairs of symbols take no more than half of the room of a fit: contexts need the rest.

    >>> most_symbols(2), most_symbols(20), most_symbols(20, 300), most_symbols(20, 3000), most_symbols(1000)
    (1024, 256, 301, 384, 158)
    """
    if high <= 2:
        return MOST_IN_PAIRS
    return min(max(sure + 1, MOST_SYMBOLS), MOST_SURE, isqrt(int(MOST_CELLS / (2 * (TABLES + 1) * high))))
