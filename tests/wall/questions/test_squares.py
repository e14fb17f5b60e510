"""How far one unit moves counts in L2², by trying every record (or edge): what a question states is reached, not exceeded."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pytest

from seqveil.engines.protocol import engine_of
from seqveil.errors import CallError
from seqveil.tables.domain import Domain
from seqveil.tables.doubling import Doubling
from seqveil.tables.graphs import GraphTable
from seqveil.tables.trie import Trie
from seqveil.tables.units import Edge, Record, User
from seqveil.wall.clip import tallied
from seqveil.wall.questions.alphabet import Alphabet
from seqveil.wall.questions.bins import Bins
from seqveil.wall.questions.clipped import ClippedSupports
from seqveil.wall.questions.degrees import Degrees
from seqveil.wall.questions.edges import Edges
from seqveil.wall.questions.ends import Trips
from seqveil.wall.questions.lengths import Lengths
from seqveil.wall.questions.longest import LongestSupports
from seqveil.wall.questions.matches import Matches
from seqveil.wall.questions.protocol import square_of
from seqveil.wall.questions.shrunk import ShrunkSupports, TruncatedSupports
from seqveil.wall.questions.supports import Supports
from seqveil.wall.questions.windows import Labels, Windows
from strategies import table_of_codes

EVERY = [r for n in range(6) for r in product(range(2), repeat=n)]
PAIRS = list(combinations_with_replacement([r for r in EVERY if len(r) in (2, 3)], 2))
DATA = [(0, 1, 0), (1,), (0, 0)]
WORDS = Alphabet.identity(2)
BEFORE = np.array([[0], [1]], np.int32)
SINGLES, STRINGS = np.array([[0], [1]]), np.array([[0, 1], [1, 0], [1, 1]])


def counted(question, records, users, unit):
    owners = users if isinstance(unit, User) else None
    return tallied(question, table_of_codes(records, 2, owners), unit).dense(question.slots(2))


def moved(question, unit, joining):
    """By how much these records of one unit move the counts; the data belong to others."""
    less = counted(question, DATA, [0, 1, 2], unit)
    more = counted(question, [*DATA, *joining], [0, 1, 2, *[3] * len(joining)], unit)
    return int(((more - less) ** 2).sum())


def most_moved(question, unit):
    units = [[record] for record in EVERY] if unit.sequences == 1 else PAIRS
    return max(moved(question, unit, records) for records in units)


QUESTIONS = [
    Labels(4, WORDS, cap=1),
    Labels(4, WORDS, cap=2),
    Labels(4, WORDS),
    Labels(3, WORDS, cap=9),
    Windows(5, BEFORE, WORDS, cap=1),
    Windows(5, BEFORE, WORDS, cap=2),
    Windows(3, BEFORE, WORDS),
    Bins(((0, 1), (1,))),
    Supports(STRINGS),
    ClippedSupports(STRINGS, 2),
    ShrunkSupports(SINGLES, 2),
    TruncatedSupports(SINGLES, 2),
    Matches(Doubling.over(2, 2), 4, 3, once=True),
    Matches(Doubling.over(2, 2), 4, 3),
    Matches(Trie.of([(0,), (1,), (1, 1)], labels=2), 4, 2, once=True),
    Lengths(3),
    Trips(WORDS),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: f"{q.name} {getattr(q, 'cap', '')}")
def test_a_record_reaches_what_the_question_states_and_no_more(question):
    """Over 2 labels, up to length 5. With a cap of 1, two labels are not enough to reach it: then they are what is reached."""
    stated, reached = square_of(question, Record()), most_moved(question, Record())
    few = question.cap == 1 and isinstance(question, Labels) if hasattr(question, "cap") else False

    assert reached == (2 if few else stated)


@pytest.mark.parametrize(
    "question",
    [
        Labels(2, WORDS, cap=2),
        Windows(3, BEFORE, WORDS, cap=1),
        Windows(3, BEFORE, WORDS, cap=2),
        Windows(3, BEFORE, WORDS),
        Supports(STRINGS),
        ClippedSupports(STRINGS, 2),
        Bins(((0, 1), (1,))),
        Lengths(3),
    ],
    ids=lambda q: f"{q.name} {getattr(q, 'cap', '')}",
)
def test_a_user_reaches_what_the_question_states_and_no_more(question):
    """Two records of one user; a cap is one of the user, over both."""
    unit = User(max_sequences=2)

    assert square_of(question, unit) == most_moved(question, unit)


def test_largest_supports_move_by_one_for_each_length_in_squares():
    """A record of all lengths raises every one of them."""
    question = LongestSupports(longest=3, floor=1, most=100)
    base = [(0, 0, 0)]
    moves = [counted(question, [*base, record], None, Record()) - counted(question, base, None, Record()) for record in EVERY]

    assert max(int((move**2).sum()) for move in moves) == square_of(question, Record()) == 3


def graphs():
    pairs = list(combinations(range(4), 2))
    return [[pair for i, pair in enumerate(pairs) if bits >> i & 1] for bits in range(1 << len(pairs))]


@pytest.mark.parametrize("question", [Degrees(), Degrees(ascending=True), Edges()], ids=["degrees", "ascending", "edges"])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_edges_reach_what_the_question_states_and_no_more(question, k):
    """All pairs of graphs of 4 vertices that differ in at most k edges, some added and some removed."""
    tables = [np.array(edges, np.int64).reshape(-1, 2) for edges in graphs()]
    counts = [
        tallied(question, GraphTable.of(Domain.range(1, 4), ends[:, 0], ends[:, 1]), Edge(k)).dense(question.slots(4))
        for ends in tables
    ]
    near = [(a, b) for a in range(64) for b in range(64) if (a ^ b).bit_count() <= k]

    assert max(int(((counts[a] - counts[b]) ** 2).sum()) for a, b in near) == square_of(question, Edge(k))


def test_the_enumeration_notices_a_cap_that_is_forgotten():
    """Without it the same records move more than is stated."""
    stated = square_of(Windows(5, BEFORE, WORDS, cap=2), Record())

    assert most_moved(Windows(5, BEFORE, WORDS), Record()) > stated


def test_the_enumeration_notices_a_cap_for_every_record_of_a_user():
    """Two records with a cap each reach twice the cap, and four times the square."""
    unit, question = User(max_sequences=2), Windows(3, BEFORE, WORDS, cap=2)
    table = table_of_codes([(0, 0, 0), (0, 0, 0)], 2, [0, 0])
    apart = engine_of(table).windows(table, BEFORE, np.arange(2, dtype=np.int32), 2, cap=2)

    assert int((apart.count**2).sum()) == 16 > square_of(question, unit) == 8


def test_a_cap_is_one_of_the_unit():
    """A table with owners, whose records are protected one by one: each has a cap of its own."""
    table = table_of_codes([(0, 0, 0), (0, 0)], 2, [5, 5])
    question = Windows(3, BEFORE, WORDS, cap=1)

    assert [2, 0, 0, 0] == question.tally(table, Record()).dense(4).tolist()
    assert [1, 0, 0, 0] == question.tally(table, User(max_sequences=2)).dense(4).tolist()


@pytest.mark.parametrize("cap", [0, -1])
def test_a_cap_of_nothing_is_refused(cap):
    for wrong in (lambda: Labels(3, WORDS, cap=cap), lambda: Windows(3, BEFORE, WORDS, cap=cap)):
        with pytest.raises(CallError, match="give 1 or more, or None"):
            wrong()
