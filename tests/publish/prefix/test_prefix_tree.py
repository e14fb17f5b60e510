"""The noisy prefix tree: the exact tree of Table 6.1, the law of Theorem 6.1, and what Theorem 6.2 promises."""

from __future__ import annotations

from math import exp, sqrt

import pytest
from hypothesis import given

import seqveil as sv
from seqveil.publish.prefix.budget import sublevels
from seqveil.tables.granularity import Granularities
from strategies import databases, table_of_codes

TABLE_6_1 = ["123", "12", "321", "124", "123", "32", "1241", "31"]
EXACT = {  # docs/soundness.md, 'Worked examples'
    "1": 5, "12": 5, "123": 2, "124": 2, "1241": 1, "3": 3, "31": 1, "32": 2, "321": 1,
}  # fmt: skip


def exact_tree(records, labels: int, **parameters) -> dict[tuple[int, ...], float]:
    """A noise-free release with so much ε that a count of 1 passes."""
    release = sv.experiment(table_of_codes(records, labels), sv.PrefixPublication(**parameters), "1000", seed=None)
    table = release.prefixes
    return {table.gram(k): float(table.count[k]) for k in range(len(table))}


def prefix_counts(records, h: int) -> dict[tuple[int, ...], int]:
    counts: dict[tuple[int, ...], int] = {}
    for record in records:
        for n in range(1, min(len(record), h) + 1):
            counts[tuple(record[:n])] = counts.get(tuple(record[:n]), 0) + 1
    return counts


@pytest.mark.parametrize("granularity", ["simple", "hybrid"])
def test_the_exact_prefix_tree_of_table_6_1(granularity):
    """Figure 6.1: nine prefixes; groups on the way do not change what is counted."""
    records = [[int(c) - 1 for c in r] for r in TABLE_6_1]
    expected = {tuple(int(c) - 1 for c in name): float(count) for name, count in EXACT.items()}

    assert expected == exact_tree(records, 4, h=4, granularity=granularity, fan_out=2)


@given(databases(labels=5, records=8, length=6))
def test_without_noise_the_tree_is_the_data(records):
    """Simple, two and three levels: every prefix of up to four labels, and records cut to four come back."""
    expected = prefix_counts(records, 4)
    for more in ({}, {"granularity": "hybrid", "fan_out": 2}, {"granularity": "hybrid", "fan_out": 2, "levels": 3}):
        assert expected == exact_tree(records, 5, h=4, **more)
    release = sv.experiment(table_of_codes(records, 5), sv.PrefixPublication(h=4), "1000", seed=None)

    assert sorted(tuple(r[:4]) for r in records if r) == sorted(tuple(r.tolist()) for r in release.synthetic)


def test_hybrid_trees_have_fewer_false_nodes_by_the_factor_of_theorem_6_2():
    """One level down the reduction is 1/p_g per level, about 2·e^(4√2) = 572, up to the rounding of thresholds."""
    simple, hybrid = Granularities.of(100, []), Granularities.grouped(100, 10)
    one, two = sublevels(10**10, 1, simple, 2.0), sublevels(10**10, 1, hybrid, 2.0)
    for h in (1, 2, 3):
        reduction = (100 * one[0].chance) ** h / (100 * two[0].chance * two[1].chance) ** h
        assert abs(reduction / (2 * exp(4 * sqrt(2))) ** h - 1) < 0.03 * h


SHARES = [  # fan-out f, levels, what groups and labels get of 1000 grains: 2/f within [1/10, 1/2]
    (2, 2, [500, 500]),
    (4, 2, [500, 500]),
    (5, 2, [400, 600]),
    (10, 2, [200, 800]),
    (50, 2, [100, 900]),
    (10, 3, [200, 160, 640]),
]


@pytest.mark.parametrize(("f", "levels", "expected"), SHARES)
def test_sub_levels_share_a_level_and_leave_labels_something(f, levels, expected):
    """As printed, f = 2 leaves the labels nothing and f = 1 less than nothing; here the shares sum to the level."""
    fine = Granularities.grouped(500, f, levels)

    assert expected == [q.grains for q in sublevels(1000, 1, fine, 2.0)]
    assert sublevels(1, 1, fine, 2.0) is None
