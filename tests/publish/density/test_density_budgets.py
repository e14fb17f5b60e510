"""What every root-to-leaf path costs: exactly ε, whatever the depth at which it ends."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seqveil as sv
from seqveil.publish.density.exploration import Budgets, explore
from seqveil.publish.density.height import count_budgets, height, least_sizes
from seqveil.publish.density.mechanism import arrange
from seqveil.wall import GRAINS, Regions, Wall
from seqveil.wall.noise import SeededNoise


@given(st.integers(10**7, 10**15), st.integers(1, 20))
def test_the_geometric_scheme_sums_to_its_budget(epsilon: int, h: int) -> None:
    """Exactly, in grains, and it grows from level to level by ∛2 as theorem 7.4 says."""
    shares = count_budgets(epsilon, h)

    assert epsilon == sum(shares)
    assert all(share > 0 for share in shares)
    for a, b in pairwise(shares[:-1]):
        assert b / a == pytest.approx(2 ** (1 / 3), abs=0.02)


@pytest.mark.parametrize(
    ("vertices", "epsilon", "k", "expected"),
    [(8, "1.0", 10, 0), (2, "1.0", 1, 0), (1, "1.0", 1, 0), (7115, "0.5", 1, 10), (7115, "0.5", 100, 7), (50_000, "0.8", 1, 13)],
)
def test_height_solves_equation_7_4(vertices: int, epsilon: str, k: int, expected: int) -> None:
    """The largest h that satisfies the printed inequality; 0 where there is none."""
    grains = int(float(epsilon) * GRAINS)
    right = (2 ** (1 / 3) - 1) * vertices**2 * float(epsilon) / (2 * 2**0.5 * k)

    def left(h: int) -> float:
        return 2 ** (1 / 3) * (2**h) ** 2 - (2**h) ** (5 / 3)

    assert expected == height(vertices, grains, k)
    assert left(expected + 1) > right
    assert expected == 0 or left(expected) <= right


def grown(seed: int, splitting: int) -> tuple[object, object, Budgets]:
    """A tree over a graph with a dense corner and an empty rest, so that paths end at several depths."""
    n = 64
    edges = [(str(i), str(j)) for i in range(1, n) for j in range(i + 1, n + 1) if (i < 12 and j < 12) or (i * j) % 31 == 0]
    table = sv.graph_of(edges, sv.Domain.range(1, n), order_is_public=True)
    wall = Wall(table, sv.Edge(), 10 * GRAINS, SeededNoise(seed))
    h = 5
    budgets = Budgets(count_budgets(7 * GRAINS, h), splitting // h)
    least = least_sizes(n, h, 0.25)
    tree = wall.tree(Regions(least, 0), wall.remaining)
    return tree, explore(tree, n, budgets, least, 0, 0.8, 0.8 * n**2 / 4**h), budgets


@pytest.mark.parametrize("splitting", [GRAINS, 0])
def test_every_path_costs_what_was_promised(splitting: int) -> None:
    """At a leaf of depth d: d counts, one more above the last level, and at most d choices (cuts in the middle are free)."""
    depths = set()
    for seed in range(8):
        tree, quadtree, budgets = grown(seed, splitting)
        for depth, rows in quadtree.leaves:
            if not len(rows):
                continue
            depths.add(depth)
            spent = 10 * GRAINS - tree.remaining(quadtree.levels[depth].node[rows])
            h = len(budgets.counts)
            counted = sum(budgets.counts[:depth]) + (budgets.last if depth < h else 0)
            allowed = {counted + chosen * budgets.split for chosen in range(depth + 1)}
            assert set(spent.tolist()) <= allowed
            assert splitting == 0 or depth == 0 or set(spent.tolist()) != {counted}
            assert spent.max() <= 7 * GRAINS + splitting
    assert len(depths) >= 3


def test_the_arrangement_takes_all_that_is_left() -> None:
    """Leaves with edges end with nothing left, those of every depth: the whole ε of their path was used."""
    tree, quadtree, _ = grown(1, GRAINS)
    counts = [np.minimum(np.full(len(level.node), 2), _cells(level)) for level in quadtree.levels]
    arrange(tree, quadtree, counts)
    for depth, rows in quadtree.leaves:
        assert not tree.remaining(quadtree.levels[depth].node[rows[counts[depth][rows] > 0]]).any()
    assert 10 * GRAINS == tree.dearest


def _cells(level: object) -> np.ndarray:
    from seqveil.tables.triangle import cells

    return cells(level.region)  # type: ignore[attr-defined]
