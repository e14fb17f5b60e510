"""Local suppression in rounds: no violation left, exact counts all the way, an end that is certain, and several attributes."""

from __future__ import annotations

import sys
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seqveil.fenced.suppression.rounds as rounds_module
from seqveil.errors import CallError
from seqveil.fenced.suppression import KCL, suppress
from seqveil.fenced.suppression.breaking import Board, _mfs_of, _weigh, _weigh_mfs
from seqveil.fenced.suppression.frequent import MaximalFrequent, find_maximal_frequent
from seqveil.fenced.suppression.mining import find_violations
from seqveil.fenced.suppression.rounds import board_of, suppress_in_rounds
from seqveil.tables.trajectories import TrajectoryTable

sys.path.insert(0, str(Path(__file__).parent))
from kcl_brute import brute_violations, matching, minimal, plain, random_table, table_of

COUNTEREXAMPLE = [  # K = 2, C = 1/2, L = 3: where the printed validity test goes wrong
    ("a1 b2 c3 e5", "y"),
    ("b2 c3 d4 e5", "y"),
    ("a1 d4 e5", "x"),
    ("a1 b2 d4", "y"),
    ("d4 e5", "y"),
    ("d4 e5", "x"),
    ("a1 d4 e5", "y"),
]
PATHS = [" ".join(path) for n in (1, 2, 3) for path in combinations(("a1", "b2", "c3"), n)]


def rounds_of(table: TrajectoryTable, model: KCL, mfs_support: int | None = None, most: int = 100) -> tuple[Board, int]:
    frequent = MaximalFrequent.none(len(table.pairs)) if mfs_support is None else find_maximal_frequent(table, mfs_support)
    return suppress_in_rounds(table, model, *find_violations(table, model), frequent, most)


def assert_private(table: TrajectoryTable, model: KCL, **options) -> None:
    """The output has no violation, adds nothing, and needed no repair."""
    done = suppress(table, model, **options)
    longest = model.l or int(table.flat.lengths.max())

    assert set() == brute_violations(plain(done.table), model.k, model.confidences(len(table.values)), longest, table.values)
    assert all(after <= before for (after, _), (before, _) in zip(plain(done.table), plain(table), strict=True))
    assert 0 == done.repairs


@pytest.mark.parametrize("l", [2, 3])
def test_every_database_of_four_records_without_sensitive_values(l):  # noqa: E741
    """All multisets over three pairs, and every K that can be asked."""
    for rows in combinations_with_replacement(PATHS, 4):
        table = table_of([(path, "y") for path in rows], ["x"])
        for k in (2, 3, 4):
            assert_private(table, KCL.of(k, 1, l))


@pytest.mark.parametrize("l", [2, 3])
@pytest.mark.parametrize("c", ["1/3", "1/2"])
def test_every_database_of_three_records_with_a_sensitive_value(l, c):  # noqa: E741
    """All multisets over three pairs and two values. Of three records a share is 0, 1/3, 1/2, 2/3 or 1."""
    for rows in combinations_with_replacement([(path, value) for path in PATHS for value in "xy"], 3):
        assert_private(table_of(list(rows), ["x"]), KCL.of(1 + (c == "1/2"), c, l))


@pytest.mark.parametrize("score", [{}, {"score": "mfs", "mfs_support": 2}])
def test_the_printed_counterexample_has_no_violation_left(score):
    """Where Algorithm 5.2 answers "valid" and leaves b2 d4 in one record."""
    assert_private(table_of(COUNTEREXAMPLE, ["x"]), KCL.of(2, "0.5", 3), **score)


@st.composite
def tables(draw: st.DrawFn) -> TrajectoryTable:
    """Up to nine records over six pairs, with two attributes: one has two listed values, the other has one."""
    rows = draw(st.lists(st.tuples(
        st.sets(st.sampled_from(["a1", "b2", "c3", "d4", "e5", "f6"]), min_size=1),
        st.sampled_from("xyz"), st.sampled_from("uw")), min_size=4, max_size=9))  # fmt: skip
    return table_of([(" ".join(sorted(path, key=lambda word: word[1])), values) for path, *values in rows], [["x", "y"], ["u"]])


