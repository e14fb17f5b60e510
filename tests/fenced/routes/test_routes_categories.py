"""Categories as a tree: whoever wants food accepts pizza."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from seqveil.cli.fenced import fenced_app
from seqveil.errors import CallError, InputProblems
from seqveil.fenced.routes import LocationGraph, User, plan, read_categories

sys.path.insert(0, str(Path(__file__).parent))
from brute import optimum, users_of

TREE = ["food", "food/pizza", "food/bakery", "sights/museum", "sights/museum/modern"]
LINE = [("a", "b", 1), ("b", "c", 1), ("c", "d", 1)]


@st.composite
def groups(draw):
    n = draw(st.integers(3, 5))
    edges = [(str(v), str((v + 1) % n), draw(st.integers(0, 5))) for v in range(n)]
    edges += [(str((v + 1) % n), str(v), draw(st.integers(0, 5))) for v in range(n)]
    offers = {str(v): draw(st.sets(st.sampled_from(TREE), max_size=2)) for v in range(n)}
    graph = LocationGraph.of(edges, {**offers, "0": offers["0"] | {"food/pizza"}})
    names = st.sampled_from(graph.wantable)
    likes = [{**draw(st.dictionaries(names, st.integers(1, 5), max_size=2)), "food": 1} for _ in range(draw(st.integers(1, 2)))]
    return graph, users_of(*((str(i), str(n - 1), 30, liked) for i, liked in enumerate(likes)))


@settings(max_examples=60)
@given(groups(), st.sampled_from(["exact", "scaled", "greedy"]))
def test_wider_wishes_are_met_by_narrower_places(query, method):
    """Held against trying everything; a stop says which narrower category it meets a wish with."""
    graph, users = query
    best = optimum(graph, users)
    trip = plan(graph, users, method)

    assert trip.found
    share = {"exact": 1.0, "scaled": 0.5, "greedy": 1 / (len(trip.covered) + len(trip.missed))}[method]
    assert best[1] * share - 1e-9 <= trip.profit <= best[1] + 1e-9
    for stop in trip.stops:
        offered = graph.offers(stop.node)
        assert all(name in offered or stop.narrower[name].startswith(f"{name}/") for name in stop.visits)
        assert all(one in offered for one in stop.narrower.values())


def test_one_stop_meets_a_wide_wish_and_a_narrow_one():
    """Ada wants food, Bob pizza: the pizzeria does for both, the bakery for Ada only."""
    town = LocationGraph.of(LINE, {"b": "food/bakery", "c": "food/pizza"})
    group = [User("Ada", "a", "d", 3, {"food": 1}), User("Bob", "a", "d", 3, {"food/pizza": 1})]
    trip = plan(town, group)

    assert [("c", {"food/pizza": 1.0, "food": 1.0}, {"food": "food/pizza"})] == [
        (s.node, s.visits, s.narrower) for s in trip.stops
    ]
    assert "stop 1: c for food/pizza, food (food/pizza)" in trip.explain()


def test_an_order_of_wider_categories_is_kept():
    """Sights first: the museum after the pizzeria does not count."""
    town = LocationGraph.of(LINE, {"b": "food/pizza", "c": "sights/museum"})
    user = [User("Ada", "a", "d", 3, {"food": 1, "sights": 3})]

    assert [["food", "sights"], ["sights"]] == [
        plan(town, user, order=order).covered for order in (["food", "sights"], ["sights", "food"])
    ]


def test_a_name_that_only_begins_alike_is_another_category():
    """'foo' is not above 'food/pizza', and '1' not above '12'."""
    numbered = LocationGraph.of(LINE, {"b": "12", "c": "1"})
    assert ["c"] == [stop.node for stop in plan(numbered, users_of(("a", "d", 3, {"1": 1}))).stops]
    town = LocationGraph.of(LINE, {"b": "food/pizza"})
    with pytest.raises(InputProblems, match="no node offers 'foo': the categories are food/pizza, food"):
        plan(town, [User("Ada", "a", "d", 3, {"foo": 1})])


def test_the_file_gives_categories_their_paths(tmp_path):
    """Spaces or tabs, comments, and two categories that become one."""
    (tmp_path / "tree.txt").write_text(
        "# legend\n12 food/pizza\nart museum\tsights/art museum\n13 food/pizza\n", encoding="utf-8"
    )
    paths = read_categories(tmp_path / "tree.txt")
    town = LocationGraph.of(LINE, {"a": "art museum", "b": ["12"], "c": ["13", "14"]}).named(paths)

    assert {"12": "food/pizza", "art museum": "sights/art museum", "13": "food/pizza"} == paths
    assert [["sights/art museum"], ["food/pizza"], ["14", "food/pizza"]] == [sorted(town.offers(node)) for node in "abc"]


@pytest.mark.parametrize("text", ["12\n", "12 food pizza\n", "12 food//pizza\n", "12 /food\n", "12 food\n12 drink\n"])
def test_broken_files_of_categories_are_told(tmp_path, text):
    """The line is named."""
    (tmp_path / "tree.txt").write_text(text)
    with pytest.raises(CallError, match=r"tree.txt: line \d"):
        read_categories(tmp_path / "tree.txt")


def test_paths_for_what_nobody_offers_are_told():
    """A slip in the file does not go unnoticed."""
    with pytest.raises(InputProblems, match="no node offers '99': leave it out"):
        LocationGraph.of(LINE, {"b": "12"}).named({"99": "food"})


def test_the_command_reads_the_tree_and_the_terms(tmp_path):
    """Everything of this page at once, on the command line."""
    (tmp_path / "roads.gr").write_text("p sp 4 3\na 1 2 1\na 2 3 1\na 3 4 1\n")
    (tmp_path / "places.txt").write_text("2 12\n3 40\n")
    (tmp_path / "tree.txt").write_text("12 food/pizza\n40 sights/museum\n")
    users = [
        {"name": "Ada", "start": "1", "end": "4", "limit": 5, "departs": 0, "preferences": {"food": 1}},
        {"name": "Bob", "start": "2", "end": "4", "limit": 5, "departs": 3, "preferences": {"sights": 1}},
    ]
    (tmp_path / "users.json").write_text(json.dumps(users))
    words = ["route", tmp_path / "roads.gr", "--pois", tmp_path / "places.txt", "--users", tmp_path / "users.json"]
    words += [
        "--categories",
        tmp_path / "tree.txt",
        "--waiting",
        "1",
        "--max-wait",
        "2",
        "--coverage",
        "1",
        "--curve",
        "0.5",
        "--json",
    ]
    ran = CliRunner().invoke(fenced_app, [str(word) for word in words])
    trip = json.loads(ran.stdout)

    assert (0, ["2", "3"]) == (ran.exit_code, trip["itinerary"])
    assert [(2.0, 5.0), (0.0, 2.0)] == [(one["waits"], one["cost"]) for one in trip["travellers"]]
    assert {"food": "food/pizza"} == trip["stops"][0]["narrower"]
