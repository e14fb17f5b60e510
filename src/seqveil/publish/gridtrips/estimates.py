"""What noisy answers about trips say together, before the law of trips is fitted to them. All of it is post-processing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqveil.models.gridtrips.fit import Evidence, Target
from seqveil.models.gridtrips.grid import Grid
from seqveil.models.records.denoise import denoised
from seqveil.models.records.margins import on_simplex, proportional
from seqveil.publish.gridtrips.asking import BLOCKS, Noisy, coded, flows

Counts = NDArray[np.float64]

TRUST = {"steps between blocks": 10.0, "steps between small blocks": 3.0}
"""Noise counts for this much less than its own deviation when steps are fitted: what plain walks say is farther off than a count
of as many trips would be."""

TIGHT = 0.1
"""Denoised counts of ends and lengths are met within this share of themselves, taken as a variance, or within their noise."""

LEAST_MOVE = 0.002
"""Moves of a smaller share of all first moves are not made."""

FLOOR = 0.3
"""A move counts for at least this share of the scale of its noise."""

SLACK = 0.1
"""First moves are like all others within this share."""

ROUNDS = 5
"""Rounds in which the decay of trips with distance and their margins are brought together."""


def number(answers: dict[str, Noisy]) -> float:
    """The number of trips, which five tables add up to, each by its variance."""
    tables = [answers[name] for name in ("number of trips", "lengths", "first cells", "last cells", "trips between blocks")]
    precision = np.array([1 / (table.variance * len(table.answer)) for table in tables])
    sums = np.array([float(table.answer.sum()) for table in tables])
    return max(float((precision * sums).sum() / precision.sum()), 0.0)


def evidence(grid: Grid, answers: dict[str, Noisy], trips: float) -> Evidence:
    """All targets, for so many trips; there must be some."""
    block = coded(grid, BLOCKS).codes
    lengths = on_simplex(answers["lengths"].answer.astype(np.float64), trips)
    ends = [_ends(answers[name], block, trips) for name in ("first cells", "last cells")]
    pairs = _pairs(grid, answers, block, trips)
    first, last = (_end_target(*end, block, pairs.sum(axis=axis)) for end, axis in zip(ends, (1, 0), strict=True))
    length = Target(lengths, np.minimum(TIGHT * lengths, answers["lengths"].variance) + 1.0)
    if "moves" not in answers:
        moves = grid.moves.taken(np.zeros(grid.moves.cell.shape[1], np.bool_))
        return Evidence(block, pairs, length, first, last, moves, np.ones(1), [])
    noisy = np.zeros(grid.moves.cell.shape[1])
    noisy[: len(answers["moves"].answer)] = answers["moves"].answer
    weight = np.maximum(noisy, FLOOR * answers["moves"].scale)
    moves = grid.moves.taken(weight > LEAST_MOVE * weight.sum())
    frequency = weight[(weight > LEAST_MOVE * weight.sum()) | (np.arange(len(weight)) == 0)]
    frequency = frequency / frequency.sum()
    targets = []
    for stage, side in flows(grid):
        codes = coded(grid, side).codes
        listed, answer = grid.moves.listed(codes, within=False), answers[stage]
        at = np.where(moves.cell >= 0, listed[codes[:, None], codes[np.maximum(moves.cell, 0)]], -1).astype(np.int64)
        loose = np.full(len(answer.answer), answer.variance / TRUST[stage] ** 2)
        targets.append((at, Target(answer.answer.astype(np.float64), loose)))
    steps = float((lengths * np.arange(len(lengths))).sum())
    each = frequency * steps
    off = answers["moves"].variance * (steps / trips) ** 2 + each * steps / trips + (SLACK * each) ** 2
    at = np.where(moves.cell >= 0, np.arange(len(frequency))[None, :], -1)
    return Evidence(block, pairs, length, first, last, moves, frequency, [*targets, (at, Target(each, off))])


def _ends(noisy: Noisy, block: NDArray[np.int32], trips: float) -> tuple[Counts, Counts]:
    """Trips that begin (or end) in every cell, denoised against those of its block."""
    sums = np.maximum(np.bincount(block, noisy.answer), 1.0)
    predicted = (sums / np.bincount(block))[block]
    return denoised(noisy.answer, predicted * (trips / predicted.sum()), noisy.scale, total=trips)


def _end_target(count: Counts, variance: Counts, block: NDArray[np.int32], sums: Counts) -> Target:
    """The same, with the sums that trips between blocks have."""
    factor = sums / np.maximum(np.bincount(block, count, len(sums)), 1e-9)
    agreed = np.maximum(count * factor[block], 1e-3)
    return Target(agreed, np.minimum(variance, TIGHT * agreed) + 0.5)


def _pairs(grid: Grid, answers: dict[str, Noisy], block: NDArray[np.int32], trips: float) -> Counts:
    """Trips between blocks, denoised against margins and the general decay with distance, with margins from two tables each."""
    blocks, noisy = int(block.max()) + 1, answers["trips between blocks"]
    table = noisy.answer.reshape(blocks, blocks)
    margins = []
    for name, axis in (("first cells", 1), ("last cells", 0)):
        cells = answers[name]
        v_cells, v_sums = cells.variance * len(block) / blocks, noisy.variance * blocks
        mixed = (np.bincount(block, cells.answer) * v_sums + table.sum(axis=axis) * v_cells) / (v_cells + v_sums)
        mixed = np.maximum(mixed, 1.0)
        margins.append(mixed * (trips / mixed.sum()))
    rows, columns = margins
    row, column = (np.bincount(block, at) / np.bincount(block) for at in grid.place)
    scale = max(grid.rows, grid.columns) / BLOCKS
    away = np.rint((abs(row[:, None] - row) + abs(column[:, None] - column)) / max(scale, 1.0)).astype(np.int64)
    predicted = np.outer(rows, columns) / max(trips, 1e-9)
    for _ in range(ROUNDS):
        seen, guessed = (np.maximum(np.bincount(away.ravel(), t.ravel().astype(np.float64)), 1.0) for t in (table, predicted))
        predicted = proportional(predicted * (seen / guessed)[away], rows, columns, rounds=5)
    denoised_table, _ = denoised(table, predicted, noisy.scale, np.eye(blocks, dtype=np.int64), trips)
    return proportional(denoised_table, rows, columns, rounds=3)
