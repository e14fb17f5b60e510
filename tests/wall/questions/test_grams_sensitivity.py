"""How far one unit moves the counts of the exploration tree, by trying every record there is (docs/soundness.md, 'N-grams').

One record more must move counts, weighted along *any* allocation that gives every root-to-leaf path one unit of ε, by at
most `influence`. The weighted move is linear in the allocation, so the worst one spends everything at a node or nothing:
`worst_loss` takes the better of the two at every node, which is the largest value over all allocations.
"""

from __future__ import annotations

from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from seqveil.engines.protocol import engine_of
from seqveil.errors import CallError
from seqveil.tables.units import Edge, Record, User
from seqveil.wall.questions.grams import Grams
from strategies import gram_counts, table_of_codes

Gram = tuple[int, ...]


def records_up_to(length: int, labels: int) -> list[Gram]:
    return [r for n in range(length + 1) for r in product(range(labels), repeat=n)]


def engine_counts(records: list[Gram], labels: int, l_max: int) -> dict[Gram, int]:
    """All counts of the tree, as the engine that the question opens gives them."""
    counter = Grams(l_max).open(table_of_codes(records, labels), Record())
    answers: dict[Gram, int] = {}
    grams: list[Gram] = [()]
    while grams:
        counts = counter.children(np.arange(len(grams)))
        kept = [(*grams[p], r) for p, r in zip(counts.parent.tolist(), counts.rank.tolist(), strict=True)]
        answers |= dict(zip(kept, counts.count.tolist(), strict=True))
        alive = counts.rank != labels
        counter = counter.descend(counts.parent[alive], counts.rank[alive])
        grams = [g for g in kept if g[-1] != labels]
    return answers


def printed_counts(records: list[Gram], labels: int, l_max: int) -> dict[Gram, int]:
    """Algorithm 1 as printed: the root has a child `&` too, so the terminator starts a walk of its own."""
    counts = engine_counts(records, labels, l_max)
    return counts | ({(labels,): len(records)} if records else {})


def moved(count, data: list[Gram], unit: list[Gram], labels: int, l_max: int) -> dict[Gram, int]:
    """By how much every count moves when a unit's records join the data."""
    before, after = count(data, labels, l_max), count(data + unit, labels, l_max)
    return {g: abs(after.get(g, 0) - before.get(g, 0)) for g in before.keys() | after.keys()}


def worst_loss(moves: dict[Gram, int], gram: Gram = ()) -> int:
    """The largest Σ move·ε over allocations that give every root-to-leaf path one unit: at a node, spend here or below."""
    children = [g for g in moves if len(g) == len(gram) + 1 and g[:-1] == gram]
    return sum(max(moves[g], worst_loss(moves, g)) for g in children)


@pytest.mark.parametrize(("labels", "length"), [(2, 4), (3, 3)])
@pytest.mark.parametrize("l_max", [1, 2, 3, 4])
def test_one_record_moves_no_allocation_by_more_than_its_influence(labels, length, l_max):
    """Every record over 2–3 labels, added to nothing and to a database of others; l_max is reached, so it is tight."""
    influence = Grams(l_max).influence(Record())
    for data in ([], [(0, 1, 0), (1,), (0, 0)]):
        losses = [worst_loss(moved(engine_counts, data, [record], labels, l_max)) for record in records_up_to(length, labels)]
        assert max(losses) == min(length, l_max) <= influence


@pytest.mark.parametrize("l_max", [1, 2, 3])
def test_a_user_moves_no_allocation_by_more_than_m_records_do(l_max):
    """Every pair of records as one user's: influence is m·l_max, and two equal records reach it."""
    unit = User(max_sequences=2)
    losses = [
        worst_loss(moved(engine_counts, [(1, 0)], list(pair), 2, l_max))
        for pair in combinations_with_replacement(records_up_to(3, 2), 2)
    ]

    assert max(losses) == 2 * l_max == Grams(l_max).influence(unit)


def level_moves(count, length: int, l_max: int) -> list[int]:
    """The largest L1 move of every level, over all records of two labels."""
    worst = [0] * (l_max + 1)
    for record in records_up_to(length, 2):
        moves = moved(count, [(0, 1)], [record], 2, l_max)
        for level in range(1, l_max + 2):
            worst[level - 1] = max(worst[level - 1], sum(m for g, m in moves.items() if len(g) == level))
    return worst


LEVELS = [  # l_max, L1 of level 1, 2, 3, … with `&` appended and no `&` below the root (docs/soundness.md, 'The terminator')
    (1, [1, 1]),
    (2, [2, 2, 1]),
    (3, [3, 3, 2, 1]),
    (4, [4, 4, 3, 2, 1]),
]


@pytest.mark.parametrize(("l_max", "expected"), LEVELS)
def test_the_l1_of_every_level(l_max, expected):
    """l_max, l_max, l_max − 1, …: the printed l_max − i + 1 is one too small from level 2 on."""
    moves = level_moves(engine_counts, 5, l_max)

    assert expected == moves
    assert all(moves[i - 1] > l_max - i + 1 for i in range(2, l_max + 2))


@pytest.mark.parametrize("l_max", [1, 2, 4])
def test_the_printed_terminator_below_the_root_breaks_the_bound(l_max):
    """The enumeration notices it: with `&` as a child of the root one record moves l_max + 1."""
    losses = [worst_loss(moved(printed_counts, [], [r], 2, l_max)) for r in records_up_to(4, 2)]

    assert Grams(l_max).influence(Record()) + 1 == max(losses)


@pytest.mark.parametrize("l_max", [2, 3, 4])
def test_noise_tightened_per_level_breaks_the_bound(l_max):
    """With scale (l_max − i + 1)/ε_i and ε/n per level, a full record loses more than ε."""
    moves = moved(engine_counts, [], [(0,) * l_max], 1, l_max)
    by_level = [sum(m for g, m in moves.items() if len(g) == i) for i in range(1, l_max + 1)]

    assert sum(move / (l_max - i) / l_max for i, move in enumerate(by_level)) > 1
    assert sum(move / l_max / l_max for move in by_level) <= 1


def test_the_enumeration_notices_a_clip_that_is_not_applied():
    """An engine that forgets to cut records to l_max moves more than the question claims."""

    def uncut(records, labels, l_max):
        return gram_counts(records, 10**6, labels)

    losses = [worst_loss(moved(uncut, [], [r], 2, 2)) for r in records_up_to(4, 2)]

    assert max(losses) == 4 > Grams(2).influence(Record())


def test_units_that_own_no_sequences_are_refused():
    """Edges and events have no grams; l_max below 1 makes no sense."""
    with pytest.raises(CallError, match="record or a user"):
        Grams(3).influence(Edge())
    with pytest.raises(CallError, match="at least 1"):
        Grams(0)


def test_the_engine_is_the_one_that_was_enumerated():
    """The question opens the counter of the engine that tests/engines holds against brute force."""
    table = table_of_codes([], 2)

    assert type(engine_of(table).grams(table, 4)) is type(Grams(3).open(table, Record()))
