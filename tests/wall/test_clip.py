"""The clip: what makes a sensitivity true is ordered by the wall and verified by it, whatever an engine does."""

from __future__ import annotations

import ast
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seqveil.wall
from seqveil.engines.local.engine import LocalEngine
from seqveil.engines.protocol import Counts, Tally, engine_of
from seqveil.tables.flat import Flat
from seqveil.tables.units import Edge, Record, User
from seqveil.wall import clip
from seqveil.wall.budget import GRAINS
from seqveil.wall.clip import ClipFailed
from seqveil.wall.noise import SeededNoise
from seqveil.wall.noise.nothing import NoNoise
from seqveil.wall.questions.alphabet import Alphabet
from seqveil.wall.questions.clipped import ClippedSupports
from seqveil.wall.questions.density import Regions
from seqveil.wall.questions.fingerprints import Fingerprints
from seqveil.wall.questions.grams import Grams
from seqveil.wall.questions.lengths import LengthQuantile, Lengths
from seqveil.wall.questions.prefixes import Prefixes
from seqveil.wall.questions.shrunk import ShrunkSupports, TruncatedSupports
from seqveil.wall.questions.size import Size
from seqveil.wall.questions.windows import Labels, Windows
from seqveil.wall.run import open_wall
from seqveil.wall.wall import Wall
from strategies import databases, table_of_codes

RECORDS = [[0, 1, 0, 1, 1], [1, 1, 1], [0]]
PAIRS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
_grams, _parts, _lengths, _strata = LocalEngine.grams, LocalEngine.parts, LocalEngine.lengths, LocalEngine.strata
_windows = LocalEngine.windows


def wall_of(unit=None, records=RECORDS, users=None):
    return open_wall(table_of_codes(records, 2, users), unit or Record(), GRAINS, SeededNoise(1))


def twice(engine, table, deepest, **capped):
    return _grams(engine, table.take(np.repeat(np.arange(len(table)), 2)), deepest, **capped)


def doubled(engine, table, most):
    tally = _lengths(engine, table, most)
    return Tally(tally.index, 2 * tally.count, tally.heaviest)


def without_cap(engine, table, patterns, **bounds):
    return engine.supports(table, patterns)


def crossing(engine, table, contexts, codes, wide, **capped):
    row = replace(table, flat=Flat(table.flat.items, np.array([0, len(table.flat.items)])))
    return _windows(engine, row, contexts, codes, wide, **capped)


def for_each_record(engine, table, contexts, codes, wide, cap, by_owner):
    """A cap of the records of a user, not of the user; measured as it should be."""
    tally = _windows(engine, table, contexts, codes, wide, cap=cap, by_owner=False)
    return replace(tally, owner_square=int((tally.count**2).sum()))


def unmeasured(engine, table, deepest, cap, by_owner):
    return _grams(engine, table, deepest)


def thrice(engine, table, deepest, cap, by_owner):
    return _grams(engine, table, deepest, cap=3 * cap, by_owner=by_owner)


def capped_labels(unit, users=None, records=((0, 0), (0, 0))):
    return wall_of(unit, records, users).ask(Labels(len(records[0]), Alphabet.identity(2), cap=1), 1)


THREE = User(max_sequences=3), [7, 7, 7], [[0], [0], [0]]


def capped_tree():
    return wall_of().tree(Grams(5, most=1), 4).expand([0], 1, 0.0)


