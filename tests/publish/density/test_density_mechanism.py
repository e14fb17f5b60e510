"""DER as a whole: ordinary data of every kind, honest releases at small ε, counts that agree."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seqveil as sv
from seqveil.errors import CallError
from seqveil.publish.density.consistency import _handed_down, leaf_counts
from seqveil.publish.density.quadtree import Level, Quadtree
from seqveil.release.graphs.draw import uniform_graph
from seqveil.tables.triangle import cells, quadrants, root
from seqveil.wall import GRAINS


def graph(n: int, edges: list[tuple[int, int]]) -> sv.GraphTable:
    labelled = [(str(a), str(b)) for a, b in edges]
    return sv.graph_of(labelled, sv.Domain.range(0, n - 1), order_is_public=True)


ORDINARY = {
    "empty": graph(30, []),
    "complete": graph(30, list(combinations(range(30), 2))),
    "one vertex": graph(1, []),
    "two vertices": graph(2, [(0, 1)]),
    "a star": graph(30, [(0, i) for i in range(1, 30)]),
}


@pytest.mark.parametrize("name", ORDINARY)
@pytest.mark.parametrize("mechanism", [sv.DER(), sv.DER(splitting=0.0), sv.DER(height=4, step=1), sv.DER(consistent=False)])
def test_every_graph_is_ordinary_data(name: str, mechanism: sv.DER) -> None:
    """Empty, complete and tiny graphs make releases like any other: simple, with regions that divide all pairs."""
    table = ORDINARY[name]
    n = len(table.domain)
    release = sv.experiment(table, mechanism, "1.0", seed=4, unit=sv.Edge())

    assert len(set(zip(release.low.tolist(), release.high.tolist(), strict=True))) == len(release.low)
    assert (release.low < release.high).all()
    assert n * (n - 1) // 2 == int(release.regions.cells.sum())
    assert len(release.low) == int(release.regions.count.sum())


@pytest.mark.parametrize("name", ORDINARY)
@pytest.mark.parametrize("mechanism", [sv.DER(height=3), sv.DER(height=3, splitting=0.0), sv.DER(height=0)])
def test_without_noise_every_graph_comes_back(name: str, mechanism: sv.DER) -> None:
    """Whatever the splits, exact counts and the best arrangement give the graph itself."""
    table = ORDINARY[name]
    release = sv.experiment(table, mechanism, "1.0", seed=None, unit=sv.Edge())

    assert (table.low.tolist(), table.high.tolist()) == (release.low.tolist(), release.high.tolist())


def test_an_epsilon_too_small_for_any_split_makes_one_honest_region() -> None:
    """The plan says so beforehand, and the release is a random graph with a noisy number of edges."""
    table = ORDINARY["a star"]
    plan = sv.DER().plan(GRAINS // 1000, table.domain, sv.Edge())
    release = sv.experiment(table, sv.DER(), "0.001", seed=1, unit=sv.Edge())

    assert any("too small for any split" in line for line in plan.warnings)
    assert 1 == len(release.regions)
    assert sum(share for _, share, _ in plan.stages) == GRAINS // 1000


def test_a_seed_repeats_a_run_and_secure_noise_runs() -> None:
    """Experiments can be repeated; a private run needs no seed."""
    table = ORDINARY["a star"]
    first, again = (sv.experiment(table, sv.DER(), "2.0", seed=8, unit=sv.Edge()) for _ in range(2))

    assert (first.low.tolist(), first.regions.noisy.tolist()) == (again.low.tolist(), again.regions.noisy.tolist())


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"counting": 0.0}, "shares"),
        ({"splitting": -0.1}, "shares"),
        ({"counting": 0.9, "splitting": 0.1}, "together below 1"),
        ({"height": 21}, "height=21"),
        ({"dense": 0.0}, "dense"),
        ({"step": 0}, "step=0"),
    ],
)
def test_wrong_parameters_say_what_is_allowed(parameters: dict[str, float], message: str) -> None:
    """Before any data is touched."""
    with pytest.raises(CallError, match=message):
        sv.DER(**parameters)  # type: ignore[arg-type]


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.floats(-50, 80), st.floats(0.1, 900), st.integers(1, 40)), min_size=1, max_size=4), st.floats(0, 1))
def test_a_count_is_handed_down_whole(parts: list[tuple[float, float, int]], share: float) -> None:
    """Parts get whole counts between 0 and their cells that sum to the whole they were handed."""
    estimate, spread, most = (np.array(column) for column in zip(*parts, strict=True))
    whole = np.array([round(share * most.sum())])
    given_down = _handed_down(whole, np.zeros(len(parts), np.int64), estimate, spread, most)

    assert int(whole[0]) == int(given_down.sum())
    assert ((given_down >= 0) & (given_down <= most)).all()


def test_levels_are_weighed_by_inverse_variance() -> None:
    """One region counted as 100 ± small, its four parts as 10 each ± large: the parts learn from the whole."""
    region = root(40)
    tree = Quadtree.planted(region, 0)
    tree.levels[0].again(np.zeros(1, np.int64), np.array([100]), np.array([0.5]))
    parts = quadrants(region[None], np.array([[20, 25]]))[0]
    tree.levels.append(Level.of(parts, np.arange(1, 5), np.zeros(4, np.int64), np.full(4, 10), np.full(4, 50.0)))
    counts = leaf_counts(tree, consistent=True)

    assert 100 == int(counts[0][0]) == int(counts[1].sum())
    assert (counts[1] <= cells(parts)).all()
    assert [40] + [10] * 4 != [int(counts[0][0]), *counts[1].tolist()]
    assert [10] * 4 == leaf_counts(tree, consistent=False)[1].tolist()


def test_rounding_every_leaf_for_itself_is_biased_and_consistency_is_not() -> None:
    """With many sparse leaves the printed rounding invents edges; handing counts down keeps their number."""
    low, high = uniform_graph(600, 4000)
    table = sv.GraphTable.of(sv.Domain.range(0, 599), low, high)

    def edges(consistent: bool) -> float:
        runs = [sv.experiment(table, sv.DER(height=8, consistent=consistent), "1.0", seed=s, unit=sv.Edge()) for s in range(3)]
        return float(np.mean([len(run.low) for run in runs]))

    assert edges(consistent=False) > 5000
    assert abs(edges(consistent=True) - 4000) < 300


def test_beyond_fifty_thousand_vertices_memory_follows_the_edges() -> None:
    """60,000 vertices have 1.8 billion pairs; a run touches edges and tree only (small here: one sparse ring)."""
    n = 60_000
    ring = np.arange(n)
    table = sv.GraphTable.of(sv.Domain.range(0, n - 1), ring, (ring + 1) % n)
    release = sv.experiment(table, sv.DER(height=4), "1.0", seed=1, unit=sv.Edge())

    assert abs(len(release.low) - n) < 0.05 * n


@pytest.mark.parametrize("mechanism", [sv.DER(height=3), sv.GraphDegrees(), sv.GraphRandom(), sv.GraphLaplace()])
def test_k_edges_with_epsilon_are_one_edge_with_its_kth_part(mechanism: object) -> None:
    """(ε, k) is ε/k for one edge and nothing else: the same seed draws the same release (docs/mechanisms/der.md)."""
    table = ORDINARY["a star"]
    several, single = (
        sv.experiment(table, mechanism, epsilon, seed=4, unit=sv.Edge(k)) for epsilon, k in (("6.0", 4), ("1.5", 1))
    )

    assert (several.low.tolist(), several.high.tolist()) == (single.low.tolist(), single.high.tolist())
