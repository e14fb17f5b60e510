"""Conformance: the counters of trees, followed down any way, against the walks that records take by definition.

A *walker* is what walks down the tree (a start position, a record, an edge). A tree is defined by the rank of the child that a
walker at a node goes to, by the number of children that the node has, and by the ways in which it can be divided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqveil.errors import CallError
from seqveil.tables.granularity import Granularities
from seqveil.tables.taxonomy import Taxonomy
from seqveil.tables.triangle import count_splits, nth_splits, root
from seqveil.wall.questions.partitions import EVERY, LEAVES, OTHERS, ROUTE
from strategies import databases

Path = tuple[tuple[int, Any], ...]
"""How a node was reached: the rank and the split of every step."""


class Grams:
    """Every item of a record starts a walk along what follows it; then comes the terminator, which has no children."""

    def __init__(self, records: Sequence[Sequence[int]], labels: int) -> None:
        self.labels = labels
        self.walkers = [(*record[start:], labels) for record in records for start in range(len(record))]

    def splits(self, path: Path) -> list[Any]:
        return [None]

    def rank(self, walker: Any, path: Path, split: Any) -> int | None:
        return walker[len(path)] if len(path) < len(walker) else None

    def width(self, path: Path, split: Any) -> int:
        return self.labels if not path else 0 if path[-1][0] == self.labels else self.labels + 1


class Prefixes:
    """A record walks along its labels, each found through its groups; slots never decrease along it."""

    def __init__(self, records: Sequence[Sequence[int]], fine: Granularities) -> None:
        self.fine, self.walkers = fine, list(records)

    def splits(self, path: Path) -> list[Any]:
        return [None]

    def _here(self, path: Path) -> tuple[int, list[int], int]:
        """Level, groups that the children are, and labels before: found by walking the path from the root."""
        labels, slots = self.fine.labels, self.fine.slot.tolist()
        inside, since, depth = list(range(labels)), 0, 0
        for step in range(len(path) + 1):
            member = self.fine.member[step % self.fine.levels].tolist()
            groups = sorted({member[x] for x in inside if slots[x] >= since})
            if step == len(path):
                return step % self.fine.levels, groups, depth
            inside = [x for x in inside if member[x] == groups[path[step][0]]]
            if step % self.fine.levels == self.fine.levels - 1:
                since, inside, depth = slots[inside[0]], list(range(labels)), depth + 1
        raise AssertionError

    def _since(self, walker: Any, depth: int) -> int:
        return int(self.fine.slot[walker[depth - 1]]) if depth else 0

    def rank(self, walker: Any, path: Path, split: Any) -> int | None:
        level, groups, depth = self._here(path)
        if depth >= len(walker) or self.fine.slot[walker[depth]] < self._since(walker, depth):
            return None
        return groups.index(int(self.fine.member[level][walker[depth]]))

    def width(self, path: Path, split: Any) -> int:
        return len(self._here(path)[1])


class Partitions:
    """A set goes where the children of the cut node that cover some of its items say: a mask, leaves in the low bits."""

    def __init__(self, records: Sequence[Sequence[int]], taxonomy: Taxonomy) -> None:
        leaf = np.argsort(taxonomy.code).tolist()
        self.taxonomy, self.walkers = taxonomy, [tuple(sorted({leaf[x] for x in record})) for record in records if record]

    def _children(self, cut: int) -> tuple[list[int], int]:
        children = self.taxonomy.children(cut)
        leaves = [c for c in children if c < self.taxonomy.labels]
        return leaves + [c for c in children if c not in leaves], len(leaves)

    def splits(self, path: Path) -> list[Any]:
        cuts = [self.taxonomy.root]
        for rank, (cut, family) in path:
            order, leaves = self._children(cut)
            if family == ROUTE:
                continue
            mask = rank + (1 << leaves if family == OTHERS else 1)
            cuts = [c for c in cuts if c != cut] + [c for i, c in enumerate(order) if mask >> i & 1 and i >= leaves]
        if path and path[-1][1][1] == ROUTE:
            rank, (cut, _) = path[-1]
            return [(cut, OTHERS if rank else LEAVES)]
        mixed = [(c, ROUTE) for c in cuts if 0 < self._children(c)[1] < len(self._children(c)[0])]
        return [(c, EVERY) for c in cuts] + mixed

    def rank(self, walker: Any, path: Path, split: Any) -> int | None:
        cut, family = split
        order, leaves = self._children(cut)
        low, high = self.taxonomy.low, self.taxonomy.high
        mask = sum(1 << i for i, c in enumerate(order) if any(low[c] <= x < high[c] for x in walker))
        if family == ROUTE:
            return int(mask >= 1 << leaves)
        return mask - (1 << leaves if family == OTHERS else 1)

    def width(self, path: Path, split: Any) -> int:
        cut, family = split
        order, leaves = self._children(cut)
        every, low = 2 ** len(order), 2**leaves
        return {EVERY: every - 1, LEAVES: low - 1, OTHERS: every - low, ROUTE: 2}[family]


class Rows(Partitions):
    """A row goes to the child of the cut node that covers its first item there, or, under an attribute, to none (first)."""

    def splits(self, path: Path) -> list[Any]:
        cuts = self.taxonomy.trunk.tolist()
        for rank, (cut, family) in path:
            if family == ROUTE:
                continue
            order, leaves = self._children(cut)
            step = rank + (leaves + 1 if family == OTHERS else 0 if cut in self.taxonomy.trunk else 1)
            cuts = [c for c in cuts if c != cut] + ([order[step - 1]] if step > leaves else [])
        if path and path[-1][1][1] == ROUTE:
            rank, (cut, _) = path[-1]
            return [(cut, OTHERS if rank else LEAVES)]
        mixed = [(c, ROUTE) for c in cuts if 0 < self._children(c)[1] + (c in self.taxonomy.trunk) and self._groups(c)]
        return [(c, EVERY) for c in cuts] + mixed

    def _groups(self, cut: int) -> int:
        order, leaves = self._children(cut)
        return len(order) - leaves

    def rank(self, walker: Any, path: Path, split: Any) -> int | None:
        cut, family = split
        order, leaves = self._children(cut)
        low, high = self.taxonomy.low, self.taxonomy.high
        first = next((x for x in walker if low[cut] <= x < high[cut]), None)
        step = 0 if first is None else 1 + next(i for i, c in enumerate(order) if low[c] <= first < high[c])
        if family == ROUTE:
            return int(step > leaves)
        return step - (leaves + 1 if family == OTHERS else 0 if cut in self.taxonomy.trunk else 1)

    def width(self, path: Path, split: Any) -> int:
        cut, family = split
        order, leaves = self._children(cut)
        none = int(cut in self.taxonomy.trunk)
        return {EVERY: len(order) + none, LEAVES: leaves + none, OTHERS: len(order) - leaves, ROUTE: 2}[family]


class Regions:
    """An edge lies in one of four parts around a point."""

    def __init__(self, edges: Any, vertices: int) -> None:
        self.walkers, self.vertices = sorted(edges), vertices

    def splits(self, path: Path) -> list[Any]:
        return [(row, column) for row in range(1, self.vertices) for column in range(1, self.vertices)]

    def rank(self, walker: Any, path: Path, split: Any) -> int | None:
        return 2 * (walker[0] >= split[0]) + (walker[1] >= split[1])

    def width(self, path: Path, split: Any) -> int:
        return 4


def follow(counter: Any, tree: Any, levels: int, data: Any) -> None:
    """Down some levels: any nodes, in any order, divided in any way; children that nobody goes to are followed too."""
    paths: list[Path] = [()]
    members: dict[Path, list[Any]] = {(): tree.walkers}
    for _ in range(levels):
        nodes = data.draw(st.lists(st.sampled_from(range(len(paths))), unique=True, min_size=1, max_size=4))
        nodes = [n for n in nodes if tree.splits(paths[n])]
        if not nodes:
            return
        splits = [data.draw(st.sampled_from(tree.splits(paths[n]))) for n in nodes]
        asked, split = np.array(nodes, np.int64), None if splits[0] is None else np.array(splits, np.int64)
        ranks = [Counter(tree.rank(w, paths[n], s) for w in members[paths[n]]) for n, s in zip(nodes, splits, strict=True)]
        expected = [(i, r, c) for i, counts in enumerate(ranks) for r, c in sorted(_real(counts).items())]
        widths = [tree.width(paths[n], s) for n, s in zip(nodes, splits, strict=True)]
        counts = counter.children(asked, split)

        assert expected == list(zip(counts.parent.tolist(), counts.rank.tolist(), counts.count.tolist(), strict=True))
        assert widths == counter.fan_out(asked, split)
        assert [len(members[paths[n]]) for n in nodes] == counter.count(asked).tolist()

        slots = [(i, r) for i, wide in enumerate(widths) for r in range(min(wide, 8))]
        slots += [(i, r) for i, r, _ in expected if r >= 8]
        if not slots:
            return
        kept = data.draw(st.lists(st.sampled_from(slots), unique=True, min_size=1, max_size=6))
        below = None if split is None else split[[i for i, _ in kept]]
        counter = counter.descend(asked[[i for i, _ in kept]], np.array([r for _, r in kept], np.int64), below)
        grown = [(paths[nodes[i]], (r, splits[i])) for i, r in kept]
        members = {(*p, step): [w for w in members[p] if tree.rank(w, p, step[1]) == step[0]] for p, step in grown}
        paths = [(*p, step) for p, step in grown]


def _real(counts: Counter[Any]) -> dict[int, int]:
    return {rank: count for rank, count in counts.items() if rank is not None}


@settings(max_examples=60)
@given(records=databases(), data=st.data())
def test_grams(world, records, data):
    """One walk per item; the root has no terminator, a gram that ended has no children."""
    counter = world.engine.grams(world.sequences(records, 3), deepest=7)
    follow(counter, Grams(records, 3), data.draw(st.integers(1, 5)), data)


@settings(max_examples=60)
@given(records=databases(), owners=st.lists(st.integers(0, 2), min_size=9, max_size=9), cap=st.integers(1, 3), data=st.data())
def test_capped_grams(world, records, owners, cap, data):
    """At a node a record, or an owner, is counted at most `cap` times, and walks that end at a node are not counted below it."""
    by_owner = data.draw(st.booleans())
    counter = world.engine.grams(world.sequences(records, 3, owners[: len(records)]), 7, cap=cap, by_owner=by_owner)
    walks = [
        (owner if by_owner else i, (*record[start:], 3))
        for i, (owner, record) in enumerate(zip(owners, records, strict=False))
        for start in range(len(record))
    ]
    standing, depth = {0: walks}, 0
    while standing and depth < 5:
        nodes = np.array(sorted(standing), np.int64)
        below = {}
        for i, node in enumerate(nodes.tolist()):
            for owner, walk in standing[node]:
                same = below.setdefault((i, walk[depth]), []) if len(walk) > depth else []
                if sum(who == owner for who, _ in same) < cap:
                    same.append((owner, walk))
        counts = counter.children(nodes)
        most = max((max(Counter(who for who, _ in same).values()) for same in below.values()), default=0)

        assert [len(standing[node]) for node in nodes.tolist()] == counter.count(nodes).tolist()
        assert {slot: len(same) for slot, same in below.items()} == {
            (p, r): c for p, r, c in zip(counts.parent.tolist(), counts.rank.tolist(), counts.count.tolist(), strict=True)
        }
        assert most <= counts.most <= cap
        alive = [slot for slot in sorted(below) if slot[1] != 3]
        if not alive:
            break
        chosen = data.draw(st.lists(st.sampled_from(alive), unique=True, min_size=1))
        counter = counter.descend(nodes[[i for i, _ in chosen]], np.array([rank for _, rank in chosen], np.int64))
        standing, depth = {new: below[slot] for new, slot in enumerate(chosen)}, depth + 1


SHAPES = {
    "simple": Granularities.of(4, []),
    "groups of two": Granularities.grouped(4, 2),
    "three levels": Granularities.of(4, [[0, 0, 0, 1], [0, 0, 1, 2]]),
    "slots": Granularities.of(4, [], slots=[0, 1, 1, 2]),
    "groups and slots": Granularities.of(4, [[0, 1, 0, 1]], slots=[0, 1, 2, 3]),
}


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=25)
@given(records=databases(4), data=st.data())
def test_prefixes(world, records, data, shape):
    """One walk per record, through groups and along slots."""
    counter = world.engine.prefixes(world.sequences(records, 4), SHAPES[shape])
    follow(counter, Prefixes(records, SHAPES[shape]), data.draw(st.integers(1, 6)), data)


TAXONOMIES = {
    "mixed": Taxonomy.nested([[0, 1], 2, [3, [4, 5]], 6]),
    "binary": Taxonomy.balanced(7, 2),
    "flat": Taxonomy.balanced(7, 7),
    "regrouped": Taxonomy.grouped([np.array([0, 1, 0, 2, 1, 0, 2])], 7, 2),
}


@pytest.mark.parametrize("shape", TAXONOMIES)
@settings(max_examples=25)
@given(records=databases(7), data=st.data())
def test_partitions(world, records, data, shape):
    """One walk per record that is not empty, cut by cut, family by family; sequences are taken as sets."""
    for table in (world.sequences(records, 7), world.sets(records, 7)):
        tree = Partitions(records, TAXONOMIES[shape])
        follow(world.engine.partitions(table, TAXONOMIES[shape]), tree, data.draw(st.integers(1, 4)), data)


ROWS = {
    "flat": Taxonomy.grouped([np.array([0, 0, 1, 1, 1, 2, 2])], 7, 10, attributes=True),
    "deep": Taxonomy.grouped([np.array([0, 1, 0, 1, 0, 0, 1])], 7, 2, attributes=True),
    "one": Taxonomy.grouped([np.zeros(7, np.int64)], 7, 3, attributes=True),
    "each": Taxonomy.grouped([np.arange(7)], 7, 3, attributes=True),
}


@pytest.mark.parametrize("shape", ROWS)
@settings(max_examples=25)
@given(records=databases(7), data=st.data())
def test_rows(world, records, data, shape):
    """One walk per row that is not empty, attribute by attribute; of two values of one attribute the first counts."""
    follow(
        world.engine.partitions(world.sets(records, 7), ROWS[shape]),
        Rows(records, ROWS[shape]),
        data.draw(st.integers(1, 4)),
        data,
    )


VERTICES = 6
EDGES = st.sets(st.sampled_from(list(combinations(range(VERTICES), 2))))


@settings(max_examples=60)
@given(edges=EDGES, data=st.data())
def test_regions(world, edges, data):
    """One walk per edge."""
    follow(world.engine.regions(world.graph(edges, VERTICES), (1,), 1), Regions(edges, VERTICES), 3, data)


@settings(max_examples=40)
@given(edges=EDGES, point=st.tuples(st.integers(1, 5), st.integers(1, 5)), rank=st.integers(0, 3))
def test_region_and_occupied(world, edges, point, rank):
    """A region holds exactly the cells of its quadrant, and its cells are numbered row by row."""
    below = world.engine.regions(world.graph(edges, VERTICES), (1,), 1)
    below = below.descend(np.zeros(1, np.int64), np.array([rank]), np.array([point]))
    top, bottom, left, right = below.region(0).tolist()
    cells = [(i, j) for i in range(top, bottom) for j in range(left, right) if i < j]
    quadrant = [c for c in combinations(range(VERTICES), 2) if 2 * (c[0] >= point[0]) + (c[1] >= point[1]) == rank]

    assert quadrant == cells
    assert [n for n, cell in enumerate(cells) if cell in edges] == below.occupied(0).tolist()


@settings(max_examples=40)
@given(edges=EDGES, least=st.integers(1, 3))
def test_scores(world, edges, least):
    """⌊least·density⌋ of the densest part minus that of the sparsest, for every legal split, by a loop over pairs."""
    region = root(VERTICES)[None]
    number = int(count_splits(region, least, 1)[0])
    points = nth_splits(np.repeat(region, number, 0), least, np.arange(number), 1).tolist()
    expected = []
    for point in points:
        parts: dict[int, list[bool]] = {}
        for i, j in combinations(range(VERTICES), 2):
            parts.setdefault(2 * (i >= point[0]) + (j >= point[1]), []).append((i, j) in edges)
        densities = [least * sum(part) // len(part) for part in parts.values()]
        expected.append(max(densities) - min(densities))
    counter = world.engine.regions(world.graph(edges, VERTICES), (least,), 1)
    scores = counter.scores(np.zeros(1, np.int64))

    assert (expected, [0, number], 1) == (scores.score.tolist(), scores.start.tolist(), scores.sensitivity)


def test_counters_without_a_choice_say_so(world):
    """N-grams, prefixes and partitions divide in one way only."""
    engine, table = world.engine, world.sequences([[0, 1]], 4)
    partitions = engine.partitions(table, Taxonomy.balanced(4, 2))
    for counter in (engine.grams(table, 3), engine.prefixes(table, SHAPES["simple"]), partitions):
        with pytest.raises(CallError, match="to choose"):
            counter.scores(np.zeros(1, np.int64))
