"""Graphs from files, trips as GeoJSON and pictures, popularity from a release, and the command."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import networkx as nx
import pytest
from typer.testing import CliRunner

import seqveil as sv
from seqveil.badge import BADGE
from seqveil.cli.fenced import fenced_app
from seqveil.errors import CallError, InputProblems
from seqveil.fenced.routes import (
    LocationGraph,
    User,
    from_networkx,
    plan,
    popularity,
    read_california,
    read_dimacs,
    read_graphml,
)

GR = "c a town\np sp 4 5\na 1 2 3\na 2 3 4\na 3 4 5\na 1 2 9\na 4 1 1\n"
POIS = "2 museum café\n3 zoo\n"


def town(tmp_path: Path) -> tuple[Path, Path]:
    with gzip.open(tmp_path / "town.gr.gz", "wt") as file:
        file.write(GR)
    (tmp_path / "places.txt").write_text(POIS)
    return tmp_path / "town.gr.gz", tmp_path / "places.txt"


def test_dimacs_and_places(tmp_path):
    """Nodes count from 1, the cheapest of parallel arcs stays, a node may offer several things."""
    graph = read_dimacs(*town(tmp_path))

    assert "LocationGraph(4 nodes, 4 edges, 3 categories on 2 places)" == repr(graph)
    assert ["café", "museum"] == graph.offers("2")
    assert [3.0, 4.0, 5.0, 1.0] == graph.costs.tolist()


@pytest.mark.parametrize(
    ("gr", "pois", "message"),
    [
        ("a 1 2 3\n", POIS, "has no line 'p sp NODES ARCS'"),
        ("p sp 4 1\na 1 2\n", POIS, "line 2 is not of the form 'a FROM TO COST'"),
        ("p sp 4 1\na 1 9 2\n", POIS, "an arc has an end outside the nodes 1 to 4"),
        ("p sp 4 1\na 1 2 -3\n", POIS, "the edge from 1 to 2 costs -3"),
        (GR, "7 zoo\n", "line 1 is not of the form 'NODE CATEGORY"),
        (GR, "2\n", "line 1 is not of the form 'NODE CATEGORY"),
    ],
)
def test_broken_dimacs_files_are_told(tmp_path, gr, pois, message):
    """The line and the form that it should have."""
    (tmp_path / "t.gr").write_text(gr)
    (tmp_path / "p.txt").write_text(pois)
    with pytest.raises(InputProblems) as error:
        read_dimacs(tmp_path / "t.gr", tmp_path / "p.txt")

    assert message in str(error.value)


def california(tmp_path: Path) -> tuple[Path, Path, Path]:
    (tmp_path / "t.cnode").write_text("0 0 0\n1 1 0\n2 2 0\n")
    (tmp_path / "t.cedge").write_text("0 0 1 1\n1 1 2 1\n")
    (tmp_path / "t.poi").write_text("1.0 0.25 7\n2.0 0.1 3\n1.0 0.2 3\n")
    return tmp_path / "t.cnode", tmp_path / "t.cedge", tmp_path / "t.poi"


def test_california_files_snap_and_attach(tmp_path):
    """A place belongs to the nearest node, or is a node at the end of a road of its own."""
    snapped, attached = (read_california(*california(tmp_path), attach=attach) for attach in (False, True))

    assert ["3", "7"] == snapped.offers("1")
    assert (3, 4) == (len(snapped), len(snapped.costs))
    assert (6, 10) == (len(attached), len(attached.costs))
    user = User("A", "0", "2", 2.5, {"7": 2, "3": 1})
    assert [["0", "1", "2"], ["0", "1", "poi-0", "1", "2"]] == [plan(g, [user]).travellers[0].path for g in (snapped, attached)]
    assert [2.0, 2.5] == [plan(g, [user]).travellers[0].cost for g in (snapped, attached)]


def test_broken_california_files_are_told(tmp_path):
    """An edge to nowhere, and a line of the wrong width."""
    nodes, edges, pois = california(tmp_path)
    edges.write_text("0 0 9 1\n")
    with pytest.raises(InputProblems, match=r"t\.cedge: an edge names a node that t\.cnode does not list"):
        read_california(nodes, edges, pois)
    pois.write_text("1 2\n")
    with pytest.raises(InputProblems, match=r"t\.poi: line 1 does not have 3 numbers"):
        read_california(nodes, edges, pois)


def test_networkx_and_graphml(tmp_path):
    """The same undirected graph, handed over and written to a file."""
    net = nx.Graph()
    net.add_node("a", categories="zoo, park", x=1.0, y=2.0)
    net.add_node("b", x=3.0, y=4.0)
    net.add_edge("a", "b", cost=2.0)
    nx.write_graphml(net, tmp_path / "n.graphml")
    for graph in (from_networkx(net), read_graphml(tmp_path / "n.graphml")):
        assert (["park", "zoo"], 2) == (graph.offers("a"), len(graph.costs))
        assert [[1.0, 2.0], [3.0, 4.0]] == graph.coordinates.tolist()
    net.add_edge("b", "c")
    with pytest.raises(InputProblems, match="the edge from b to c has no attribute 'cost'"):
        from_networkx(net)
    with pytest.raises(CallError, match="cannot be read"):
        read_graphml(tmp_path / "none.graphml")


def test_geojson_and_picture(tmp_path):
    """Lines for the group and its users, points for the stops; no coordinates, no map."""
    where = {"a": (0, 0), "b": (1, 0), "c": (1, 1), "d": (2, 1)}
    edges = [("a", "b", 1), ("b", "c", 1), ("c", "d", 1)]
    users = [User("A", "a", "d", 9, {"zoo": 1}), User("B", "b", "d", 9, {"park": 1})]
    trip = plan(LocationGraph.of(edges, {"b": "zoo", "c": "park"}, where), users)
    features = trip.geojson()["features"]

    assert ["itinerary", "user", "user", "stop", "stop"] == [feature["properties"]["kind"] for feature in features]
    assert [[1.0, 0.0], [1.0, 1.0]] == features[0]["geometry"]["coordinates"]
    assert [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [2.0, 1.0]] == features[1]["geometry"]["coordinates"]
    drawn = trip.picture(tmp_path / "map.svg").read_text()
    assert drawn.startswith("<svg")
    assert all(text in drawn for text in ("1 zoo", "2 park"))
    with pytest.raises(CallError, match="has no coordinates"):
        plan(LocationGraph.of(edges, {"b": "zoo"}), users[:1]).geojson()


def test_popularity_comes_from_a_release_alone():
    """Without noise the shares are the visits themselves; labels that are no nodes are left out."""
    visits = sv.table_of([["b", "c"], ["b"], ["b", "x"], ["b", "c"]] * 50, sv.Domain.of(["b", "c", "x"]))
    release = sv.experiment(visits, sv.NGram(l_max=3, n_max=1), "1", seed=None)

    assert {"b": 1.0, "c": 0.5} == popularity(release, ["a", "b", "c"])
    with pytest.raises(CallError, match="counts no visits at any node"):
        popularity(release, ["q"])


def test_popularity_needs_counts_of_labels():
    """A graph answers counts of cuts: its edges are no visits."""
    roads = sv.graph_of([("b", "c")], sv.Domain.of(["b", "c"]), order_is_public=True)

    with pytest.raises(CallError, match=r"a release of a synthetic graph.* does not count visits"):
        popularity(sv.experiment(roads, sv.GraphRandom(), "1", seed=1))


def run(*words: object):
    return CliRunner().invoke(fenced_app, ["route", *map(str, words)])


def test_the_command_tells_the_trip(tmp_path):
    """Words on stdout, the badge on stderr, one object with --json."""
    roads, places = town(tmp_path)
    (tmp_path / "u.json").write_text('[{"start": "1", "end": "4", "limit": 12, "preferences": {"zoo": 2, "museum": 1}}]')
    ran = run(roads, "--pois", places, "--users", tmp_path / "u.json", "--order", "museum,zoo")
    as_json = run(roads, "--pois", places, "--users", tmp_path / "u.json", "--method", "scaled", "--json")

    assert (0, 0) == (ran.exit_code, as_json.exit_code)
    assert "stop 1: 2 for museum\nstop 2: 3 for zoo\nuser 1 pays 12 of 12" in ran.stdout
    assert ran.stderr.startswith(BADGE)
    assert (["2", "3"], 3.0) == (json.loads(as_json.stdout)["itinerary"], json.loads(as_json.stdout)["profit"])


def test_the_command_ends_with_1_when_nothing_is_found(tmp_path):
    """A script can tell a trip from no trip."""
    (tmp_path / "t.gr").write_text("p sp 3 2\na 1 2 1\na 2 3 1\n")
    (tmp_path / "p.txt").write_text("3 zoo\n")
    (tmp_path / "u.csv").write_text("start,end,limit,preferences\n1,2,1.5,zoo\n")
    ran = run(tmp_path / "t.gr", "--pois", tmp_path / "p.txt", "--users", tmp_path / "u.csv")

    assert 1 == ran.exit_code
    assert "No trip" in ran.stdout


def test_the_command_draws_and_reads_quality(tmp_path):
    """California files with a map, GeoJSON and a quality file; popularity and quality exclude each other."""
    nodes, edges, pois = california(tmp_path)
    (tmp_path / "u.yaml").write_text('- {start: "0", end: "2", limit: 2x, preferences: {"7": 2, "3": 1}}\n')
    (tmp_path / "q.json").write_text('{"poi-1": 1.0, "poi-0": 0.2}')
    common = [
        edges,
        "--nodes",
        nodes,
        "--pois",
        pois,
        "--users",
        tmp_path / "u.yaml",
        "--attach",
        "--quality",
        tmp_path / "q.json",
    ]
    ran = run(*common, "--geojson", tmp_path / "t.geojson", "--picture", tmp_path / "t.svg", "--levels", 2)

    assert 0 == ran.exit_code
    assert "stop 2: poi-1 for 3" in ran.stdout
    assert "poi-0 for 7 (quality 0.5)" in ran.stdout
    assert "FeatureCollection" == json.loads((tmp_path / "t.geojson").read_text())["type"]
    assert (tmp_path / "t.svg").exists()
    assert isinstance(run(*common, "--popularity", tmp_path).exception, CallError)
    assert isinstance(run(edges, "--users", tmp_path / "u.yaml").exception, CallError)


@pytest.mark.data
def test_the_real_files_have_the_published_sizes(real_data):
    """California: 21,048 nodes, 21,693 roads (both ways), 104,770 places in 63 categories."""
    graph = read_california(*map(real_data, ("cal.cnode.gz", "cal.cedge.gz", "caldata.poi.gz")), attach=True)

    assert (21_048 + 104_770, 63) == (len(graph), len(graph.categories))
    assert 2 * (21_693 + 104_770) >= len(graph.costs) > 2 * 104_770 + 2 * 21_000