shares = st.sampled_from(["0.2", "1/3", "0.5", "0.75", "1"])


@settings(max_examples=100, deadline=None)
@given(tables(), st.integers(1, 4), shares, shares, st.sampled_from([1, 2, 3, None]), st.booleans())
def test_two_attributes_against_brute_force(table, k, c, d, l, by_mfs):  # noqa: E741
    """V(T) is the one of the definition, each attribute with its own C; afterwards it is empty."""
    model, longest = KCL.of(k, [c, d], l), l or int(table.flat.lengths.max())
    expected = brute_violations(plain(table), k, (Fraction(c), Fraction(d)), longest, table.values)
    violations, _ = find_violations(table, model)

    assert minimal(expected) == {frozenset(m.tolist()) for m in violations.sequences}
    for strategy in ("local", "thesis", "global"):
        assert_private(table, model, strategy=strategy, **({"score": "mfs", "mfs_support": 2} if by_mfs else {}))


def test_each_attribute_has_its_own_confidence():
    """Half have x and half have u: that is too much only for the attribute whose C is below one half."""
    rows = [("a1", value) for value in (("x", "u"), ("x", "w"), ("z", "u"), ("z", "w"))]
    table = table_of(rows, [["x"], ["u"]])

    assert 0 == suppress(table, KCL.of(2, "0.5", 1)).removed
    assert 4 == suppress(table, KCL.of(2, ["0.5", "0.4"], 1)).removed
    assert 4 == suppress(table, KCL.of(2, ["0.4", "0.5"], 1)).removed
    with pytest.raises(CallError, match="C is given 3 times, but there are 2 sensitive attributes"):
        suppress(table, KCL.of(2, ["0.5", "0.5", "0.5"], 1))


@pytest.mark.parametrize("mfs_support", [None, 3])
def test_counts_are_exact_after_every_round(mfs_support):
    """Support and shares of every node, and the support of every MFS until it is lost, are those of the table that is left."""
    for seed in range(40):
        table, model = random_table(seed), KCL.of(2 + seed % 3, ["0.5", "0.34", "1"][seed % 3], 3)
        violations, tree = find_violations(table, model)
        whole = tree.with_leaves(violations, len(table.pairs))
        frequent = MaximalFrequent.none(len(table.pairs)) if mfs_support is None else find_maximal_frequent(table, mfs_support)
        for most in (1, 100):
            board, _ = suppress_in_rounds(table, model, violations, tree, frequent, most)
            left = plain(table.keeping(board.alive))
            for node in range(1, whole.size):
                rows = matching(left, frozenset(whole.sequence(node)))

                assert len(rows) == board.support[node]
                assert [sum(left[r][1][0] == v for r in rows) for v in table.values[0]] == board.sensitive[node].tolist()
            for f, sequence in enumerate(frequent.sequences):
                count = len(matching(left, frozenset(sequence.tolist())))

                assert board.mfs_support[f] == count if count >= frequent.least else board.mfs_support[f] < frequent.least


