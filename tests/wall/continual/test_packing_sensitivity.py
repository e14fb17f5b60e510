"""Matches and bursts: one event moves the value of a stretch by at most 1, and short stretches not at all; by enumeration."""

from itertools import product

import numpy as np
import pytest

from brute_force import edit_distance, most_disjoint
from seqveil.engines.local.engine import STREAMS
from seqveil.engines.local.packing import PrefixPacking
from seqveil.errors import CallError
from seqveil.tables.units import Event
from seqveil.wall.continual import (
    Blocks,
    Bursts,
    Checkpoints,
    ContinualQuestion,
    Matches,
    PrefixBlocks,
    Prefixes,
    WindowBlocks,
    Windows,
)

NULL = np.nan
LENGTH = 6


def farthest(question, alphabet, length=LENGTH):
    """The largest L1 distance between the exact released values of two streams that differ in one event."""
    streams = np.array(list(product(alphabet, repeat=length)))
    released = np.array([question.kernel().feed(stream) for stream in streams])
    worst = 0
    for position in range(length):
        axis = released.reshape(len(alphabet) ** position, len(alphabet), -1, released.shape[1])
        for a, b in product(range(len(alphabet)), repeat=2):
            worst = max(worst, int(np.abs(axis[:, a] - axis[:, b]).sum(axis=-1).max()))
    return worst


FAMILIES = [
    Prefixes(LENGTH),
    Checkpoints(LENGTH, 3),
    Checkpoints(LENGTH, 3, "quadratic"),
    Checkpoints(LENGTH, 6, "quadratic"),
    Windows(LENGTH, 3),
    Windows(LENGTH, 9),
    PrefixBlocks(LENGTH),
    WindowBlocks(LENGTH, 3),
    WindowBlocks(LENGTH, 4),
]
PACKINGS = [
    (Matches("x"), (1.0, NULL)),
    (Matches("x x"), (1.0, 0.0)),
    (Matches("x y"), (1.0, 2.0, NULL)),
    (Matches("x y x"), (1.0, 2.0, 0.0)),
    (Matches("x y z", edits=1), (1.0, 2.0, 3.0)),
    (Matches("x x x", edits=2), (1.0, NULL)),
    (Bursts(1, 1), (1.0, 0.0)),
    (Bursts(2, 3), (1.0, 0.0)),
    (Bursts(3, 3), (1.0, NULL)),
]


@pytest.mark.parametrize("stretches", FAMILIES, ids=str)
def test_no_event_moves_more_than_is_claimed(stretches):
    """Every family of stretches, and some statistic that moves exactly as much as is claimed for stretches of its length."""
    moved = {str(one): farthest(ContinualQuestion(one, stretches), alphabet) for one, alphabet in PACKINGS}
    claimed = {str(one): ContinualQuestion(one, stretches).influence(Event()) for one, _ in PACKINGS}

    assert [] == [name for name in moved if moved[name] > claimed[name]]
    for shortest in {one.shortest for one, _ in PACKINGS}:
        assert any(moved[str(one)] == claimed[str(one)] for one, _ in PACKINGS if one.shortest == shortest)


@pytest.mark.parametrize("stretches", [Blocks(LENGTH, 2), Blocks(LENGTH, 1, every=2), Blocks(None, 2)], ids=str)
def test_no_event_moves_blocks_by_more_than_is_claimed(stretches):
    """Blocks that are too short for a member count in the claim; where none is, it is attained."""
    moved = {str(one): farthest(ContinualQuestion(one, stretches), alphabet) for one, alphabet in PACKINGS}

    assert max(moved.values()) == stretches.overlap


@pytest.mark.parametrize(
    ("stretches", "shortest", "touched"),
    [
        (Prefixes(100), 1, 100),
        (Prefixes(100), 30, 71),
        (Prefixes(100), 101, 0),
        (Checkpoints(100, 4), 25, 4),
        (Checkpoints(100, 4), 26, 3),
        (Checkpoints(100, 4, "quadratic"), 7, 4),  # at 7, 25, 57 and 100
        (Checkpoints(100, 4, "quadratic"), 8, 3),
        (Windows(100, 10), 5, 10),
        (Windows(100, 10), 11, 0),
        (Windows(12, 10), 5, 8),
        (PrefixBlocks(100), 1, 7),
        (PrefixBlocks(100), 4, 5),
        (PrefixBlocks(100), 5, 4),
        (PrefixBlocks(100), 65, 0),
        (WindowBlocks(100, 24), 5, 2),  # blocks of 8 and 16
        (WindowBlocks(100, 24), 17, 0),
    ],
)
def test_short_stretches_do_not_count(stretches, shortest, touched):
    """The most stretches with so many events or more that one event lies in."""
    assert touched == stretches.touched(shortest)


