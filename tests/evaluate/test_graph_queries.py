"""The fifteen queries against networkx and by hand, and the communities behind two of them."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import seqveil as sv
from seqveil.evaluate.communities import agreement, communities, modularity
from seqveil.evaluate.graph_queries import ORDER, Answers, divergence, errors
from seqveil.evaluate.graphs import Graph


def graph_of(graph: nx.Graph) -> Graph:
    ends = np.sort(np.array(list(graph.edges), np.int32).reshape(-1, 2), axis=1)
    return Graph(graph.number_of_nodes(), ends[:, 0], ends[:, 1])


@pytest.fixture(scope="module")
def karate() -> nx.Graph:
    return nx.Graph(nx.karate_club_graph().edges)


def test_numbers_agree_with_networkx(karate: nx.Graph) -> None:
    """A connected graph with fewer vertices than sources: distances are those of all pairs."""
    numbers = Answers(graph_of(karate)).numbers
    degree = np.array([d for _, d in karate.degree])
    expected = {
        "vertices with an edge": 34,
        "edges": 78,
        "triangles": sum(nx.triangles(karate).values()) / 3,
        "mean degree": degree.mean(),
        "variance of degrees": degree.var(ddof=1),
        "diameter": nx.diameter(karate),
        "mean distance": nx.average_shortest_path_length(karate),
        "global clustering": nx.transitivity(karate),
        "mean clustering": nx.average_clustering(karate),
        "assortativity": nx.degree_assortativity_coefficient(karate),
    }

    assert {name: numbers[name] for name in expected} == pytest.approx(expected)


def test_centrality_agrees_with_networkx(karate: nx.Graph) -> None:
    """In falling order, of length 1."""
    expected = sorted(nx.eigenvector_centrality(karate, max_iter=1000).values(), reverse=True)

    assert Answers(graph_of(karate)).centrality == pytest.approx(expected, abs=1e-4)


def test_communities_are_as_good_as_those_of_networkx(karate: nx.Graph) -> None:
    """Modularity of our division, by networkx, is about that of its own Louvain method; so is the number we state."""
    graph = graph_of(karate)
    member = communities(graph.matrix)
    parts = [set(np.flatnonzero(member == c).tolist()) for c in np.unique(member)]
    theirs = nx.community.modularity(karate, nx.community.louvain_communities(karate, seed=1))

    assert nx.community.modularity(karate, parts) == pytest.approx(modularity(graph.low, graph.high, member))
    assert modularity(graph.low, graph.high, member) > theirs - 0.03


def test_planted_communities_are_found() -> None:
    """Eight groups of 30 that are much denser inside."""
    graph = nx.planted_partition_graph(8, 30, 0.4, 0.01, seed=3)

    assert agreement(communities(graph_of(graph).matrix), np.repeat(np.arange(8), 30)) > 0.95


def test_errors_are_named_in_the_order_of_the_benchmark_and_zero_for_the_graph_itself(karate: nx.Graph) -> None:
    """A star in its place is off in nearly everything."""
    real, star = Answers(graph_of(karate)), Answers(graph_of(nx.star_graph(33)))

    assert tuple(errors(real, real)) == ORDER
    assert set(errors(real, real).values()) == {0.0}
    assert sum(error > 0.05 for error in errors(real, star).values()) >= 13


def test_a_divergence_by_hand() -> None:
    """½·log(½/¼) + ½·log(½/¾); what never occurs counts as a millionth."""
    assert divergence(np.array([2, 2]), np.array([1, 3])) == pytest.approx(0.5 * np.log(2) + 0.5 * np.log(2 / 3))
    assert divergence(np.array([1]), np.array([0, 1])) == pytest.approx(np.log(1e6))


@pytest.mark.parametrize("n", [1, 2, 5])
def test_graphs_without_edges(n: int) -> None:
    """Nothing is divided by nothing."""
    empty = Answers(Graph(n, np.zeros(0, np.int32), np.zeros(0, np.int32)))

    assert sum(errors(empty, empty).values()) == 0
    assert all(np.isfinite(value) for value in empty.numbers.values())


def test_an_evaluation_states_all_of_them(karate: nx.Graph) -> None:
    """Under stable keys, with the answers of both graphs."""
    table = sv.read_graph(karate, domain=sv.Domain.range(0, 33), order_is_public=True)
    compared = sv.evaluate.compare_runs(table, sv.GraphBTER(), "2.0", runs=2)

    assert tuple(compared["query_error"]) == ORDER
    assert compared["query"]["real"]["edges"]["mean"] == 78
