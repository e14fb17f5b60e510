"""Edges between public groups: one edge is one pair of groups, by enumeration."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest

import seqveil as sv
from seqveil.errors import CallError
from seqveil.tables.graphs import GraphTable
from seqveil.wall.questions.groups import GroupEdges

MEMBER = np.array([0, 2, 1, 0, 2])


def counts(edges: list[tuple[int, int]]) -> np.ndarray:
    ends = np.array(edges, np.int64).reshape(-1, 2)
    table = GraphTable.of(sv.Domain.range(1, 5), ends[:, 0], ends[:, 1])
    return GroupEdges(MEMBER, 3).tally(table, sv.Edge()).dense(6)


def test_every_edge_is_counted_once_where_its_groups_are():
    """Slots are the pairs a ≤ b, row by row."""
    slots = list(combinations_with_replacement(range(3), 2))
    pairs = list(combinations(range(5), 2))
    for chosen in ([], pairs, pairs[::2], *([pair] for pair in pairs)):
        groups = [tuple(sorted((int(MEMBER[a]), int(MEMBER[b])))) for a, b in chosen]
        assert counts(chosen).tolist() == [groups.count(slot) for slot in slots]


def test_one_edge_moves_one_count_by_one():
    """All graphs of five vertices, each with an edge more; a claim of less is found."""
    pairs = list(combinations(range(5), 2))
    worst = 0
    for bits in range(0, 2 ** len(pairs), 7):
        graph = [pair for k, pair in enumerate(pairs) if bits >> k & 1]
        for pair in pairs:
            if pair not in graph:
                worst = max(worst, int(np.abs(counts([*graph, pair]) - counts(graph)).sum()))

    assert worst == GroupEdges(MEMBER, 3).influence(sv.Edge()) == 1
    assert GroupEdges(MEMBER, 3).influence(sv.Edge(4)) == 4


def test_groups_protect_edges():
    """Not records."""
    with pytest.raises(CallError, match="edges between groups protect edges"):
        GroupEdges(MEMBER, 3).influence(sv.Record())
