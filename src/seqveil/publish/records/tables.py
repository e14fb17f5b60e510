"""The tables of a release: what the fitted strata say, and the noisy answers behind it, summed over strata."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from seqveil.models.records.alphabet import Strong
from seqveil.publish.records.asking import Noisy
from seqveil.publish.records.measuring import Measured
from seqveil.publish.records.rates import gram_counts
from seqveil.publish.records.sizes import Sizes
from seqveil.release.model.tables import Counted, SequenceCounts

Counts = NDArray[np.float64]

LEAST = 0.5
"""Rows with a smaller count are left out: the release estimates them from its records."""


MOST_PAIRS = 10_000
"""Pairs of first and last label that are released whatever they count: then each has its own interval, also where it is 0."""


def length_table(sizes: Sizes, lengths: Counts) -> Counted:
    """Records per length: open and closed ones were asked for separately."""
    noisy, scale, law = sizes.lengths.answer.reshape(-1, 2), sizes.lengths.width, sizes.lengths.gaussian
    one = Counted.of(lengths[:1].sum(axis=1), noisy[:1, 1], [scale], gaussian=law)
    return Counted.joined([one, Counted.of(lengths[1:].sum(axis=1), noisy[1:].sum(axis=1), [scale, scale], gaussian=law)])


def end_table(parts: Sequence[tuple[Counts, Noisy]]) -> SequenceCounts:
    """First or last labels, over all strata."""
    count = np.sum([fitted for fitted, _ in parts], axis=0)
    rows = np.flatnonzero(count >= LEAST)
    noisy = np.sum([table.answer[rows] for _, table in parts], axis=0)
    everywhere = np.all([table.given[rows] for _, table in parts], axis=0)
    widths, law = [table.width for _, table in parts], parts[0][1].gaussian
    counted = Counted.of(count[rows], noisy, widths, everywhere, law)
    return SequenceCounts.blocks([(rows[:, None], counted)])


def trip_table(strata: Sequence[Measured], strong: Strong) -> SequenceCounts:
    """(first, last) of strong labels; records of one item have the same label twice.

    Where there are few pairs, those that were measured are all listed: what was answered about them is released noise and all, so
    listing it costs nothing, and an origin-destination table has an interval in every cell.
    """
    size = len(strong.codes)
    count, noisy = np.zeros((size, size)), np.zeros((size, size), np.int64)
    scales: list[float] = []
    single: list[float] = []
    given = np.ones(size, np.bool_)
    for stratum in strata:
        count += stratum.model.trips[:size, :size]
        if stratum.trips is None:
            noisy[np.arange(size), np.arange(size)] += stratum.part.first.answer[strong.codes]
            single.append(stratum.part.first.width)
            given &= stratum.part.first.given[strong.codes]
        else:
            noisy += stratum.trips.answer.reshape(strong.size, strong.size)[:size, :size]
            scales.append(stratum.trips.width)
    first, last = np.nonzero((count >= LEAST) | (size * size <= MOST_PAIRS))
    matrix = strong.codes[np.stack([first, last], axis=1)]
    returned = first == last
    blocks = [
        Counted.of(count[first, last], noisy[first, last], scales + more, which, strata[0].part.first.gaussian)
        for more, which in (([], None), (single, given[first]))
    ]
    law = np.where(returned, len(first), 0) + np.arange(len(first))
    counted = _measurable(Counted.joined(blocks)).take(law)
    rows = np.flatnonzero((counted.count >= LEAST) | counted.measured)
    return SequenceCounts.blocks([(matrix[rows], counted.take(rows))])


def _measurable(counted: Counted) -> Counted:
    """Without strata that were asked, a row was not measured (records of one item have no open trips)."""
    empty = np.array([not law for law in counted.laws] + [False])
    law = np.where(empty[counted.law], -1, counted.law).astype(np.int32)
    return Counted(counted.count, counted.noisy, law, counted.laws, counted.gaussian)


def gram_table(strata: Sequence[Measured], strong: Strong, n_max: int) -> SequenceCounts:
    """1-grams of all labels, and longer grams of strong ones that were asked for somewhere."""
    blocks = [_labels(strata, strong)]
    for length in range(2, n_max + 1):
        asked = [_answers(stratum, length) for stratum in strata if stratum.part.high >= length]
        keys = [table[0] for table in asked if table is not None]
        if not keys:
            break
        matrix = np.unique(np.concatenate(keys), axis=0)
        matrix = matrix[(matrix < len(strong.codes)).all(axis=1)]
        count = np.sum([gram_counts(s.model, matrix) for s in strata if s.part.high >= length], axis=0)
        keep = count >= LEAST
        matrix, count = matrix[keep], count[keep]
        blocks.append((strong.codes[matrix], _summed(matrix, count, asked, strong.size)))
    return SequenceCounts.blocks(blocks)


def _labels(strata: Sequence[Measured], strong: Strong) -> tuple[NDArray[np.int64], Counted]:
    count, noisy = np.zeros(strong.labels), np.zeros(strong.labels, np.int64)
    everywhere = np.ones(strong.labels, np.bool_)
    scales: list[float] = []
    for stratum in strata:
        part = stratum.part
        own = part.fitted_label.copy()
        own[strong.codes] = stratum.model.label[: len(strong.codes)]
        count += own
        for table in (part.first, part.last) if part.label is None else (part.label,):
            noisy += table.answer
            everywhere &= table.given
            scales.append(table.width)
    rows = np.flatnonzero(count >= LEAST)
    return rows[:, None], Counted.of(count[rows], noisy[rows], scales, everywhere[rows], strata[0].part.first.gaussian)


def _answers(stratum: Measured, length: int) -> tuple[NDArray[np.int32], Noisy] | None:
    """All grams of a length that a stratum was asked about, in the order of the answer."""
    if length == 2 and stratum.part.high == 2:
        assert stratum.trips is not None
        contexts, noisy = np.arange(len(stratum.model.ends.trips), dtype=np.int32)[:, None], stratum.trips
    elif length - 2 < len(stratum.levels):
        contexts, noisy = stratum.levels[length - 2]
    else:
        return None
    size = len(stratum.model.ends.trips)
    children = np.tile(np.arange(size, dtype=np.int32), len(contexts))[:, None]
    return np.concatenate([np.repeat(contexts, size, axis=0), children], axis=1), noisy


def _summed(
    matrix: NDArray[np.int32], count: Counts, asked: Sequence[tuple[NDArray[np.int32], Noisy] | None], size: int
) -> Counted:
    """Sums of answers; a row is measured if every stratum in which it can occur was asked about it."""
    noisy, everywhere = np.zeros(len(matrix), np.int64), np.ones(len(matrix), np.bool_)
    wanted = _keys(matrix, size)
    scales, gaussian = [], False
    for table in asked:
        if table is None:
            everywhere[:] = False
            continue
        keys = _keys(table[0], size)
        order = np.argsort(keys, kind="stable")
        at = np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)
        there = keys[order[at]] == wanted
        noisy += np.where(there, table[1].answer[order[at]], 0)
        everywhere &= there
        scales.append(table[1].width)
        gaussian |= table[1].gaussian
    return Counted.of(count, noisy, scales, everywhere, gaussian)


def _keys(matrix: NDArray[np.int32], size: int) -> NDArray[np.int64]:
    """One number per gram: at most 7 symbols of an alphabet of 256 fit."""
    out = np.zeros(len(matrix), np.int64)
    for column in matrix.T:
        out = out * size + column
    return out