def test_scores_against_brute_force():
    """By point of each record: PrivGain counts minimal violating sequences, UtilityLoss weighs the others, and MFS, by what
    they can spare."""
    for seed in range(25):
        table, model = random_table(seed), KCL.of(3, 1, 2)
        violations, tree = find_violations(table, model)
        frequent = find_maximal_frequent(table, 3)
        board = board_of(table, model, tree.with_leaves(violations, len(table.pairs)), tree.size, frequent)
        database, pairs = plain(table), len(table.pairs)
        bad = minimal(brute_violations(database, 3, (Fraction(1),), 2, table.values))
        for path in table.flat:
            n = len(path)
            gain, loss, position, carried = (
                np.empty(n, np.int64),
                np.empty(n),
                np.full(pairs, -1),
                np.empty(len(frequent.support), int),
            )
            record, mfs_loss = path.astype(np.int64), np.zeros(n)
            _weigh(board, record, n, gain, loss, *np.zeros((3, 9), np.int64))
            _weigh_mfs(board, _mfs_of(board, record, n, position, carried), carried, position, mfs_loss)
            inside = [frozenset(q) for size in (1, 2) for q in combinations(path.tolist(), size)]
            healthy = [q for q in inside if not any(m <= q for m in bad)]
            spare = [len(matching(database, q)) - 3 for q in healthy]
            mfs = [(set(q.tolist()), s - 3) for q, s in zip(frequent.sequences, frequent.support, strict=True)]

            for at, pair in enumerate(path.tolist()):
                assert sum(pair in m for m in bad if m in inside) == gain[at]
                assert sum(0.3 / (s + 1) ** 0.25 for q, s in zip(healthy, spare, strict=True) if pair in q) == pytest.approx(
                    loss[at]
                )
                worth = sum(10 / (s + 1) ** 0.5 for q, s in mfs if pair in q and q <= set(path.tolist()))
                assert worth == pytest.approx(mfs_loss[at])


def test_every_round_removes_a_point_until_nothing_violates():
    """So there are at most as many rounds as points, and the last one leaves no violation."""
    several = 0
    for seed in range(150):
        table, model = random_table(seed), KCL.of(3, "0.5", 3)
        board, rounds = rounds_of(table, model)
        left = [int(rounds_of(table, model, most=most)[0].alive.sum()) for most in range(rounds + 1)]
        several += rounds > 1

        assert left == sorted(set(left), reverse=True)
        assert 0 == len(find_violations(table.keeping(board.alive), model)[0])
    assert several > 0


def test_global_suppression_finishes_what_rounds_leave(monkeypatch):
    """With one round only, some tables still violate; the final check clears them and says so."""
    monkeypatch.setattr(rounds_module.suppress_in_rounds, "__defaults__", (1,))
    repaired = 0
    for seed in range(150):
        table, model = random_table(seed), KCL.of(3, "0.5", 3)
        done = suppress(table, model)
        repaired += done.repairs > 0

        assert set() == brute_violations(plain(done.table), 3, (Fraction(1, 2),), 3, table.values)
    assert repaired > 0


def test_a_confident_sequence_must_vanish_entirely():
    """Planted: if an MVS were forgiven as soon as its share is low enough, what contains it and is rare would stay unseen."""
    confident = 0
    for seed in range(200):
        table, model = random_table(seed), KCL.of(2, "0.34", 3)
        violations, tree = find_violations(table, model)
        board, _ = suppress_in_rounds(table, model, violations, tree, MaximalFrequent.none(len(table.pairs)))

        assert not board.support[tree.size :].any()
        confident += bool((violations.support >= 2).any())
    assert confident > 0


def test_far_less_is_lost_than_by_the_printed_method_or_globally():
    """On 400 people who walk through three blocks, with one in ten strays."""
    draw = np.random.default_rng(0)
    rows = []
    for _ in range(400):
        hours = np.flatnonzero(draw.random(6) < 0.7) + 1
        block = draw.integers(3)
        stray = draw.random(6) < 0.1
        words = [f"{'abc'[(block + hour + stray[hour - 1]) % 3]}{hour}" for hour in hours]
        rows.append((" ".join(words) or "a1", "xyzuv"[draw.integers(5)]))
    table, model = table_of(rows, ["x"]), KCL.of(10, "0.6", 3)
    lost = {strategy: suppress(table, model, strategy=strategy).removed for strategy in ("local", "thesis", "global")}
    mfs = {s: suppress(table, model, "mfs", 30, strategy=s).frequent_lost for s in ("local", "thesis", "global")}

    assert 2 * lost["local"] < lost["thesis"] < lost["global"], lost
    assert 2 * mfs["local"] < mfs["global"], mfs