def moved(packing, alphabet, stretches):
    """How far one event moves, over what is claimed."""
    question = ContinualQuestion(packing, stretches)
    return farthest(question, alphabet) / question.influence(Event())


def test_enumeration_finds_a_claim_that_is_too_small(monkeypatch):
    """Planted: a shortest match that is one event too long, and occurrences that share events."""
    pair = Matches("x x"), (1.0, 0.0)
    assert 1 == moved(*pair, PrefixBlocks(LENGTH))
    monkeypatch.setattr(Matches, "shortest", 3)
    assert moved(*pair, PrefixBlocks(LENGTH)) > 1
    monkeypatch.undo()
    assert moved(*pair, Prefixes(LENGTH)) <= 1
    monkeypatch.setattr(PrefixPacking, "feed", lambda _, lengths: np.cumsum(lengths > 0))
    assert moved(*pair, Prefixes(LENGTH)) > 1


@pytest.mark.parametrize(
    ("packing", "member"),
    [
        (Matches("x y"), lambda run: run == [1, 2]),
        (Matches("x y x", edits=1), lambda run: edit_distance(run, [1, 2, 1]) <= 1),
        (Bursts(2, 3), lambda run: len(run) <= 3 and run.count(1) >= 2),
    ],
    ids=["matches", "matches with an edit", "bursts"],
)
def test_values_are_the_most_members_that_share_no_event(packing, member):
    """Over all short streams, and all ways to choose members; stretches below `shortest` have none, one of it has."""
    largest = {}
    for size in range(1, 6):
        for stream in product((0.0, 1.0, 2.0, NULL), repeat=size):
            value = int(packing.prefix(STREAMS).feed(np.array(stream))[-1])
            assert most_disjoint(list(stream), member) == value
            largest[size] = max(largest.get(size, 0), value)

    assert largest == {size: packing.bounds(size)[1] for size in largest}
    assert packing.shortest == min(size for size, value in largest.items() if value)


@pytest.mark.parametrize(
    ("pattern", "events", "symbols"),
    [
        ("open fail fail", ["open", "fail", "Open", "", None, 3], [1, 2, 0, NULL, NULL, 0]),
        ("5 7.50", ["5.0", 7.5, " 5 ", "five"], [1, 2, 1, 0]),
        ("1 1.0 2", [1, 2], [1, 2]),
        ('"West Ham" Ely', ["West Ham", "West", "Ely"], [1, 0, 2]),
        ("nan", ["nan", float("nan")], [1, NULL]),
    ],
)
def test_labels_are_compared_as_numbers_where_both_are(pattern, events, symbols):
    """Each event by itself; null where it is nothing."""
    assert np.array_equal(symbols, Matches(pattern).numbers(events), equal_nan=True)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Matches(""), "pattern='': give from 1 to 256 labels"),
        (lambda: Matches("a " * 257), "from 1 to 256 labels"),
        (lambda: Matches('a "b'), "Close it"),
        (lambda: Matches("a b", edits=2), "edits=2: give a whole number from 0 to 1"),
        (lambda: Matches("a b", edits=-1), "edits=-1"),
        (lambda: Bursts(0, 3), "at_least=0: give a whole number of at least 1"),
        (lambda: Bursts(4, 3), "within=3: give a whole number of at least 4, at_least"),
        (lambda: Bursts(2**21, 2**22), "at most 1,048,576"),
        (lambda: Bursts(2, 3, "=> 5"), "write '>= 5'"),
    ],
)
def test_impossible_families_are_refused(make, complaint):
    """What was given, what is allowed."""
    with pytest.raises(CallError, match=complaint):
        make()
