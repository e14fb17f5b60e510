"""Releases of graphs: files, answers with bars that cover, pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import seqveil as sv
from seqveil.errors import CallError, ReleaseDamaged
from seqveil.release.graphs import DegreeTable, GraphRelease, RegionTable
from seqveil.release.graphs.cuts import edges_of_cut, pairs_of_cut
from seqveil.release.graphs.picture import as_svg, as_text


@pytest.fixture(scope="module")
def friends() -> sv.GraphTable:
    return sv.read_graph(nx.barabasi_albert_graph(120, 4, seed=2), domain=sv.Domain.range(0, 119), order_is_public=True)


MECHANISMS = [sv.DER(), sv.GraphRandom(), sv.GraphDegrees(), sv.GraphDegrees(isotonic=True), sv.GraphLaplace()]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: m.name)
def test_a_release_comes_back_from_disk(friends: sv.GraphTable, tmp_path: Path, mechanism: Any) -> None:
    """Edges, regions and degrees are the same after saving and loading, and the answers too."""
    release = sv.experiment(friends, mechanism, "1.0", seed=3, unit=sv.Edge())
    loaded: Any = sv.load(release.save(tmp_path / "r"))

    assert (release.low.tolist(), release.high.tolist()) == (loaded.low.tolist(), loaded.high.tolist())
    for query in (["1", "2", "|", "3"], ["5", "|"], ["|", "5"], ["1", "2", "3"]):
        assert release.count(query) == loaded.count(query)
    assert release.at_least(3) == loaded.at_least(3)
    assert "public" in loaded.manifest.facts["order"]


def test_the_graph_in_every_shape(friends: sv.GraphTable, tmp_path: Path) -> None:
    """networkx, scipy, GraphML and an edge list hold the same edges; GraphML is read back by networkx and by us."""
    release = sv.experiment(friends, sv.DER(), "5.0", seed=3, unit=sv.Edge())
    graph = release.synthesize()
    expected = {frozenset(pair) for pair in graph}
    again = nx.read_graphml(graph.write(tmp_path / "g.graphml"))
    ours = sv.read_graph(graph.write(tmp_path / "g.edges.gz"), domain=release.domain, order_is_public=True)

    assert expected == {frozenset(pair) for pair in graph.to_networkx().edges()} == {frozenset(pair) for pair in again.edges()}
    assert 120 == len(again)
    assert release.low.tolist() == ours.low.tolist()
    assert 2 * len(expected) == graph.to_scipy().sum()
    with pytest.raises(CallError, match="as a whole"):
        release.synthesize(10)


def test_pairs_of_a_cut_by_region() -> None:
    """Against a double loop, for sets that share vertices too."""
    random = np.random.default_rng(1)
    regions = np.array([[0, 4, 1, 9], [4, 8, 5, 9], [0, 2, 1, 4]])
    for _ in range(20):
        s, t = random.random(9) < 0.5, random.random(9) < 0.5
        expected = [
            sum(bool((s[i] and t[j]) or (t[i] and s[j])) for i in range(a, b) for j in range(c, d) if i < j)
            for a, b, c, d in regions
        ]
        assert expected == pairs_of_cut(regions, s, t).tolist()


@pytest.mark.slow
def test_sure_bars_cover_the_truth(friends: sv.GraphTable) -> None:
    """Over many runs at least 95 % of the bars of cuts and of degree counts hold the true number."""
    random = np.random.default_rng(2)
    everyone = np.ones(120, np.bool_)
    misses = asked = degree_misses = 0
    for seed in range(60):
        release = sv.experiment(friends, sv.DER(), "1.0", seed=seed, unit=sv.Edge())
        cuts = [(random.random(120) < 0.5, random.random(120) < 0.5) for _ in range(3)]
        for s, t in [*cuts, (everyone, everyone)]:
            truth, answer = edges_of_cut(friends.low, friends.high, s, t), release.cut(s, t)
            misses += not answer.low <= truth <= answer.high
            asked += 1
        degrees = sv.experiment(friends, sv.GraphDegrees(), "1.0", seed=seed, unit=sv.Edge())
        truth = int((friends.degrees >= 5).sum())
        degree_misses += not degrees.at_least(5).low <= truth <= degrees.at_least(5).high

    assert misses <= 0.05 * asked
    assert degree_misses <= 3


@pytest.mark.slow
def test_the_number_of_vertices_of_a_degree_is_right_on_average() -> None:
    """Undoing the noise of degrees is unbiased, with the likely bar about as wide as the spread."""
    truth = np.repeat([2, 3, 7], [300, 100, 50])
    random = np.random.default_rng(3)
    q = np.exp(-1 / 2.0)
    noisy = [truth + random.geometric(1 - q, 450) - random.geometric(1 - q, 450) for _ in range(300)]
    answers = [DegreeTable(n, 2.0, False).at_least(3) for n in noisy]
    raw = [float(((n >= 3) + q / (1 - q) ** 2 * ((n == 3) * 1.0 - (n == 2))).sum()) for n in noisy]

    assert abs(np.mean(raw) - 150) < 4 * np.std(raw) / np.sqrt(300)
    assert np.mean([a.likely[0] <= 150 <= a.likely[1] for a in answers if a.likely]) > 0.9


def test_queries_that_make_no_sense_say_so(friends: sv.GraphTable) -> None:
    """Two bars, nothing at all, a stranger."""
    release = sv.experiment(friends, sv.GraphRandom(), "1.0", seed=3, unit=sv.Edge())
    for query in ([], ["|"], ["1", "|", "2", "|", "3"], "1 | 2"):
        with pytest.raises(CallError, match="not a cut"):
            release.count(query)
    with pytest.raises(CallError, match="not in the domain"):
        release.count(["eve", "|"])


def test_damage_is_refused() -> None:
    """Edges outside the vertices, loops, regions that miss pairs."""
    three = sv.Domain.range(1, 3)
    for low, high in (([0], [3]), ([1], [1]), ([2], [1])):
        with pytest.raises(ReleaseDamaged):
            GraphRelease(three, low=np.array(low), high=np.array(high))
    half = RegionTable(np.array([[0, 1, 1, 3]]), np.array([1]), np.array([1]), np.array([1.0]))
    with pytest.raises(ReleaseDamaged, match="regions"):
        GraphRelease(three, low=np.zeros(0, int), high=np.zeros(0, int), regions=half)


def test_the_map_as_text_and_drawing() -> None:
    """Dense regions are darker; the picture needs nothing but the release."""
    regions = RegionTable(
        np.array([[0, 4, 4, 8], [0, 3, 1, 4], [4, 7, 5, 8]]), np.array([16, 1, 0]), np.array([16, 1, 0]), np.full(3, 1.0)
    )
    lines = as_text(regions, 8, rows=8)

    assert "█" * 8 == lines[0][8:]
    assert set(lines[5][8:]) <= {" "}
    assert 7 == as_svg(regions, 8).count("<rect")
