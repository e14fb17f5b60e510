"""How far one unit moves the counts of a prefix tree, by trying every record there is (docs/soundness.md, 'Prefix trees').

A record stands at one node of every (sub-)level, whatever the granularities and the time slots are.
"""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest

from seqveil.errors import CallError
from seqveil.tables.granularity import Granularities
from seqveil.tables.units import Edge, Record, User
from seqveil.wall.questions.prefixes import Prefixes
from strategies import table_of_codes

LABELS = 4
SHAPES = {
    "simple": Granularities.of(LABELS, []),
    "groups of two": Granularities.grouped(LABELS, 2),
    "three levels": Granularities.of(LABELS, [[0, 0, 0, 1], [0, 0, 1, 2]]),
    "slots": Granularities.of(LABELS, [], slots=[0, 1, 1, 2]),
    "groups and slots": Granularities.of(LABELS, [[0, 1, 0, 1]], slots=[0, 1, 2, 3]),
}


def level_counts(records, fine: Granularities, levels: int) -> list[Counter]:
    """The counts of every sub-level, by the path of ranks that leads to a node."""
    counter = Prefixes(fine).open(table_of_codes(records, LABELS), Record())
    paths: list[tuple[int, ...]] = [()]
    prefixes = []
    for _ in range(levels * fine.levels):
        counts = counter.children(np.arange(len(paths)))
        wide = counter.fan_out(np.arange(len(paths)))
        assert all(0 <= r < wide[p] for p, r in zip(counts.parent, counts.rank, strict=True))
        paths = [(*paths[p], r) for p, r in zip(counts.parent.tolist(), counts.rank.tolist(), strict=True)]
        prefixes.append(Counter(dict(zip(paths, counts.count.tolist(), strict=True))))
        counter = counter.descend(counts.parent, counts.rank)
    return prefixes


def moved(before: Counter, after: Counter) -> int:
    return sum(abs(after[node] - before[node]) for node in before.keys() | after.keys())


@pytest.mark.parametrize("shape", SHAPES)
def test_one_record_moves_every_level_by_at_most_one(shape):
    """Every record of up to three labels, added to nothing and to others; one is reached on every level."""
    fine = SHAPES[shape]
    worst = [0] * (3 * fine.levels)
    for data in ([], [(0, 1, 3), (0,), (2, 2, 2), (3, 0)]):
        before = level_counts(data, fine, 3)
        for record in (r for n in range(4) for r in product(range(LABELS), repeat=n)):
            moves = [moved(a, b) for a, b in zip(before, level_counts([*data, record], fine, 3), strict=True)]
            worst = [max(pair) for pair in zip(worst, moves, strict=True)]

    assert [Prefixes(fine).influence(Record())] * len(worst) == worst


def test_a_user_moves_every_level_by_at_most_its_records():
    """Two equal records of one user reach m = 2."""
    fine = SHAPES["groups of two"]
    pairs = [moved(Counter(), c) for r in product(range(LABELS), repeat=2) for c in level_counts([r, r], fine, 2)]

    assert Prefixes(fine).influence(User(max_sequences=2)) == max(pairs) == 2


def test_the_enumeration_notices_a_record_that_walks_two_paths():
    """A counter that also followed the second label of a record would move a level by two."""
    twice = [(0, 1), (1,)]  # what such a counter would see of the record (0, 1)

    assert moved(Counter(), level_counts(twice, SHAPES["simple"], 1)[0]) > Prefixes().influence(Record())


def test_units_without_sequences_and_other_domains_are_refused():
    """Edges own no records; granularities must be about the domain of the table."""
    with pytest.raises(CallError, match="record or a user"):
        Prefixes().influence(Edge())
    with pytest.raises(CallError, match="the domain has 3"):
        Prefixes(SHAPES["simple"]).open(table_of_codes([], 3), Record())
