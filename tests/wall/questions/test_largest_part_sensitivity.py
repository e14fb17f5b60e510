"""LargestPart: one record moves every score by at most one, and what is drawn loses no more than was paid."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest

from seqveil.audit.tape import Recorder
from seqveil.engines.local.partitions import PartitionCounter
from seqveil.tables.flat import Flat
from seqveil.tables.taxonomy import Taxonomy
from seqveil.wall.noise.nothing import NoNoise
from seqveil.wall.questions.largest_part import LargestPart

ATTRIBUTES = Taxonomy.grouped([np.array([0, 0, 1, 1, 1])], 5, fan_out=2, attributes=True)
"""One attribute of two values, one of three, which are grouped."""
ROWS = [tuple(x for x in row if x >= 0) for row in product((-1, 0, 1), (-1, 2, 3, 4))]
QUESTION = LargestPart(Flat.of([ATTRIBUTES.trunk]))


def scores(rows: list[tuple[int, ...]]) -> np.ndarray:
    return QUESTION.scores(0, PartitionCounter.root(Flat.of(rows), ATTRIBUTES), 0)


def drawn(rows: Sequence[tuple[int, ...]], rate: Fraction) -> Any:
    """The law of the draw that the question really makes."""
    tape = Recorder()
    QUESTION.answer(0, PartitionCounter.root(Flat.of(rows), ATTRIBUTES), 0, rate, tape.noise(NoNoise()))
    return tape.crossings[-1].law


def test_one_record_moves_every_score_by_at_most_one() -> None:
    """All 78 pairs of rows and none, with every row added: no score falls, some rise by 1, so a claim of less would be false."""
    moves = [
        scores([*rows, added]) - scores(list(rows))
        for size in (0, 1, 2)
        for rows in combinations_with_replacement(ROWS, size)
        for added in ROWS
    ]

    assert {0, 1} == set(np.concatenate(moves).tolist())


def test_a_sum_of_squares_would_be_found() -> None:
    """Gini's Σ n² is no score of sensitivity 1: the same enumeration finds moves above it."""

    def gini(rows: list[tuple[int, ...]]) -> int:
        split = np.array([[ATTRIBUTES.trunk[0], 0]])
        return int((PartitionCounter.root(Flat.of(rows), ATTRIBUTES).children(np.array([0]), split).count ** 2).sum())

    assert max(gini([*rows, added]) - gini(list(rows)) for rows in product(ROWS, repeat=2) for added in ROWS) > 1


@pytest.mark.parametrize(("claimed", "holds"), [(1, True), (0.5, False)])
def test_the_law_loses_what_was_paid_and_half_the_sensitivity_would_be_found(claimed: float, holds: bool) -> None:
    """Exact loss of the law that the audit computes, over all neighbours: at most ε; with half the sensitivity, more."""
    rate = Fraction(1) / Fraction(claimed)
    worst = 0.0
    for rows in combinations_with_replacement(ROWS, 3):
        for added in ROWS:
            one, other = drawn(rows, rate), drawn([*rows, added], rate)
            worst = max(worst, *(abs(one.loss(other, candidate)) for candidate in range(len(ATTRIBUTES.trunk))))

    assert holds == (worst <= 1 + 1e-9)
    assert worst > math.log(1.5)


def test_a_score_that_can_fall_would_be_found() -> None:
    """Without monotone scores the same rate loses more: largest minus all others moves by 1 either way, and the pair by 2."""

    def evenness(rows: list[tuple[int, ...]]) -> np.ndarray:
        return 2 * scores(rows) - len(rows)

    moves = [evenness([*rows, added]) - evenness(list(rows)) for rows in product(ROWS, repeat=2) for added in ROWS]
    assert {-1, 1} == set(np.concatenate(moves).tolist())
    losses = []
    for rows in combinations_with_replacement(ROWS, 3):
        for added in ROWS:
            one, other = (np.exp(evenness(r).astype(float)) for r in (list(rows), [*rows, added]))
            losses.append(np.abs(np.log(one / one.sum()) - np.log(other / other.sum())).max())
    assert max(losses) > 1 + 1e-9
