"""Reading graphs: every source gives the same simple graph, formats are refused loudly and values never."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import coo_array

import seqveil as sv
from seqveil.errors import CallError, InputProblems
from seqveil.sources.check_graphs import check_graph
from seqveil.sources.graphs import read_graph

DOMAIN = sv.Domain.of(["ann", "bob", "cyd", "dan"])
EXPECTED = [(0, 1), (1, 2)]
GRAPHML = (
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected"><node id="ann"/>'
    '<edge source="ann" target="bob"/><edge source="cyd" target="bob"/><edge source="ann" target="eve"/>'
    '<edge source="dan" target="dan"/></graph></graphml>'
)
FILES = {
    "g.edges": "# Directed graph: a comment\nann bob\nbob\tann\ncyd bob\nann eve\ndan dan\nann\n\n",
    "g.txt": "ann   bob 17\ncyd bob 3\n% note\n",
    "g.csv": 'from,to\nann,bob\n"cyd",bob\nann,eve\ndan,dan\n',
    "g.tsv": "from\tto\nann\tbob\ncyd\tbob\n",
    "g.graphml": GRAPHML,
}


def edges(table: sv.GraphTable) -> list[tuple[int, int]]:
    return list(zip(table.low.tolist(), table.high.tolist(), strict=True))


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("packed", [False, True])
def test_every_format_gives_the_same_simple_graph(tmp_path: Path, name: str, packed: bool) -> None:
    """Directions, repeats, loops, strangers, comments and broken rows fall away silently; gzip is read by its name."""
    path = tmp_path / (name + ".gz" if packed else name)
    path.write_bytes(gzip.compress(FILES[name].encode()) if packed else FILES[name].encode())

    assert EXPECTED == edges(read_graph(path, domain=DOMAIN, order_is_public=True))


def test_graphs_and_matrices_are_read_as_they_are() -> None:
    """networkx graphs by their labels, scipy matrices by position; both halves of a matrix are one edge."""
    graph = nx.Graph([("ann", "bob"), ("cyd", "bob"), ("ann", "eve"), ("dan", "dan")])
    matrix = coo_array((np.array([1, 1, 2, 0, 1]), ([0, 1, 2, 0, 3], [1, 0, 1, 3, 3])), shape=(4, 4))

    assert EXPECTED == edges(read_graph(graph, domain=DOMAIN, order_is_public=True))
    assert EXPECTED == edges(read_graph(matrix, domain=DOMAIN, order_is_public=True))


@pytest.mark.parametrize("source", ["g.edges", nx.Graph()])
def test_the_order_is_always_asked_for(source: Any) -> None:
    """Before a file is even opened; what to type stands in the error."""
    with pytest.raises(CallError, match="order_is_public=True"):
        read_graph(source, domain=DOMAIN)


@pytest.mark.parametrize(
    ("name", "body", "problem"),
    [
        ("g.graphml", GRAPHML.replace("undirected", "directed"), "declared directed"),
        ("g.graphml", GRAPHML.replace("<graph ", '<key id="w" for="edge" attr.name="weight"/><graph '), "weight"),
        ("g.graphml", GRAPHML[:-12], "not well-formed"),
        ("g.graphml", "<gexf/>", "not GraphML"),
        ("g.graphml", '<!DOCTYPE a [<!ENTITY x "y">]><graphml/>', "entity"),
        ("g.csv", "a;b\n1;2\n", "fewer than two columns"),
        ("g.csv", "from,to,weight\n1,2,3\n", "weighted"),
        ("g.parquet", "", "add format="),
        ("g.edges.gz", "ann bob\n", "not a gzip archive"),
    ],
)
def test_declared_formats_that_do_not_fit_are_refused(tmp_path: Path, name: str, body: str, problem: str) -> None:
    """Directed and weighted input is refused by what the format declares, never by what a row holds."""
    path = tmp_path / name
    path.write_text(body)
    with pytest.raises(InputProblems, match=problem):
        read_graph(path, domain=DOMAIN, order_is_public=True)


def test_directed_graphs_and_wrong_shapes_are_refused() -> None:
    """By type and shape alone."""
    with pytest.raises(InputProblems, match="to_undirected"):
        read_graph(nx.DiGraph(), domain=DOMAIN, order_is_public=True)
    with pytest.raises(InputProblems, match="3 by 3"):
        read_graph(coo_array((3, 3)), domain=DOMAIN, order_is_public=True)
    with pytest.raises(CallError, match="not a graph"):
        read_graph(5, domain=DOMAIN, order_is_public=True)


def test_the_table_tells_nothing_raw() -> None:
    """Its repr knows the vertices only; nobody owns an edge; parts of it are graphs."""
    table = sv.graph_of([("ann", "bob"), ("cyd", "dan")], DOMAIN, order_is_public=True)

    assert "GraphTable(vertices=4)" == repr(table)
    assert table.owners is None
    assert [(2, 3)] == edges(table.take(np.array([1])))
    with pytest.raises(CallError, match="unit=edge"):
        table.bounded(1, np.zeros(2, np.uint64))


def test_check_tells_whether_the_order_follows_the_degrees() -> None:
    """And nothing else does: a star whose hub comes first against one without any order."""
    names = sv.Domain.range(0, 49)
    nested = sv.graph_of([(i, j) for i in range(50) for j in range(i + 1, 50) if i + j < 50], names, order_is_public=True)
    ring = sv.graph_of([(i, (i + 1) % 50) for i in range(50)], names, order_is_public=True)

    assert check_graph(nested)["order"]["follows_degrees"]
    assert not check_graph(ring)["order"]["follows_degrees"]
    assert 50 == check_graph(ring)["edges"]
