"""The 8-vertex example of [Chen thesis, §7.2]; the figure is missing, this graph has all its numbers.

See docs/soundness.md, 'Worked examples'.
"""

from __future__ import annotations

import numpy as np
import pytest

import seqveil as sv
from seqveil.engines.local.density import DensityCounter
from seqveil.release.graphs.cuts import edges_of_cut
from seqveil.tables.triangle import root

EDGES = ["16", "17", "18", "26", "27", "28", "36", "37", "34", "45"]


@pytest.fixture
def graph() -> sv.GraphTable:
    return sv.graph_of(EDGES, sv.Domain.range(1, 8), order_is_public=True)


def test_density_of_the_matrix_and_of_a_region(graph: sv.GraphTable) -> None:
    """20 of 64 entries of the symmetric matrix, and 8 of the 9 cells of A[1,3;6,8]."""
    low, high = graph.low + 1, graph.high + 1
    inside = np.count_nonzero((low >= 1) & (low <= 3) & (high >= 6) & (high <= 8))

    assert 20 / 64 == 2 * len(graph) / 8**2
    assert 8 / 9 == inside / 9


def test_degree_frequencies(graph: sv.GraphTable) -> None:
    """Degree frequencies {0, 0.125, 0.25, 0.625, 0, …} for degrees 0, 1, 2, 3, …"""
    assert [0, 0.125, 0.25, 0.625] == (np.bincount(graph.degrees) / 8).tolist()


def test_the_cut_between_two_sets(graph: sv.GraphTable) -> None:
    """S = {v1, v2}, T = {v6, v7, v8}: 6 edges."""
    in_s, in_t = np.isin(np.arange(1, 9), [1, 2]), np.isin(np.arange(1, 9), [6, 7, 8])

    assert 6 == edges_of_cut(graph.low, graph.high, in_s, in_t)


def test_the_first_partition_of_example_7_4_1(graph: sv.GraphTable) -> None:
    """Cutting rows after 3 and columns after 5: the upper triangle has 1, 8, 1 and 0 edges in its four parts."""
    counter = DensityCounter.root(graph.low, graph.high, 8, (1,), 1)
    counts = counter.children(np.array([0]), np.array([[3, 5]]))

    assert [0, 3, 1, 4] == [*root(4).tolist()]
    assert {0: 1, 1: 8, 2: 1} == dict(zip(counts.rank.tolist(), counts.count.tolist(), strict=True))


def test_without_noise_the_graph_comes_back(graph: sv.GraphTable) -> None:
    """Exact counts and the best arrangement reproduce every edge, whatever the splits."""
    release = sv.experiment(graph, sv.DER(height=2), "1.0", seed=None, unit=sv.Edge())

    assert list(zip(graph.low, graph.high, strict=True)) == list(zip(release.low, release.high, strict=True))
