"""Bad input ends in words that say what was given and what to do; so does a query without an answer."""

from __future__ import annotations

import pytest

from seqveil.errors import CallError, InputProblems
from seqveil.fenced.routes import LocationGraph, User, plan
from seqveil.fenced.routes.users import read_users, user_of

LINE = [("a", "b", 1), ("b", "c", 1), ("c", "d", 1), ("d", "e", 4)]
OFFERS = {"b": ["museum"], "c": ["café", "park"], "e": ["zoo"]}
GOOD = {"name": "Ada", "start": "a", "end": "d", "limit": 5, "preferences": {"museum": 1}}


def line(**more):
    return LocationGraph.of(LINE, OFFERS, **more)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"start": "d", "end": "a"}, "Ada: there is no path from 'd' to 'a'"),
        ({"end": "a"}, "Ada: start and end are both 'a': give another end"),
        ({"limit": 2.5}, "Ada: limit 2.5 is below the cost of the shortest path: give 3 or more"),
        ({"limit": "0.9x"}, "Ada: limit 2.7 is below the cost of the shortest path"),
        ({"limit": "far"}, "Ada: limit 'far' is neither a cost above 0 such as 12.5 nor a multiple such as '1.5x'"),
        ({"limit": -1}, "Ada: limit -1 is neither a cost above 0"),
        ({"limit": float("nan")}, "Ada: limit nan is neither a cost above 0"),
        ({"start": "q"}, "Ada: start 'q' is not a node of the graph (5 nodes, such as 'a')"),
        ({"preferences": {"pub": 1}}, "Ada: no node offers 'pub': the categories are café, museum, park, zoo"),
        ({"preferences": {"zoo": -1}}, "Ada: preference -1.0 for 'zoo' must be a number of at least 0"),
        ({"preferences": {"zoo": "much"}}, "Ada: weight and preferences must be numbers"),
        ({"weight": -2}, "Ada: weight -2.0 must be a number of at least 0"),
        ({"preferences": {"zoo": 0}}, "all preferences or all weights are 0"),
        ({"color": "red"}, "Ada: unknown field 'color': the fields are name, start, end, limit, weight, preferences"),
        ({"limit": None}, "Ada: has no 'limit'"),
    ],
)
def test_users_that_cannot_travel_are_told_why(change, message):
    """Each thing that can be wrong with a user has its own sentence."""
    with pytest.raises(CallError) as error:
        plan(line(), [{**GOOD, **change}])

    assert message in str(error.value)


def test_all_problems_of_all_users_come_at_once():
    """Nobody mends one line of a file only to hear about the next."""
    users = [User("A", "a", "a", 1, {"pub": 1}), User("B", "x", "b", 1, {"museum": 1})]
    with pytest.raises(InputProblems) as error:
        plan(line(), users)

    assert ["A", "A", "B"] == [problem[0] for problem in error.value.problems]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"method": "best"}, "unknown method 'best': choose exact, scaled or greedy"),
        ({"theta": 1.5}, "theta=1.5: give a number from 0"),
        ({"theta": 0.5, "method": "greedy"}, "method=greedy considers profit only"),
        ({"epsilon": 0.0}, "epsilon=0: give the share"),
        ({"order": ["museum", "pub"]}, "no node offers 'pub'"),
        ({"order": [["museum", "zoo"], ["zoo", "museum"]]}, "the order is circular through museum, zoo"),
        ({"quality": {"b": 3.0}}, "'b' has quality 3: give a number from 0 to 1"),
        ({"quality": {"q": 1.0}}, "'q' is not a node of the graph"),
        ({"quality": {"b": 1.0}, "levels": 11}, "levels=11: give a number from 1 to 10"),
    ],
)
def test_parameters_out_of_range_are_refused(changed, message):
    """Each parameter says what it allows."""
    with pytest.raises(CallError) as error:
        plan(line(), [GOOD], **changed)

    assert message in str(error.value)


def test_no_users_is_an_error():
    """An empty group has no trip."""
    with pytest.raises(CallError, match="there are no users"):
        plan(line(), [])


@pytest.mark.parametrize("cost", [-1.0, float("nan"), float("inf")])
def test_costs_below_zero_are_refused(cost):
    """The edge is named, with its cost."""
    with pytest.raises(InputProblems, match="the edge from a to b costs"):
        LocationGraph.of([("a", "b", cost)], {})


def wide(k):
    """A ring where every node offers a category of its own."""
    ring = [(str(v), str((v + 1) % k), 1) for v in range(k)]
    return LocationGraph.of(ring, {str(v): [f"c{v:02}"] for v in range(k)}), {f"c{v:02}": v + 1 for v in range(k)}


def test_exact_refuses_twelve_categories_with_its_price_and_an_alternative():
    """The sentence holds the number of states, the cost, and what to use instead."""
    graph, likes = wide(12)
    with pytest.raises(CallError) as error:
        plan(graph, [User("A", "0", "11", 30, likes)])

    for part in ("12 categories", "4,096 states", "GB", "seconds", "method=scaled", "method=greedy"):
        assert part in str(error.value)


