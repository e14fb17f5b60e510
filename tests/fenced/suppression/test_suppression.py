"""(K, C)_L-privacy by suppression: the thesis' tables, its wrong validity test, and random databases without a violation."""

from __future__ import annotations

import sys
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from seqveil.errors import CallError
from seqveil.fenced.suppression import KCL, suppress
from seqveil.fenced.suppression.frequent import MaximalFrequent, find_maximal_frequent
from seqveil.fenced.suppression.holders import find_holders
from seqveil.fenced.suppression.mining import find_violations
from seqveil.fenced.suppression.state import state_of
from seqveil.fenced.suppression.suppress import without_violations
from seqveil.fenced.suppression.validity import is_valid, nodes_through, settle, weigh
from seqveil.tables.trajectories import TrajectoryTable

sys.path.insert(0, str(Path(__file__).parent))
from kcl_brute import breaks, brute_violations, matching, minimal, plain, random_table, spelled, table_of

TABLE_5_1 = [
    ("a1 d2 b3 e4 f6 e8", "HIV"),
    ("d2 c5 f6 c7 e9", "Fever"),
    ("b3 c7 e8", "Hepatitis"),
    ("b3 e4 f6 e8", "Flu"),
    ("a1 d2 c5 f6 c7", "HIV"),
    ("c5 f6 e9", "Hepatitis"),
    ("f6 c7 e8", "Fever"),
    ("a1 d2 f6 c7 e9", "Flu"),
]
TABLE_5_2 = [
    "b3 e4 f6 e8",
    "d2 c5 f6 c7 e9",
    "c7 e8",
    "b3 e4 f6 e8",
    "d2 c5 f6 c7",
    "c5 f6 e9",
    "f6 c7 e8",
    "d2 f6 c7 e9",
]
COUNTEREXAMPLE = [  # K = 2, C = 1/2, L = 3: the printed Algorithm 5.2 lets d4 go in b2 d4 e5
    ("a1 b2 c3 e5", "y"),
    ("b2 c3 d4 e5", "y"),
    ("a1 d4 e5", "x"),
    ("a1 b2 d4", "y"),
    ("d4 e5", "y"),
    ("d4 e5", "x"),
    ("a1 d4 e5", "y"),
]
HALF = KCL.of(2, "0.5", 2)


def code(table: TrajectoryTable, word: str) -> int:
    return list(table.pairs).index((word[0], word[1:]))


def printed_verdict(database, m, p, V, k, c, l, values):  # noqa: E741
    """Algorithm 5.2 as the thesis prints it."""
    inside = matching(database, m)
    outside = [i for i in matching(database, frozenset([p])) if i not in inside]
    pairs = {x for i in inside for x in database[i][0]} & {x for i in outside for x in database[i][0]}
    through = {v for v in V if p in v}
    pairs -= {x for v in V if len(v) == 1 or p in v for x in v} - {p}
    for n in range(1, l + 1):
        for q in map(frozenset, combinations(sorted(pairs), n)):
            rows = [i for i in outside if q <= database[i][0]]
            if rows and not any(v <= q for v in V - through) and breaks(database, rows, k, c, values):
                return False
    return True


def printed_anonymizer(database, k, c, l, values):  # noqa: E741
    """Algorithm 5.3 with the printed test: local suppressions in any order as long as it calls them valid, then global ones."""
    V = minimal(brute_violations(database, k, c, l, values))
    while V:
        V = {m for m in V if matching(database, m)}
        moves = [(m, p) for m in sorted(V, key=sorted) for p in sorted(m) if len(m) > 1]
        move = next((x for x in moves if printed_verdict(database, *x, V, k, c, l, values)), None)
        if move:
            inside = matching(database, move[0])
            database = [(path - {move[1]} if i in inside else path, v) for i, (path, v) in enumerate(database)]
        elif V:
            p = min(min(V, key=sorted))
            database = [(path - {p}, v) for path, v in database]
    return database


def verdict(table: TrajectoryTable, model: KCL, m: str, p: str) -> bool:
    """Our test, asked directly."""
    violations, tree = find_violations(table, model)
    state = state_of(table, model, violations, tree, MaximalFrequent.none(len(table.pairs)))
    which = [spelled(table, sequence) for sequence in violations.sequences].index(m)
    touched = weigh(state, which, code(table, p))
    valid = bool(is_valid(state, touched))
    settle(state, touched, False)

    assert not state.drop.any()
    return valid


