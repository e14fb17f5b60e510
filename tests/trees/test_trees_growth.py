"""Growth of a noisy prefix tree over no data: the law of what passes, and how many false nodes there are."""

from __future__ import annotations

from math import exp, sqrt

import numpy as np
import pytest

import seqveil as sv
from seqveil.publish.prefix.budget import sublevels
from seqveil.tables.granularity import Granularities
from seqveil.trees.growth import build_noisy_prefix_tree
from seqveil.trees.sublevels import false_nodes
from seqveil.wall.noise import SeededNoise
from seqveil.wall.questions.prefixes import Prefixes
from seqveil.wall.run import open_wall
from strategies import table_of_codes


def nodes_of_empty(table, fine: Granularities, h: int, seed: int, level: int = 10**11):
    questions = sublevels(level, 1, fine, 2.0)
    wall = open_wall(table, sv.Record(), level * h, SeededNoise(seed))
    return build_noisy_prefix_tree(wall.tree(Prefixes(fine), level * h), fine, [questions] * h), questions


@pytest.mark.slow
def test_the_law_of_theorem_6_1():
    """Of m empty nodes Binomial(m, p) pass, p = e^(−εθ)/2, and what passes lies geometrically above θ."""
    fine, runs = Granularities.of(200, []), 400
    table = table_of_codes([], 200)
    drawn = [nodes_of_empty(table, fine, 1, seed) for seed in range(runs)]
    question = drawn[0][1][0]
    passed = np.array([len(tree) - 1 for tree, _ in drawn])
    excess = np.concatenate([tree.noisy[1:] for tree, _ in drawn]) - question.threshold
    p = question.chance

    assert abs(p - exp(-2 * sqrt(2)) / 2) < 0.003  # the printed continuous value; discrete noise differs in the third digit
    assert abs(passed.mean() - 200 * p) < 5 * sqrt(200 * p * (1 - p) / runs)
    assert abs(passed.var() / (200 * p * (1 - p)) - 1) < 5 * sqrt(2 / runs)
    assert excess.min() == 0
    assert abs(excess.mean() - 1 / np.expm1(1 / question.scale)) < 5 * excess.std() / sqrt(len(excess))


@pytest.mark.slow
@pytest.mark.parametrize(
    "fine",
    [Granularities.of(30, []), Granularities.grouped(6000, 10), Granularities.of(60, [], slots=np.arange(60) // 10)],
    ids=["simple", "hybrid", "slots"],
)
def test_the_predicted_number_of_false_nodes_is_the_mean(fine):
    """What is announced before spending is what an empty table really gives."""
    table = table_of_codes([], fine.labels)
    nodes = np.array([len(nodes_of_empty(table, fine, 4, seed)[0]) - 1 for seed in range(200)])
    expected = false_nodes([sublevels(10**11, 1, fine, 2.0)] * 4, fine)

    assert abs(nodes.mean() - expected) < 5 * nodes.std() / sqrt(len(nodes))
    assert abs(nodes.mean() - 2 * expected) > 5 * nodes.std() / sqrt(len(nodes))  # the test can tell
