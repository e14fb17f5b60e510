"""LargestPart: one record moves every score by at most one, and what is drawn loses no more than was paid."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from seqveil.audit.laws import node_law
from seqveil.engines.local.partitions import PartitionCounter
from seqveil.tables.flat import Flat
from seqveil.tables.taxonomy import Taxonomy
from seqveil.wall.questions.largest_part import LargestPart

ATTRIBUTES = Taxonomy.grouped([np.array([0, 0, 1, 1, 1])], 5, fan_out=2, attributes=True)
"""One attribute of two values, one of three, which are grouped."""
ROWS = [tuple(x for x in row if x >= 0) for row in product((-1, 0, 1), (-1, 2, 3, 4))]
QUESTION = LargestPart(Flat.of([ATTRIBUTES.trunk]))


def scores(rows: list[tuple[int, ...]]) -> np.ndarray:
    return QUESTION.scores(0, PartitionCounter.root(Flat.of(rows), ATTRIBUTES), 0)


def test_one_record_moves_every_score_by_at_most_one() -> None:
    """All 78 pairs of rows and none, with every row added: the largest move is 1, so a claim of less would be false."""
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
            counters = [PartitionCounter.root(Flat.of(r), ATTRIBUTES) for r in (rows, [*rows, added])]
            laws = [node_law(QUESTION, 0, counter, 0, 2 * rate) for counter in counters]  # monotone: exp(ε·s) loses ε at most
            worst = max(worst, *(abs(laws[0].loss(laws[1], np.array([node]))) for node in ATTRIBUTES.trunk))

    assert holds == (worst <= 1 + 1e-9)
    assert worst > math.log(1.5)
