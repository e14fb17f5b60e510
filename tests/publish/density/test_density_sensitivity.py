"""One edge more or less, on every small graph: it moves one count per level and every score by at most 1."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

import seqveil as sv
from seqveil.engines.local.density import DensityCounter
from seqveil.tables.graphs import GraphTable
from seqveil.tables.triangle import count_splits, nth_splits, root
from seqveil.wall import Degrees, Edges, Regions

VERTICES = 5
PAIRS = list(combinations(range(VERTICES), 2))


def graph(edges: tuple[tuple[int, int], ...]) -> GraphTable:
    ends = np.array(edges, np.int64).reshape(-1, 2)
    return GraphTable.of(sv.Domain.range(1, VERTICES), ends[:, 0], ends[:, 1])


EVERY = {
    chosen: graph(tuple(p for p, c in zip(PAIRS, chosen, strict=True) if c)) for chosen in product([0, 1], repeat=len(PAIRS))
}


def neighbours() -> list[tuple[GraphTable, GraphTable]]:
    """All pairs of graphs on five vertices that differ by one edge."""
    neighbours = []
    for chosen, table in EVERY.items():
        for k, there in enumerate(chosen):
            if not there:
                neighbours.append((table, EVERY[(*chosen[:k], 1, *chosen[k + 1 :])]))
    return neighbours


def counter(table: GraphTable, least: int = 1) -> DensityCounter:
    return DensityCounter.root(table.low, table.high, VERTICES, (least, 1), 1)


@pytest.mark.parametrize("least", [1, 2, 3])
def test_every_score_moves_by_at_most_one(least: int) -> None:
    """The declared sensitivity holds for every pair of neighbours, every legal split, every least size; and is attained."""
    nodes = np.zeros(1, np.int64)
    scores = {id(t): counter(t, least).scores(nodes) for t in EVERY.values()}
    moved = [np.abs(scores[id(a)].score - scores[id(b)].score).max(initial=0) for a, b in neighbours()]

    assert 1 == max(moved)
    assert {1} == {s.sensitivity for s in scores.values()}


def test_scores_are_the_density_difference_in_units_of_the_least_size() -> None:
    """⌊s·density⌋ of the densest part minus that of the sparsest, by a plain loop over pairs."""
    least, region = 2, root(VERTICES)
    points = nth_splits(np.repeat(region[None], n := int(count_splits(region[None], least, 1)[0]), 0), least, np.arange(n), 1)
    for table in list(EVERY.values())[::37]:
        edges = set(zip(table.low.tolist(), table.high.tolist(), strict=True))
        expected = []
        for row, column in points.tolist():
            parts: dict[tuple[bool, bool], list[bool]] = {}
            for i, j in PAIRS:
                parts.setdefault((i >= row, j >= column), []).append((i, j) in edges)
            densities = [least * sum(part) // len(part) for part in parts.values()]
            expected.append(max(densities) - min(densities))

        assert expected == counter(table, least).scores(np.zeros(1, np.int64)).score.tolist()


def test_an_edge_lies_in_one_region_per_level() -> None:
    """For every split of the root and of all its parts, one edge changes one count by one on each level."""
    split = np.array([[2, 3]])
    for a, b in neighbours()[::29]:
        first, second = counter(a), counter(b)
        for _ in range(2):
            nodes = np.arange(1) if first._depth == 0 else np.arange(4)
            points = split if first._depth == 0 else np.array([[1, 2], [1, 4], [3, 3], [3, 4]])
            counts = [_dense(c, nodes, points) for c in (first, second)]
            assert 1 == np.abs(counts[0] - counts[1]).sum()
            ranks, parents = np.tile(np.arange(4), len(nodes)), np.repeat(nodes, 4)
            if first._depth == 0:
                first, second = (c.descend(parents, ranks, np.repeat(points, 4, axis=0)) for c in (first, second))


def _dense(counter: DensityCounter, nodes: np.ndarray, points: np.ndarray) -> np.ndarray:
    counts = counter.children(nodes, points)
    dense = np.zeros((len(nodes), 4), np.int64)
    dense[counts.parent, counts.rank] = counts.count
    return dense


@pytest.mark.parametrize(("question", "declared"), [(Degrees(), 2), (Degrees(ascending=True), 2), (Edges(), 1)])
def test_vectors_move_by_their_influence(question: object, declared: int) -> None:
    """Degrees move by 2 in L1, sorted or not; pairs by 1; k edges by k times as much is what is declared."""
    asked: object = question
    dense = {}
    for table in EVERY.values():
        tally = asked.tally(table, sv.Edge())  # type: ignore[attr-defined]
        vector = np.zeros(asked.slots(VERTICES), np.int64)  # type: ignore[attr-defined]
        vector[tally.index] = tally.count
        dense[id(table)] = vector
    moved = max(int(np.abs(dense[id(a)] - dense[id(b)]).sum()) for a, b in neighbours())

    assert declared == moved == asked.influence(sv.Edge(1))  # type: ignore[attr-defined]
    assert 7 * declared == asked.influence(sv.Edge(7))  # type: ignore[attr-defined]


def test_only_edges_are_protected() -> None:
    """Other units are refused: nobody may think that a person is."""
    for question in (Regions(()), Degrees(), Edges()):
        with pytest.raises(sv.SeqveilError, match="edge"):
            question.influence(sv.User(1))
