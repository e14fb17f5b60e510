"""The counter of partitions: exact, disjoint, and moved by one record in one place only."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqveil.engines.local.partitions import EVERY, LEAVES, OTHERS, ROUTE, PartitionCounter
from seqveil.errors import CallError
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.sets import SetTable
from seqveil.tables.taxonomy import Taxonomy
from seqveil.tables.units import Edge, Record, User
from seqveil.wall.noise import SeededNoise
from seqveil.wall.questions.itemsets_all import AllItemsets
from seqveil.wall.questions.partitions import Partitions
from seqveil.wall.tree import PrivateTree

MIXED = Taxonomy.nested([[0, 1], 2, [3, [4, 5]], 6])
"""A root with leaves and inner nodes among its children, and a child that has both again."""


def named(taxonomy: Taxonomy, cut: int, family: int, record: tuple[int, ...]) -> int:
    """The rank that the documentation gives a record, found the slow way."""
    children = taxonomy.children(cut)
    leaves = [c for c in children if c < taxonomy.labels]
    order = leaves + [c for c in children if c >= taxonomy.labels]
    mask = sum(1 << i for i, c in enumerate(order) if any(taxonomy.low[c] <= x < taxonomy.high[c] for x in record))
    if family == ROUTE:
        return int(mask >= 1 << len(leaves))
    return mask - (1 << len(leaves) if family == OTHERS else 1)


def every_set(labels: int) -> list[tuple[int, ...]]:
    return [c for n in range(1, labels + 1) for c in combinations(range(labels), n)]


@pytest.mark.parametrize("taxonomy", [MIXED, Taxonomy.balanced(7, 2), Taxonomy.balanced(7, 3), Taxonomy.balanced(7, 7)])
def test_every_set_is_counted_where_its_items_fall(taxonomy: Taxonomy) -> None:
    """All 127 sets of 7 items at the root, under the families of the cut: ranks as documented, counts exact."""
    sets = every_set(7)
    counter = PartitionCounter.root(Flat.of(sets), taxonomy)
    root = taxonomy.root
    inner = [s for s in sets if named(taxonomy, root, ROUTE, s)]
    for family, inside in ((EVERY, sets), (ROUTE, sets), (OTHERS, inner), (LEAVES, [s for s in sets if s not in inner])):
        here = counter
        split = np.array([[root, family]])
        if family in (OTHERS, LEAVES):
            part = np.array([int(family == OTHERS)])
            here = counter.descend(np.array([0]), part, np.array([[root, ROUTE]]))
            assert here.count(np.array([0])).tolist() == [len(inside)]
        expected: dict[int, int] = {}
        for record in inside:
            rank = named(taxonomy, root, family, record)
            expected[rank] = expected.get(rank, 0) + 1
        children = here.children(np.array([0]), split)

        assert dict(sorted(expected.items())) == dict(zip(children.rank.tolist(), children.count.tolist(), strict=True))
        assert max(expected, default=-1) < here.fan_out(np.array([0]), split)[0]


def test_the_number_of_sub_partitions_is_right() -> None:
    """2^l − 1 in all (docs/soundness.md, 'Empty sub-partitions'), and the two families of a mixed cut are all of them."""
    counter = PartitionCounter.root(Flat.of([[0]]), MIXED)
    sizes = {f: counter.fan_out(np.array([0]), np.array([[MIXED.root, f]]))[0] for f in (EVERY, LEAVES, OTHERS, ROUTE)}

    assert {EVERY: 15, LEAVES: 3, OTHERS: 12, ROUTE: 2} == sizes


@settings(max_examples=60)
@given(st.data())
def test_one_record_moves_one_child_of_every_cut_by_one(data: Any) -> None:
    """Sensitivity by enumeration: along any sequence of cuts an added record walks one path, and nothing else moves."""
    taxonomy = data.draw(st.sampled_from([MIXED, Taxonomy.balanced(7, 2), Taxonomy.balanced(7, 3)]))
    sets = data.draw(st.lists(st.sampled_from(every_set(7)), max_size=6))
    added = data.draw(st.sampled_from(every_set(7)))
    counters = [PartitionCounter.root(Flat.of(s), taxonomy) for s in (sets, [*sets, added])]
    cut, node = [taxonomy.root], np.array([0])
    while inner := [c for c in cut if c >= taxonomy.labels]:
        chosen = data.draw(st.sampled_from(inner))
        split = np.array([[chosen, EVERY]])
        tallies = [c.children(node, split) for c in counters]
        before, after = (dict(zip(t.rank.tolist(), t.count.tolist(), strict=True)) for t in tallies)
        moved = {r: after.get(r, 0) - before.get(r, 0) for r in before.keys() | after.keys()}
        changed = {r: d for r, d in moved.items() if d}

        assert changed == {named(taxonomy, chosen, EVERY, added): 1}
        rank = next(iter(changed))
        children = taxonomy.children(chosen)
        order = sorted(children, key=lambda c: (c >= taxonomy.labels, c))
        cut = [c for c in cut if c != chosen] + [c for i, c in enumerate(order) if (rank + 1) >> i & 1]
        counters = [c.descend(np.array([0]), np.array([rank]), split) for c in counters]


def test_empty_records_are_in_no_partition() -> None:
    """A record without items moves nothing."""
    counter = PartitionCounter.root(Flat.of([[], [0], []]), MIXED)

    assert [1] == counter.count(np.array([0])).tolist()


def test_influence_is_the_records_of_a_unit() -> None:
    """One path per record; other units are refused."""
    kind = Partitions(MIXED)

    assert (1, 3) == (kind.influence(Record()), kind.influence(User(max_sequences=3)))
    with pytest.raises(CallError, match="record or a user"):
        kind.influence(Edge())


def test_a_route_is_free_and_divides_a_node_once() -> None:
    """Two parts, no charge; the node cannot be divided or routed again, and its parts pay on paths of their own."""
    tree = PrivateTree(PartitionCounter.root(Flat.of(every_set(7)), MIXED), 1, 10**12, SeededNoise(0))
    route = np.array([[MIXED.root, ROUTE]])
    parts = tree.route([tree.root], 2, route)

    assert (1, 2) == parts.shape
    assert 0 == tree.dearest
    tree.expand(parts[:, 0], 10**12, 0.0, np.array([[MIXED.root, LEAVES]]))
    tree.expand(parts[:, 1], 10**11, 0.0, np.array([[MIXED.root, OTHERS]]))
    assert [0, 9 * 10**11] == tree.remaining(parts[0]).tolist()
    for again in (lambda: tree.route([0], 2, route), lambda: tree.expand([0], 1, 0.0, np.array([[MIXED.root, EVERY]]))):
        with pytest.raises(CallError, match="only once"):
            again()


def test_a_route_must_name_every_part() -> None:
    """A part that is not named would leave records on no path."""
    tree = PrivateTree(PartitionCounter.root(Flat.of([[0]]), MIXED), 1, 10**12, SeededNoise(0))
    with pytest.raises(CallError, match="every part"):
        tree.route([0], 3, np.array([[MIXED.root, ROUTE]]))


def test_all_itemsets_count_each_record_once() -> None:
    """Every set of 4 labels lands in the slot of its own bits, so a record moves one count by one."""
    question = AllItemsets()
    domain = Domain.range(0, 3)
    for record in every_set(4):
        tally = question.tally(SetTable(domain, Flat.of([record])), Record())

        assert ([sum(1 << x for x in record) - 1], [1]) == (tally.index.tolist(), tally.count.tolist())
    assert (15, 2) == (question.slots(4), question.influence(User(max_sequences=2)))
    with pytest.raises(CallError, match="diffpart"):
        question.slots(21)