FORGETFUL = {  # what an engine forgets: (method, what it does instead, question that meets it, what the wall says)
    "to cut": ("cut", lambda e, table, l_max: table, lambda: wall_of().tree(Grams(2), 1), "longer than l_max"),
    "to bound": (
        "bounded",
        lambda e, table, m, uniform: table,
        lambda: wall_of(User(max_sequences=2), users=[5, 5, 5]),
        "more records of a user",
    ),
    "that it counted": ("grams", twice, lambda: wall_of().tree(Grams(3), 1), "more paths than its records walk"),
    "that it added": ("lengths", doubled, lambda: wall_of().ask(Lengths(4), 1), "more than its records can add"),
    "that it scored": ("lengths", doubled, lambda: wall_of().quantile(LengthQuantile(4, Fraction(1, 2)), 1), "can add"),
    "the cap": ("shrunk_supports", without_cap, lambda: wall_of().ask(ShrunkSupports(PAIRS, 2), 1), "one record add more"),
    "the cap of sets": ("truncated_supports", without_cap, lambda: wall_of().ask(TruncatedSupports(PAIRS, 1), 1), "record add"),
    "the cap of a user": ("windows", for_each_record, lambda: capped_labels(*THREE), "than its cap"),
    "the cap of windows": (
        "windows",
        lambda *given, cap, by_owner: replace(_windows(*given), owner_square=4),
        lambda: capped_labels(Record()),
        "than its cap",
    ),
    "to measure a cap": (
        "windows",
        lambda *given, cap, by_owner: _windows(*given),
        lambda: capped_labels(Record()),
        "add more, in squares",
    ),
    "the cap of a tree": ("grams", thrice, capped_tree, "more often at a node than its cap"),
    "to measure the cap of a tree": ("grams", unmeasured, capped_tree, "more often at a node than its cap"),
    "to clip": ("clipped_supports", without_cap, lambda: wall_of().ask(ClippedSupports(PAIRS, 1), 1), "one record add more"),
    "that parts differ": (
        "parts",
        lambda e, table, n, uniform: [table, *_parts(e, table, n, uniform)[1:]],
        lambda: [wall_of().parts(2, 1) for _ in range(20)],
        "not a partition",
    ),
    "that strata differ": (
        "strata",
        lambda e, table, bounds: [table, *_strata(e, table, bounds)[1:]],
        lambda: wall_of(records=[[0], [0, 1]]).strata([1, 2], 1),
        "strata that are not theirs",
    ),
    "to cut in strata": (
        "strata",
        lambda e, table, bounds: [replace(s, high=9, l_max=9) if s.high == 3 else s for s in _strata(e, table, bounds)],
        lambda: wall_of().strata([1, 3], 1),
        "strata that are not theirs",
    ),
    "that strata go by the cut length": (
        "strata",
        lambda e, table, bounds: [replace(s, l_max=9) for s in _strata(e, table, bounds)],
        lambda: wall_of().strata([1, 3], 1),
        "strata that are not theirs",
    ),
    "how many a stratum holds": (
        "strata",
        lambda e, table, bounds: [replace(s, size=s.size + 1) for s in _strata(e, table, bounds)],
        lambda: wall_of().strata([1, 3], 1),
        "miscounted the records",
    ),
    "where a record ends": (
        "windows",
        crossing,
        lambda: wall_of(records=[[0, 1]] * 5).ask(Windows(2, np.array([[0], [1]], np.int32), Alphabet.identity(2)), 1),
        "one record add more|more than its records",
    ),
}


@pytest.mark.parametrize("forgets", FORGETFUL)
def test_an_engine_that_forgets_is_stopped(forgets):
    """The run ends before anything is drawn for an answer; with the real engine the same question is answered."""
    method, instead, ask, defect = FORGETFUL[forgets]
    ask()
    with (
        patch.object(LocalEngine, method, instead),
        pytest.raises(ClipFailed, match=f"^internal error: the engine .*(?:{defect})"),
    ):
        ask()


@pytest.mark.parametrize("forgets", FORGETFUL)
def test_without_the_check_it_would_not_be_stopped(forgets):
    """It is the check that notices, nothing else on the way."""
    method, instead, ask, _ = FORGETFUL[forgets]
    with patch.object(LocalEngine, method, instead), patch.object(clip, "require", lambda passed, defect: None):
        ask()


def test_a_wall_is_not_opened_before_unbounded_users():
    """Whoever opens it: the wall looks itself."""
    table = table_of_codes(RECORDS, 2, [1, 1, 2])

    with pytest.raises(ClipFailed, match="more records of a user"):
        Wall(table, User(max_sequences=1), GRAINS, NoNoise())
    Wall(table, User(max_sequences=2), GRAINS, NoNoise())
    Wall(table, Record(), GRAINS, NoNoise())


@pytest.mark.parametrize("order", [[1, 0, 2], [0, 0, 2], [2, 1, 0]])
def test_children_out_of_order_are_stopped(order):
    """Empty slots are numbered between the others: if those stood out of order, what noise lets pass would be misnumbered."""
    sorted_by_node = Counts(np.array([0, 0, 1]), np.array([1, 4, 0]), np.array([1, 1, 1]))
    wrong = Counts(*(column[order] for column in (sorted_by_node.parent, sorted_by_node.rank, sorted_by_node.count)))

    assert clip.within(sorted_by_node, np.array([9, 9])) is sorted_by_node
    with pytest.raises(ClipFailed, match="out of order"):
        clip.within(wrong, np.array([9, 9]))


