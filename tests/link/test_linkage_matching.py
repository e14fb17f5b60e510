"""Matching is exactly what comparing every pair in Python's integers gives, on every route and in both directions."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from linkage_brute import matches, vectors_of

from seqveil.errors import InputProblems, RunFailed
from seqveil.link import Vectors, match
from seqveil.link.distinct import Distinct
from seqveil.link.matching import _exact_float
from seqveil.link.sketch import GROUPS, groups_of, sketches

A, B = "a" * 64, "b" * 64


def pairs_of(a: Vectors, b: Vectors, **options) -> dict[tuple[int, int], int]:
    matched = match(a, b, **options)
    return dict(zip(zip(matched.a.tolist(), matched.b.tolist(), strict=True), matched.squared.tolist(), strict=True))


@st.composite
def two_sides(draw, most: int = 3):
    """Few values, so that rows repeat and lie near each other; grams of several lengths; all kinds of reach."""
    lengths = draw(st.lists(st.integers(1, 4), min_size=1, max_size=20))
    bits = draw(st.sampled_from([8, 16]))
    row = st.lists(st.integers(0, most), min_size=len(lengths), max_size=len(lengths))
    sides = [draw(st.lists(row, min_size=1, max_size=40)) for _ in range(2)]
    values = st.integers(0, 2_000)
    own = draw(st.one_of(st.just(0), values, st.lists(values, min_size=len(sides[0]), max_size=len(sides[0]))))
    turned = draw(st.booleans())
    seeking, sought = vectors_of(sides[0], lengths, own, A), vectors_of(sides[1], lengths, None, B, bits)
    return (sought, seeking) if turned else (seeking, sought)


@given(two_sides())
def test_equals_comparing_all_pairs(sides):
    """Reach 0, one for all, one for each; repeated rows; 8 and 16 bits; thresholds on either side."""
    a, b = sides
    matched = pairs_of(a, b)

    assert matches(a, b) == matched
    assert sorted(matched) == list(matched)


@given(two_sides(most=200))
def test_equals_comparing_all_pairs_far_apart(sides):
    """Counts whose sums exceed what a sketch holds, and squares beyond float32."""
    assert matches(*sides) == pairs_of(*sides)


@pytest.mark.parametrize(("times", "exact"), [(1, np.float32), (60, np.float64), (1_000, np.float64)])
@pytest.mark.parametrize("turned", [False, True])
def test_both_float_types_are_exact_at_the_edge(times, exact, turned):
    """The reach of every vector is the exact distance to a random other one, or 1 less: the last unit decides."""
    draw = random.Random(times)
    lengths = [draw.randint(1, 4) for _ in range(30)]
    rows = [[draw.choice([0, 0, 0, 1, 2]) * times for _ in lengths] for _ in range(300)]
    scaled = np.array(rows, np.int64) * (np.lcm.reduce(lengths) // np.array(lengths))
    other = [draw.randrange(300) for _ in rows]
    reach = [int(((scaled[i] - scaled[j]) ** 2).sum()) - draw.choice([0, 1]) for i, j in enumerate(other)]
    seeking, sought = vectors_of(rows, lengths, [max(r, 0) for r in reach], A, 16), vectors_of(rows, lengths, None, B, 16)
    a, b = (sought, seeking) if turned else (seeking, sought)

    assert exact is _exact_float(a, b)
    assert matches(a, b) == pairs_of(a, b)


def test_many_names_with_repeats_and_a_deep_tree():
    """3,000 × 3,000 rows against a whole matrix of distances."""
    draw = random.Random(10)
    lengths = [1] * 20 + [2] * 30 + [3] * 5
    stems = [[int(draw.random() < 0.2) + int(draw.random() < 0.02) for _ in lengths] for _ in range(1_500)]

    def side() -> list[list[int]]:
        rows = [list(draw.choice(stems)) for _ in range(3_000)]
        for row in rows[::3]:
            row[draw.randrange(len(row))] += 1
        return rows

    one, other = side(), side()
    reach = [draw.choice([0, 36, 72, 300]) for _ in one]
    a, b = vectors_of(one, lengths, reach, A), vectors_of(other, lengths, None, B)
    x, y = (np.array(rows, np.int64) * a.weights for rows in (one, other))
    away = (x**2).sum(1)[:, None] + (y**2).sum(1) - 2 * x @ y.T
    in_a, in_b = np.nonzero(away <= np.array(reach)[:, None])
    matched = match(a, b)

    assert len(in_a) > 10_000
    assert (in_a + 1).tolist() == matched.a.tolist()
    assert (in_b + 1).tolist() == matched.b.tolist()
    assert away[in_a, in_b].tolist() == matched.squared.tolist()


@given(two_sides())
def test_one_to_one_is_the_greedy_choice(sides):
    """Nearest first, ties by a, then b; no position twice."""
    a, b = sides
    left: dict[tuple[int, int], int] = {}
    for pair, away in sorted(matches(a, b).items(), key=lambda item: (item[1], item[0])):
        if all(pair[0] != i and pair[1] != j for i, j in left):
            left[pair] = away
    matched = pairs_of(a, b, one_to_one=True)

    assert left == matched
    assert sorted(matched) == list(matched)


@given(st.lists(st.lists(st.integers(0, 300), min_size=6, max_size=6), min_size=2, max_size=9), st.integers(0, 2))
def test_sketches_bound_distances_from_below(rows, kind):
    """Σ w² |difference of sums| ≤ d², sums cut at 255 included."""
    weights = np.array([[6, 6, 6, 3, 3, 2], [1] * 6, [12, 6, 4, 3, 2, 1]][kind], np.int64)
    counts = np.array(rows, np.uint16)
    groups = groups_of(counts, weights)
    sums = sketches(counts, groups).astype(np.int64)
    steps = np.array([weights[group[0]] ** 2 for group in groups])
    bound = (np.abs(sums[:, None] - sums[None]) * steps).sum(2)
    scaled = counts.astype(np.int64) * weights

    assert sorted(np.concatenate(groups).tolist()) == list(range(6))
    assert all(len(set(weights[group].tolist())) == 1 for group in groups)
    assert (bound <= ((scaled[:, None] - scaled[None]) ** 2).sum(2)).all()


def test_no_more_groups_than_asked():
    """75 coordinates of one length share `GROUPS` groups."""
    assert GROUPS == len(groups_of(np.ones((3, 75), np.uint8), np.ones(75, np.int64)))


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 1)), max_size=30))
def test_distinct_rows(rows):
    """Equal counts and equal reach make one kind; its rows ascend."""
    counts = np.array([row[:2] for row in rows], np.uint8).reshape(-1, 2)
    matched = Distinct.of(counts, np.array([row[2] for row in rows], np.int64))
    kinds = [matched.rows[matched.offsets[d] : matched.offsets[d + 1]].tolist() for d in range(len(matched.first))]

    assert [[i for i, row in enumerate(rows) if row == kind] for kind in dict.fromkeys(rows)] == kinds
    assert [kind[0] for kind in kinds] == matched.first.tolist()


def test_too_many_pairs_are_refused():
    """Repeats count, whichever side they stand on; exactly as many as allowed is fine."""
    few, many = [[1, 0], [0, 9]], [[1, 0]] * 50
    a, b = vectors_of(few * 2, [1, 1], 0, A), vectors_of(many, [1, 1], None, B)

    assert 100 == len(match(a, b, most_pairs=100))
    for sides in ((a, b), (vectors_of(many, [1, 1], 0, A), vectors_of(few * 2, [1, 1], None, B))):
        with pytest.raises(RunFailed, match=r"more than 99 pairs .* too wide"):
            match(*sides, most_pairs=99)


def test_progress_ends_with_all():
    """It counts distinct vectors that are done."""
    steps: list[tuple[int, int]] = []
    rows = [[i % 250, i // 250] for i in range(5_000)]
    match(
        vectors_of(rows, [1, 1], 0, A),
        vectors_of(rows[:1], [1, 1], None, B),
        progress=lambda done, of: steps.append((done, of)),
    )

    assert (5_000, 5_000) == steps[-1]
    assert sorted(steps) == steps
    assert len(steps) > 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"base_id": "1" * 64}, "different bases"),
        ({"lengths": np.array([1, 2])}, "grams of other lengths"),
        ({"digest": A}, "the same folder"),
        ({}, None),
    ],
)
def test_vectors_that_do_not_belong_together(change, message):
    """Another base, other lengths under the same id, one folder twice."""
    a = vectors_of([[1, 0]], [1, 1], 0, A)
    fields = {"counts": a.counts, "reach": None, "base_id": a.base_id, "lengths": a.lengths, "digest": B}
    if message is None:
        assert 1 == len(match(a, Vectors(**{**fields, **change})))
    else:
        with pytest.raises(InputProblems, match=message):
            match(a, Vectors(**{**fields, **change}))


def test_without_thresholds_nothing_matches():
    """The error says who must do what; everything else that is wrong is told with it."""
    a, b = vectors_of([[1]], [1], None, A), vectors_of([[1]], [2], None, A)
    with pytest.raises(InputProblems) as caught:
        match(a, b)

    assert "one data holder must embed with edits=N" in str(caught.value)
    assert 3 == len(caught.value.problems)


def test_squares_beyond_53_bits_are_refused():
    """A name of 65,535 characters with grams of 12 lengths: told, not rounded."""
    lengths = list(range(1, 13))
    a, b = vectors_of([[65_535] * 12], lengths, 0, A, 16), vectors_of([[65_535] * 12], lengths, None, B, 16)
    with pytest.raises(RunFailed, match="53 bits"):
        match(a, b)