def test_example_5_3_1_violating_sequences():
    """a1 b3 is too rare, a1 d2 tells HIV too surely, and b3 c7 e8 is longer than L."""
    table = table_of(TABLE_5_1, ["HIV", "Hepatitis"])
    violations = {spelled(table, sorted(q)) for q in brute_violations(plain(table), 2, (Fraction(1, 2),), 2, table.values)}

    assert {"a1 b3", "a1 d2"} <= violations
    assert "b3 c7 e8" not in violations


def test_examples_5_3_2_and_5_3_3_minimal_violating_sequences():
    """V(T) of Table 5.1, with the records of each."""
    table = table_of(TABLE_5_1, ["HIV", "Hepatitis"])
    violations, tree = find_violations(table, HALF)
    holders = find_holders(table, violations, tree)
    listed = {spelled(table, q): rows.tolist() for q, rows in zip(violations.sequences, holders, strict=True)}

    assert {"a1": [0, 4, 7], "d2 b3": [0], "d2 e4": [0], "d2 e8": [0], "b3 c7": [2]} == listed


def test_example_5_3_4_a_valid_local_suppression():
    """d2 may go in d2 e4: only d2 and d2 f6 are affected and remain. c7 may not go in b3 c7: c7 e8 would be left once."""
    table = table_of(TABLE_5_1, ["HIV", "Hepatitis"])
    violations, tree = find_violations(table, HALF)
    state = state_of(table, HALF, violations, tree, MaximalFrequent.none(len(table.pairs)))
    points, alive = (column[: state.offsets[1]] for column in (state.items, state.alive))
    through = nodes_through(points, alive, code(table, "d2"), state.deepest, state.pairs, state.keys, state.numbers)
    nodes = [spelled(table, tree.sequence(int(node))) for node in through]

    assert ["d2", "d2 f6"] == nodes
    assert verdict(table, HALF, "d2 e4", "d2")
    assert not verdict(table, HALF, "b3 c7", "c7")


def test_example_5_3_5_maximal_frequent_sequences():
    """U(T) of Table 5.1 for K' = 2, and the links of f6."""
    table = table_of(TABLE_5_1, ["HIV", "Hepatitis"])
    frequent = find_maximal_frequent(table, 2)
    names = [spelled(table, q) for q in frequent.sequences]
    links = {names[f] for f in list(frequent.links)[code(table, "f6")]}

    assert {"a1 d2 f6 c7", "b3 e4 f6 e8", "c5 f6 e9", "c7 e8", "d2 c5 f6 c7", "d2 f6 c7 e9"} == set(names)
    assert set(names) - {"c7 e8"} == links
    assert [2] * 5 == sorted(frequent.support.tolist())[:5]


def test_table_5_1_becomes_table_5_2():
    """By instances, two local suppressions and a global one."""
    table = table_of(TABLE_5_1, ["HIV", "Hepatitis"])
    done = suppress(table, HALF, strategy="thesis")

    assert TABLE_5_2 == [spelled(table, path) for path in done.table.flat]
    assert (5, 2, 1, 0) == (done.violations, done.local_suppressions, done.global_suppressions, done.repairs)
    assert (34, 5) == (done.instances, done.removed)
    assert set() == brute_violations(plain(done.table), 2, (Fraction(1, 2),), 2, table.values)


def test_the_printed_counterexample():
    """The printed test calls d4 in b2 d4 e5 valid, although b2 d4 is then in one record only; ours refuses."""
    table = table_of(COUNTEREXAMPLE, ["x"])
    database, half = plain(table), (Fraction(1, 2),)
    V = minimal(brute_violations(database, 2, half, 3, table.values))
    m, p = frozenset(code(table, w) for w in ("b2", "d4", "e5")), code(table, "d4")
    after = [(path - {p} if m <= path else path, v) for path, v in database]
    new = minimal(brute_violations(after, 2, half, 3, table.values)) - V

    assert m in V
    assert printed_verdict(database, m, p, V, 2, half, 3, table.values)
    assert frozenset([code(table, "b2"), p]) in new
    assert not verdict(table, KCL.of(2, "0.5", 3), "b2 d4 e5", "d4")


@pytest.mark.parametrize("l", [1, 2, 3, 4, None])
@pytest.mark.parametrize("how", ["instances", "mfs", "thesis", "global"])
def test_random_databases_have_no_violation_left(l, how):  # noqa: E741
    """The mined V(T) is the brute-force one; the output has none, adds nothing, and left the final check nothing to repair."""
    for seed in range(60):
        table, k, c = random_table(seed), 2 + seed % 2, ["0.5", "0.34", "1", "0.75"][seed % 4]
        model, longest = KCL.of(k, c, l), l or int(table.flat.lengths.max())
        violations, _ = find_violations(table, model)
        done = suppress(
            table,
            model,
            "mfs" if how == "mfs" else "instances",
            3 if how == "mfs" else None,
            strategy=how if how in ("thesis", "global") else "local",
        )
        asked = (k, (Fraction(c),), longest, table.values)

        assert minimal(brute_violations(plain(table), *asked)) == {frozenset(q.tolist()) for q in violations.sequences}
        assert set() == brute_violations(plain(done.table), *asked)
        assert all(after <= before for (after, _), (before, _) in zip(plain(done.table), plain(table), strict=True))
        assert 0 == done.repairs
        assert how != "global" or 0 == done.local_suppressions