def test_the_approximations_take_what_exact_refuses():
    """Twelve categories on a ring that can all be seen: scaled brings half of them by worth, greedy a twelfth, or more."""
    graph, likes = wide(12)
    user = User("A", "0", "11", 11, likes)

    assert sum(likes.values()) / 2 <= plan(graph, [user], "scaled").profit
    assert sum(likes.values()) / 12 <= plan(graph, [user], "greedy").profit


def test_scaled_says_when_epsilon_is_too_small():
    """With 23 equal categories and a small ε nothing can be left out, and the sentence names a larger ε that works."""
    graph, likes = wide(23)
    equal = User("A", "0", "22", 22, dict.fromkeys(likes, 1.0))
    with pytest.raises(CallError) as error:
        plan(graph, [equal], "scaled", epsilon=0.3)

    assert "use for example epsilon=0.67, or method=greedy" in str(error.value)
    assert plan(graph, [equal], "scaled", epsilon=0.67).profit >= 23 * 0.33


def test_a_refused_quality_names_its_levels():
    """Levels multiply states as categories do."""
    graph, likes = wide(11)
    with pytest.raises(CallError, match="11 categories, quality in 3 levels needs 4,194,304 states"):
        plan(graph, [User("A", "0", "10", 30, likes)], quality={"0": 1.0}, levels=3)


def test_nothing_in_common_is_explained():
    """Two ends of a graph that do not meet: the text says so, and by how much the limits fail."""
    graph = LocationGraph.of([("a", "b", 1), ("b", "c", 10), ("c", "d", 1)], {"b": "zoo"}, directed=False)
    users = [User("A", "a", "b", 2, {"zoo": 1}), User("B", "c", "d", 2, {"zoo": 1})]
    trip = plan(graph, users)

    assert not trip.found
    expected = "No trip: no node can be reached by everybody within their limits. "
    assert expected + "The nearest is 'b', which would take limits of 10.5 times what they are (for B)." == trip.explain()
    assert [] == trip.travellers


def test_nothing_wanted_within_reach_is_explained():
    """Everybody can pass some nodes, but what is wanted lies elsewhere."""
    trip = plan(line(), [{**GOOD, "preferences": {"zoo": 1}}])

    assert "everybody can reach 4 nodes, but none of them offers what is wanted. zoo is out of reach." in trip.explain()
    assert "Larger limits would not help" in trip.explain()


def test_what_is_left_out_is_explained():
    """A trip says what it does not visit, and whether it could have."""
    fork = LocationGraph.of([("a", "b", 1), ("b", "d", 1), ("a", "c", 1), ("c", "d", 1)], {"b": "museum", "c": "café"})
    trip = plan(fork, [User("A", "a", "d", 2, {"museum": 2, "café": 1})])

    assert (["museum"], ["café"]) == (trip.covered, trip.missed)
    assert "Not visited: café is within reach, but not together with the rest." in trip.explain()
    assert "A pays 2 of 2 (alone 2, own stops only 2) and gets 67% of their preferences" in trip.explain()


FILES = {
    "u.yaml": "users:\n  - {name: Ada, start: a, end: d, limit: 1.5x, weight: 2, preferences: {museum: 3, café: 1}}\n",
    "u.json": """[{"name": "Ada", "start": "a", "end": "d", "limit": "1.5x", "weight": 2,
                "preferences": {"museum": 3, "café": 1}}]""",
    "u.toml": '[[users]]\nname="Ada"\nstart="a"\nend="d"\nlimit="1.5x"\nweight=2\npreferences={museum=3, "café"=1}\n',
    "u.csv": "name,start,end,limit,weight,preferences\nAda,a,d,1.5x,2,museum:3 café\n",
}


@pytest.mark.parametrize("name", FILES)
def test_users_are_read_from_every_format(tmp_path, name):
    """The same user in four formats."""
    (tmp_path / name).write_text(FILES[name], encoding="utf-8")

    assert [User("Ada", "a", "d", "1.5x", {"museum": 3.0, "café": 1.0}, 2.0)] == read_users(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("u.yaml", "a: [", "not a valid yaml file"),
        ("u.json", "{", "not a valid json file"),
        ("u.toml", "=", "not a valid toml file"),
        ("u.json", "[]", "has no list of users"),
        ("u.csv", "start\na\n", "user 1: has no 'end'"),
        ("u.txt", "", "name it .yaml, .json, .toml or .csv"),
    ],
)
def test_a_broken_users_file_is_told(tmp_path, name, text, message):
    """The file's name and what is wrong with it."""
    (tmp_path / name).write_text(text)
    with pytest.raises(CallError) as error:
        read_users(tmp_path / name)

    assert message in str(error.value)


def test_a_list_of_categories_means_one_each():
    """Preferences without numbers."""
    assert {"museum": 1.0, "zoo": 1.0} == user_of({**GOOD, "preferences": ["museum", "zoo"]}, 1).preferences
    assert 0.0 == user_of({**GOOD, "weight": 0}, 1).weight