def test_children_that_outgrow_their_node_are_stopped():
    """A counter whose second level counts a record on two branches: the tree notices when it is asked."""

    def branching(counter, nodes, split=None):
        counts = children(counter, nodes, split)
        return Counts(counts.parent, counts.rank, counts.count + (counter._depth == 1))

    tree = wall_of().tree(Grams(3), GRAINS)
    children = type(engine_of(table_of_codes([], 2)).grams(table_of_codes([], 2), 2)).children
    first = tree.expand([0], GRAINS // 4, 0.0)
    with (
        patch("seqveil.engines.local.grams.GramCounter.children", branching),
        pytest.raises(ClipFailed, match="at or below a node"),
    ):
        tree.expand(first.node, GRAINS // 4, 0.0)


def test_the_sentence_says_nothing_about_the_data():
    """Two tables that fail the same check fail with the same words."""
    texts = set()
    for records in ([[0] * 9], [[0, 1, 1], [1] * 30]):
        with patch.object(LocalEngine, "cut", lambda e, table, l_max: table), pytest.raises(ClipFailed) as failed:
            wall_of(records=records).tree(Grams(2), 1)
        texts.add(str(failed.value))

    assert 1 == len(texts)


@given(records=databases(2, 6, 8), m=st.integers(1, 3), l_max=st.integers(1, 5), data=st.data())
def test_the_real_engine_is_never_stopped(records, m, l_max, data):
    """Whatever the records: a failed check would be a way to tell data apart."""
    owners = data.draw(st.lists(st.integers(0, 3), min_size=len(records), max_size=len(records)))
    patterns = ((0,), (0, 0), (1, 0, 0))
    for unit, users in ((Record(), None), (User(max_sequences=m), owners)):
        wall = wall_of(unit, records, users)
        labels = Labels(l_max, Alphabet.identity(2), cap=m)
        for question in (Size(), Lengths(l_max), ShrunkSupports(PAIRS, l_max), Fingerprints(patterns, l_max), labels):
            wall.ask(question, 1)
        for kind in (Grams(l_max), Grams(l_max, most=m), Prefixes()):
            tree = wall.tree(kind, GRAINS // 5)
            below = tree.expand([0], GRAINS // 10, 0.0)
            tree.expand(below.node[below.rank < 2], GRAINS // 20, 0.0)
            tree.refine(below.node, GRAINS // 20)
        wall.parts(2, 1)


def test_edges_own_themselves():
    """A unit of k edges needs no bound: every edge walks one path."""
    import seqveil as sv

    graph = sv.graph_of([("a", "b"), ("b", "c")], sv.Domain.of(["a", "b", "c"]), order_is_public=True)
    tree = open_wall(graph, Edge(k=2), GRAINS, NoNoise()).tree(Regions((1,)), GRAINS)

    assert [2] == tree.refine([0], 1)[0].tolist()


OPENED = {"flat", "users", "owners", "take", "low", "high", "degrees", "bounded", "offsets", "items"}
"""Attributes by which a table is opened."""


def opened(code: str) -> list[str]:
    """Where a piece of code opens a table instead of asking its engine."""
    tables = {"table", "self.__table", "raw"}
    nodes = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Attribute) and node.attr in OPENED]
    return [ast.unparse(node) for node in nodes if ast.unparse(node.value) in tables]


def test_the_wall_opens_no_table():
    """Questions, trees and the wall itself pass a table on; only engines look inside."""
    folder = Path(seqveil.wall.__file__).parent
    files = [folder / name for name in ("wall.py", "tree.py", "sparse.py", "clip.py", "run.py")]
    files += sorted((folder / "questions").glob("*.py"))

    assert {} == {path.name: names for path in files if (names := opened(path.read_text()))}
    assert len(files) > 18


def test_an_opened_table_is_found():
    """The check above can fail."""
    assert ["table.flat"] == opened("def tally(self, table, unit):\n    return table.flat.lengths")