@pytest.mark.parametrize(("l", "some"), [(2, False), (3, True)])
def test_the_printed_validity_test_leaves_violations_for_longer_knowledge(l, some):  # noqa: E741
    """With Algorithm 5.2 as printed, outputs are fine for L = 2 and violate for L = 3; on the same data ours never do."""
    broken = 0
    for seed in range(150):
        table = random_table(seed)
        asked = (2, (Fraction(1, 2),), l, table.values)
        broken += bool(brute_violations(printed_anonymizer(plain(table), *asked), *asked))

    assert some == (broken > 0)


def test_the_final_check_repairs_what_a_wrong_test_would_leave():
    """The counterexample after the wrong local suppression: global suppression clears it, and says how many pairs went."""
    table, model = table_of(COUNTEREXAMPLE, ["x"]), KCL.of(2, "0.5", 3)
    alive = np.ones(len(table.flat.items), np.bool_)
    alive[table.flat.offsets[1] + 2] = False  # d4 of the second record
    repaired, pairs = without_violations(table, alive, model)

    assert pairs > 0
    assert not (repaired & ~alive).any()
    assert set() == brute_violations(plain(table.keeping(repaired)), 2, (Fraction(1, 2),), 3, table.values)


def test_k_anonymity_is_a_special_case():
    """With L unbounded and C = 1, every trajectory that is left is shared by k records."""
    for seed in range(40):
        paths = [tuple(path.tolist()) for path in suppress(random_table(seed), KCL.k_anonymity(2)).table.flat]

        assert all(sum(set(path) <= set(other) for other in paths) >= 2 for path in paths if path)


def test_confidence_bounding_is_a_special_case():
    """With K = 1 rare sequences stay as long as they tell nothing: nobody has the sensitive value, nothing is removed."""
    nobody = table_of([(path, "Flu") for path, _ in TABLE_5_1], ["HIV"])
    some = suppress(table_of(TABLE_5_1, ["HIV"]), KCL.confidence_bounding("0.5"))

    assert 0 == suppress(nobody, KCL.confidence_bounding("0.5")).removed
    assert some.removed > 0
    assert set() == brute_violations(plain(some.table), 1, (Fraction(1, 2),), 6, (("HIV",),))


def test_confidence_is_compared_exactly():
    """Three of five is 0.6, not more; in floats 0.6 * 5 < 3 would be a matter of luck."""
    table = table_of([("a1", "x")] * 3 + [("a1", "y")] * 2, ["x"])

    assert 0 == suppress(table, KCL.of(2, "0.6", 1)).removed
    assert 5 == suppress(table, KCL.of(2, "0.599999999", 1)).removed


@pytest.mark.parametrize(
    ("k", "c", "l", "says"),
    [(0, "0.5", 2, "K is 0"), (2, "1.1", 2, "C is 1.1"), (2, "-0.1", 2, "C is -0.1"), (2, "x", 2, "C is 'x'"),
     (2, "nan", 2, "C is 'nan'"), (2, "0.12345678901", 2, "nine decimals"), (2, "0.5", 0, "L is 0")],
)  # fmt: skip
def test_wrong_thresholds_are_refused(k, c, l, says):  # noqa: E741
    """Each with what is allowed and what to type."""
    with pytest.raises(CallError, match=says):
        KCL.of(k, c, l)


def test_wrong_calls_are_refused():
    """K above |T|, a score that is not there, K' without its score and the other way round, times that stand still."""
    table = table_of(TABLE_5_1, ["HIV"])

    with pytest.raises(CallError, match="fewer records"):
        suppress(table, KCL.of(9, "0.5", 2))
    with pytest.raises(CallError, match="instances or mfs"):
        suppress(table, HALF, "beauty")
    with pytest.raises(CallError, match="score=mfs and mfs_support=800"):
        suppress(table, HALF, "mfs")
    with pytest.raises(CallError, match="score=mfs and mfs_support=800"):
        suppress(table, HALF, mfs_support=2)
    with pytest.raises(CallError, match="strictly increase"):
        table_of([("a1 b1", "x")], ["x"])
