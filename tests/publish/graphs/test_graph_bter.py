"""graph-bter: degrees without their noise, blocks that make triangles, groups that keep edges in their place."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seqveil as sv
from seqveil.errors import CallError, InputProblems
from seqveil.evaluate.graphs import Graph, degree_divergence
from seqveil.publish.graphs.blocks import Blocks
from seqveil.publish.graphs.spread import distribution, likely_degrees
from seqveil.publish.graphs.steering import Groups
from seqveil.release.graphs.draw import generator
from seqveil.tables.wedges import count_triangles


def table_of(graph: nx.Graph) -> sv.GraphTable:
    domain = sv.Domain.range(0, graph.number_of_nodes() - 1)
    return sv.read_graph(graph, domain=domain, order_is_public=True)


@pytest.fixture(scope="module")
def cliques() -> sv.GraphTable:
    """Much clustering: 120 groups of 4 to 9 who all know each other, and a few edges between them."""
    random, graph = np.random.default_rng(5), nx.Graph()
    graph.add_nodes_from(range(800))
    at = 0
    while at < 780:
        size = int(random.integers(4, 10))
        graph.add_edges_from((a, b) for a in range(at, at + size) for b in range(a + 1, at + size))
        at += size
    graph.add_edges_from(random.choice(780, 2, replace=False).tolist() for _ in range(300))
    return table_of(graph)


def simple(low: np.ndarray, high: np.ndarray) -> bool:
    return bool((low < high).all()) and len(set(zip(low.tolist(), high.tolist(), strict=True))) == len(low)


def transitivity(low: np.ndarray, high: np.ndarray, n: int) -> float:
    degrees = np.bincount(low, minlength=n) + np.bincount(high, minlength=n)
    return 6 * count_triangles(low, high, n) / (degrees * (degrees - 1)).sum()


def test_clustering_and_triangles_are_kept(cliques: sv.GraphTable) -> None:
    """Where degrees alone keep next to nothing of either."""
    n = len(cliques.domain)
    real = transitivity(cliques.low, cliques.high, n)
    for seed in range(3):
        release = sv.experiment(cliques, sv.GraphBTER(), "2.0", seed=seed, unit=sv.Edge())
        plain = sv.experiment(cliques, sv.GraphDegrees(), "2.0", seed=seed, unit=sv.Edge())

        assert abs(transitivity(release.low, release.high, n) - real) < 0.2 * real
        assert transitivity(plain.low, plain.high, n) < 0.1 * real
        assert abs(count_triangles(release.low, release.high, n) - release.noisy_triangles) < 0.1 * release.noisy_triangles


def test_background_triangles_are_taken_off() -> None:
    """A dense random graph closes many triangles without any block; blocks must not add as many again."""
    table = table_of(nx.gnp_random_graph(150, 0.3, seed=2))
    release = sv.experiment(table, sv.GraphBTER(), "20", seed=1, unit=sv.Edge())

    drawn, real = (count_triangles(g.low, g.high, 150) for g in (release, table))
    assert abs(drawn - real) < 0.05 * real


def test_a_number_of_triangles_that_is_all_noise_is_not_followed() -> None:
    """Where its deviation exceeds what degrees allow: as many triangles as degrees alone give. Otherwise the number counts."""
    degrees = np.full(300, 3)
    blocks = Blocks.of(degrees, generator(degrees))

    assert count_triangles(*blocks.fitted(200, noise=301.0), 300) == count_triangles(*blocks.draw(0.0), 300)
    assert count_triangles(*blocks.fitted(200, noise=299.0), 300) > 100


@given(degrees=st.lists(st.integers(0, 12), max_size=40), wanted=st.integers(0, 400), grouped=st.booleans())
def test_any_degrees_and_any_number_give_a_simple_graph(degrees: list[int], wanted: int, grouped: bool) -> None:
    """Impossible wishes too; no vertex ever has more edges than its degree says."""
    own = np.minimum(np.array(degrees, np.int64), max(len(degrees) - 1, 0))
    random = generator(own)
    member = np.arange(len(own)) % 3
    groups = Groups.of(member, np.full(6, 5), own) if grouped and len(own) > 2 else None
    low, high = Blocks.of(own, random, groups).fitted(wanted)

    assert simple(low, high)
    assert (np.bincount(low, minlength=len(own)) + np.bincount(high, minlength=len(own)) <= own).all()


def test_more_strength_never_has_fewer_edges_in_blocks() -> None:
    """Pairs have one lot each, so a search for the right strength meets the same pairs again."""
    blocks = Blocks.of(np.full(60, 5), generator(np.zeros(1, np.int64)))
    inside = [
        {*zip(blocks.low.tolist(), blocks.high.tolist(), strict=True)}
        & {*zip(*(x.tolist() for x in blocks.draw(p)), strict=True)}
        for p in (0.2, 0.5, 1.0)
    ]

    assert len(inside[2]) == 10 * 15  # ten blocks of six are cliques
    assert len(inside[0]) < len(inside[1]) < len(inside[2])


def test_the_distribution_of_degrees_is_recovered() -> None:
    """From noise that is as large as most degrees; the number of edges is right where clipped noise adds a twentieth."""
    random = np.random.default_rng(3)
    degrees = np.minimum(random.zipf(1.8, 5_000), 200)
    noisy = degrees + random.geometric(0.35, 5_000) - random.geometric(0.35, 5_000)
    scale = -1 / np.log(0.65)
    likely = likely_degrees(noisy, scale, generator(noisy))

    assert degree_divergence(degrees, likely) < 0.4 * degree_divergence(degrees, np.maximum(noisy, 0))
    assert abs(likely.sum() / degrees.sum() - 1) < 0.02
    assert np.maximum(noisy, 0).sum() > 1.05 * degrees.sum()
    assert np.abs(likely - degrees).mean() < np.abs(np.maximum(noisy, 0) - degrees).mean()


@given(
    noisy=st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=30),
    scale=st.floats(1e-6, 1e9, allow_nan=False),
)
def test_any_noise_gives_degrees(noisy: list[int], scale: float) -> None:
    """Also noise that is far beyond what a graph can have."""
    given_ = np.array(noisy, np.int64)
    degrees = likely_degrees(given_, scale, generator(given_))

    assert degrees.min() >= 0
    assert degrees.max() <= max(len(noisy) - 1, 0)
    if len(noisy) > 1:
        assert distribution(given_, scale, len(noisy) - 1).sum() == pytest.approx(1)


def test_higher_noisy_degrees_never_get_lower_ones() -> None:
    """Each vertex keeps its place."""
    noisy = np.random.default_rng(1).integers(-5, 60, 300)
    degrees = likely_degrees(noisy, 2.0, generator(noisy))

    assert (np.diff(degrees[np.argsort(noisy, kind="stable")][:: len(noisy) // 10]) >= 0).all()


@pytest.fixture(scope="module")
def departments(tmp_path_factory: pytest.TempPathFactory) -> tuple[sv.GraphTable, Path, np.ndarray]:
    """Ten groups of 40, much denser inside; a public file says who is in which."""
    member = np.arange(400) // 40
    low, high = np.triu_indices(400, 1)
    chosen = np.random.default_rng(2).random(len(low)) < np.where(member[low] == member[high], 0.25, 0.01)
    path = tmp_path_factory.mktemp("public") / "groups.tsv"
    path.write_text("".join(f"{v}\tg{group}\n" for v, group in enumerate(member.tolist())))
    return sv.GraphTable.of(sv.Domain.range(0, 399), low[chosen], high[chosen]), path, member


def test_edges_stay_between_their_groups(departments: tuple[sv.GraphTable, Path, np.ndarray]) -> None:
    """With the public groups, edges inside them are about as many as there are; without, nearly all are lost."""
    table, path, member = departments

    def inside(graph: object) -> float:
        g = Graph.of(graph)
        return float((member[g.low] == member[g.high]).mean())

    steered = sv.experiment(table, sv.GraphBTER(groups=str(path)), "2.0", seed=1, unit=sv.Edge())
    free = sv.experiment(table, sv.GraphBTER(), "2.0", seed=1, unit=sv.Edge())

    assert abs(inside(steered) - inside(table)) < 0.05
    assert inside(free) < 0.3 < inside(table)
    assert abs(len(steered.low) / len(table) - 1) < 0.05


def test_groups_have_a_stage_of_their_own(departments: tuple[sv.GraphTable, Path, np.ndarray]) -> None:
    """What they cost is in the plan, and all stages together are ε."""
    table, path, _ = departments
    plan = sv.GraphBTER(groups=str(path)).plan(10**12, table.domain, sv.Edge())

    assert [(name, grains) for name, grains, _ in plan.stages] == [
        ("degrees", 75 * 10**10),
        ("triangles", 15 * 10**10),
        ("groups", 10 * 10**10),
    ]


def test_ends_of_groups_are_as_many_as_degrees() -> None:
    """Noisy counts and degrees are reconciled; negative counts too."""
    random = np.random.default_rng(4)
    member, degrees = random.integers(0, 5, 200), random.integers(0, 9, 200)
    groups = Groups.of(member, random.integers(-20, 100, 15), degrees)

    assert groups.ends.sum(axis=1) == pytest.approx(np.bincount(member, degrees, 5), rel=1e-6)
    assert groups.ends == pytest.approx(groups.ends.T)


def test_what_cannot_work_is_refused_before_anything_is_asked(departments: tuple[sv.GraphTable, Path, np.ndarray]) -> None:
    """Shares, an ε that cannot be divided, a file that leaves vertices out."""
    table, path, _ = departments
    short = path.with_name("short.tsv")
    short.write_text("1\ta\n2\tb\n")

    with pytest.raises(CallError, match="share of ε above 0 and up to"):
        sv.GraphBTER(triangle_share=0.9)
    with pytest.raises(CallError, match="too small to be divided"):
        sv.GraphBTER().plan(3, table.domain, sv.Edge())
    with pytest.raises(InputProblems, match="labels of the domain are missing"):
        sv.GraphBTER(groups=str(short)).plan(10**12, table.domain, sv.Edge())


def test_a_saved_release_still_knows_its_triangles(cliques: sv.GraphTable, tmp_path: Path) -> None:
    """In its manifest, and in what is shown of it."""
    release = sv.experiment(cliques, sv.GraphBTER(), "1.0", seed=3, unit=sv.Edge())
    release.save(tmp_path / "release")
    loaded = sv.load(tmp_path / "release")

    assert loaded.noisy_triangles == release.noisy_triangles > 0
    assert "Triangles: " in loaded.picture()[1]
    assert loaded.at_least(3).value == release.at_least(3).value
