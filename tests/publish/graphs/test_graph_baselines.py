"""The plain methods beside DER: their noise, their graphs, and that they know what they say they know."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import seqveil as sv
from seqveil.errors import CallError
from seqveil.evaluate.graphs import Graph, cut_counts, cut_errors, degree_divergence, structure
from seqveil.publish.graphs.degrees import ironed
from seqveil.release.graphs.draw import configuration_model, uniform_graph


@pytest.fixture(scope="module")
def friends() -> sv.GraphTable:
    """A small graph with hubs."""
    return sv.read_graph(nx.barabasi_albert_graph(400, 4, seed=1), domain=sv.Domain.range(0, 399), order_is_public=True)


def test_noisy_degrees_stay_near_the_degrees(friends: sv.GraphTable) -> None:
    """At a large ε the configuration model has nearly the degrees of the graph."""
    release = sv.experiment(friends, sv.GraphDegrees(), "50", seed=1, unit=sv.Edge())

    assert np.abs(release.degrees - friends.degrees).mean() < 0.2


def test_sorted_degrees_keep_the_distribution_and_lose_the_vertices(friends: sv.GraphTable) -> None:
    """Isotonic: the sorted degrees fit, the vertices' own do not."""
    release = sv.experiment(friends, sv.GraphDegrees(isotonic=True), "50", seed=1, unit=sv.Edge())

    assert np.abs(np.sort(release.degrees) - np.sort(friends.degrees)).mean() < 0.3
    assert np.abs(release.degrees - friends.degrees).mean() > 2


def test_a_random_graph_knows_the_number_of_edges_only(friends: sv.GraphTable) -> None:
    """The number is close, the degrees are not."""
    release = sv.experiment(friends, sv.GraphRandom(), "1.0", seed=1, unit=sv.Edge())

    assert abs(len(release.low) - len(friends)) < 30
    assert degree_divergence(friends.degrees, release.degrees) > degree_divergence(friends.degrees, friends.degrees)


def test_noise_on_every_pair_drowns_the_graph(friends: sv.GraphTable) -> None:
    """Rounded pair by pair a quarter of all pairs become edges; by rank about as many as there are; at large ε all is exact."""
    pairs = 400 * 399 // 2
    naive = sv.experiment(friends, sv.GraphLaplace(threshold=1), "1.0", seed=1, unit=sv.Edge())
    ranked = sv.experiment(friends, sv.GraphLaplace(), "1.0", seed=1, unit=sv.Edge())
    exact = sv.experiment(friends, sv.GraphLaplace(threshold=1), "60", seed=1, unit=sv.Edge())

    assert 0.25 < len(naive.low) / pairs < 0.29
    assert 0.4 * len(friends) < len(ranked.low) < 1.2 * len(friends)
    assert (friends.low.tolist(), friends.high.tolist()) == (exact.low.tolist(), exact.high.tolist())


def test_random_graphs_are_simple() -> None:
    """No loops, no repeats, the number asked for; impossible degrees are cut down, never an endless loop."""
    for n, m in ((5, 10), (5, 99), (1, 3), (50, 200)):
        low, high = uniform_graph(n, m)
        assert min(m, n * (n - 1) // 2) == len(low) == len(set(zip(low.tolist(), high.tolist(), strict=True)))
    for degrees in ([3, 3, 3, 3], [9, 0, 0], [0, 0], [1], [5] * 40):
        low, high = configuration_model(np.array(degrees))
        assert len(low) == len(set(zip(low.tolist(), high.tolist(), strict=True)))
        assert (low < high).all()


def test_ironing_gives_the_nearest_ascending_numbers() -> None:
    """Pool adjacent violators, by hand: 3, 1, 2 become 2, 2, 2; 6 is more than four other vertices."""
    assert [2, 2, 2, 3, 4] == np.sort(ironed(np.array([3, 1, 2, 3, 6]))).tolist()


def test_other_units_are_refused(friends: sv.GraphTable) -> None:
    """A graph's release never claims to protect a person."""
    for mechanism in (sv.DER(), sv.GraphDegrees(), sv.GraphLaplace(), sv.GraphRandom()):
        with pytest.raises(CallError, match="edge"):
            sv.experiment(friends, mechanism, "1.0", seed=1, unit=sv.Record())


def test_measures_agree_with_networkx(friends: sv.GraphTable) -> None:
    """Clustering, largest component and distances are those of networkx; a graph is no cut apart from itself."""
    graph = nx.Graph(zip(friends.low.tolist(), friends.high.tolist(), strict=True))
    measured = structure(Graph.of(friends), sources=400)

    assert nx.transitivity(graph) == pytest.approx(measured["clustering"])
    assert 1.0 == measured["largest"]
    assert nx.average_shortest_path_length(graph) == pytest.approx(measured["distance"])
    gap = 1 - np.sort(np.linalg.eigvalsh(np.eye(400) - nx.normalized_laplacian_matrix(graph).toarray()))[-2]
    assert gap == pytest.approx(measured["gap"], abs=1e-3)
    assert {20: 0.0} == cut_errors(Graph.of(friends), Graph.of(friends), [20], 100)


@pytest.mark.parametrize("runs", [False, True])
def test_counting_64_cuts_at_a_time_is_counting_each(friends: sv.GraphTable, runs: bool) -> None:
    """The expected share of edges in a cut, and answers that do not depend on how many are asked together."""
    real = Graph.of(friends)
    complete = Graph(40, *(ends.astype(np.int32) for ends in np.triu_indices(40, 1)))
    counts = cut_counts(complete, 40, 500, seed=3, runs=runs)
    sizes = {a * b for a in range(41) for b in range(41)}

    assert cut_counts(real, 50, 100, runs=runs)[:64].tolist() == cut_counts(real, 50, 64, runs=runs).tolist()
    assert set(counts.tolist()) <= sizes  # in a complete graph a cut has |S|·|T| edges
    assert counts.max() > 200
