"""Vectors and thresholds: the thesis' example, and every string within t edits of every short string."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from linkage_brute import base_of, occurrences, one_edit_away, squared, vector, within

from seqveil.errors import CallError
from seqveil.link.embedding import coordinates, embed
from seqveil.link.neighbours import farthest_neighbour
from seqveil.link.personal import impact, personal_th
from seqveil.link.thresholds import SOUND, Threshold
from seqveil.link.trie import Trie

BASES = [  # alphabet, grams: all letters in some gram, or one that is in none; grams that overlap themselves; lengths apart
    ("ab", ("a",)),
    ("ab", ("a", "ab")),
    ("ab", ("aa", "ab", "ba", "bb")),
    ("ab", ("a", "b", "aa", "aba", "bbb")),
    ("ab", ("aaa",)),
    ("abc", ("a", "b", "ab", "ba")),
    ("abc", ("a", "c", "aa", "bca")),
]
STRINGS = {alphabet: ["".join(s) for n in range(5) for s in product(alphabet, repeat=n)] for alphabet in ("ab", "abc")}


def test_example_4_7():
    """mississippi over {a, i, s, si}: the vector [0, 4, 4, 1] and D as (4.18) defines it, which the figure does not show."""
    base = base_of("aimps", "a", "i", "s", "si")
    names = base.alphabet.encode(["mississippi"])
    trie = Trie.of(base)
    d, p = impact(trie.letter[names.items], trie.child, trie.gram, base.lengths, base.weights)

    assert [0, 4, 4, 1] == vector("mississippi", base.grams)
    assert [0, 8, 8, 2] == coordinates(base, embed(base, names))[0].tolist()
    assert [0, 1, 1, 1.25, 1.25, 1, 1.25, 1.25, 0, 0, 1] == (d / base.scale**2).tolist()
    assert [-1, -1, 1, 2, 3, 4, 5, 6, 7, 7, 7] == p.tolist()


def test_figure_4_2():
    """JOHN, JON and JOY have one vector over {A, M, MA, E, O}."""
    base = base_of("abcdefghijklmnopqrstuvwxyz", "a", "m", "ma", "e", "o")

    assert [[0, 0, 0, 0, 1]] * 3 == embed(base, base.alphabet.encode(["JOHN", "JON", "JOY"])).tolist()


@pytest.mark.parametrize(
    ("alphabet", "grams", "name", "printed", "true"),
    [("a", ("a",), "aa", 2, 4), ("aimps", ("a", "i", "s", "si"), "mississippi", Fraction(5, 2), 9)],
)
def test_theorem_4_8_is_false(alphabet, grams, name, printed, true):
    """Two edits: √2 is printed where 2 is true, 1.58 where 3.0 is."""
    base = base_of(alphabet, *grams)
    threshold = personal_th(base, base.alphabet.encode([name]), 2)[0]

    assert printed == Fraction(int(threshold), base.scale**2)
    assert true == max(squared(name, z, grams) for z in within(name, 2, alphabet))


@given(st.lists(st.text("abc", max_size=9), max_size=5), st.sets(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=8))
def test_embedding_counts_every_occurrence(names, grams):
    """O_s(g), overlaps included; characters outside all grams end every one of them."""
    base = base_of("abc", *sorted(grams))

    assert [[occurrences(s, g) for g in base.grams] for s in names] == embed(base, base.alphabet.encode(names)).tolist()


@pytest.mark.parametrize(("alphabet", "grams"), BASES)
def test_sound_thresholds_are_never_exceeded_and_personal_is(alphabet, grams):
    """All strings of at most 4 characters, all strings within 1 and 2 edits of them, none farther than a sound threshold."""
    base, names = base_of(alphabet, *grams), STRINGS[alphabet]
    flat = base.alphabet.encode(names)
    for edits in (0, 1, 2):
        far = [max(squared(s, z, grams) for z in within(s, edits, alphabet)) * base.scale**2 for s in names]
        reach = {kind: Threshold.parse(kind, edits).reaches(base, flat).tolist() for kind in (*SOUND, "personal")}
        exceeded = {kind: sum(x > r for x, r in zip(far, of, strict=True)) for kind, of in reach.items()}

        assert {"neighbours": 0, "lengths": 0, "sqrt_k": 0} == {kind: exceeded[kind] for kind in SOUND}
        assert (exceeded["personal"] > 0) == (edits > 0)
        assert all(n <= q for n, q in zip(reach["neighbours"], reach["lengths"], strict=True))
        if edits == 1:
            assert far == reach["neighbours"]


@pytest.mark.parametrize("alphabet", ["ab", "abc"])
def test_lengths_is_reached(alphabet):
    """Σ_q min(k_q, 2) cannot be lowered for one edit: some base and string come as far."""
    base = base_of(alphabet, "a", "b")

    assert 2 == max(squared(s, z, base.grams) for s in STRINGS[alphabet] for z in one_edit_away(s, alphabet))
    assert 2 == Threshold.parse("lengths", 1).reach(base)


@given(
    st.text("abcd", max_size=10),
    st.sets(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=8),
    st.booleans(),
)
def test_neighbours_is_the_farthest_string_one_edit_away(name, grams, strange):
    """The exact maximum, whether or not the alphabet has a character that no gram holds."""
    alphabet = "abcd" if strange else "abc"
    name = name if strange else name.replace("d", "")
    base = base_of(alphabet, *sorted(grams))
    far = max(squared(name, z, base.grams) for z in one_edit_away(name, alphabet)) * base.scale**2

    assert [far] == farthest_neighbour(base, base.alphabet.encode([name])).tolist()


@pytest.mark.parametrize(
    ("alphabet", "name", "grams", "far"),
    [
        ("ab", "a", ("ba",), Fraction(1, 4)),  # an insertion alone comes so far
        ("ab", "b", ("a", "b"), 2),  # a substitution alone
        ("ab", "ababa", ("abba", "ba"), Fraction(5, 16)),  # a deletion alone
        ("a", "aaa", ("aa",), Fraction(1, 4)),  # every character is in a gram, and none may be made up
        ("ab", "aaa", ("aa",), 1),  # a character that is in no gram
    ],
)
def test_each_kind_of_edit_is_tried(alphabet, name, grams, far):
    """Cases in which leaving one kind of edit out, or putting one too many in, changes the result."""
    base = base_of(alphabet, *grams)

    assert far == max(squared(name, z, grams) for z in one_edit_away(name, alphabet))
    assert [far * base.scale**2] == farthest_neighbour(base, base.alphabet.encode([name])).tolist()


@given(st.text("ab", min_size=1, max_size=7), st.sets(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=6))
def test_three_edits_stay_within_neighbours(name, grams):
    """The triangle inequality beyond the first edit, rounded to the integer below: no squared distance lies in between."""
    base = base_of("ab", *sorted(grams))
    far = max(squared(name, z, base.grams) for z in within(name, 3, "ab")) * base.scale**2

    assert far <= Threshold.parse("neighbours", 3).reaches(base, base.alphabet.encode([name]))[0]


@given(st.text("abc", max_size=8), st.sets(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=6), st.integers(0, 9))
def test_personal_is_algorithm_6(name, grams, edits):
    """The matrix T as printed, filled from D of (4.18) and P with j ≤ i - |g|."""
    base = base_of("abc", *sorted(grams))
    starts = [(i, g) for g in base.grams for i in range(len(name)) if name.startswith(g, i)]
    d = [sum(Fraction(1, len(g)) ** 2 for g in {g for i, g in starts if i <= at < i + len(g)}) for at in range(len(name))]
    p = [max((i for i, g in starts if i <= at - len(g)), default=-1) for at in range(len(name))]
    t = {(i, -1): Fraction(0) for i in range(edits + 1)}
    for i in range(edits + 1):
        for j in range(len(name)):
            t[i, j] = max(t[i, j - 1], t[i - 1, p[j]] + d[j]) if i else Fraction(0)

    assert t[edits, len(name) - 1] * base.scale**2 == personal_th(base, base.alphabet.encode([name]), edits)[0]


@pytest.mark.parametrize(
    ("text", "edits", "reach"),
    [("lengths", 2, 4 * 3 * 4), ("sqrt_k", 2, 4 * 4 * 4), ("sqrt-k", 1, 16), ("neighbours", 0, 0), ("personal", 0, 0),
     ("1.5", None, 9), ("1.6", 1, 10), ("3/2", None, 9), ("0", None, 0), ("neighbours", 1, None), ("personal", 1, None)],
)  # fmt: skip
def test_one_reach_for_all(text, edits, reach):
    """Over {a, i, s, si}: scale 2, k = 4, k₁ = 3, k₂ = 1; numbers are squared exactly and rounded down."""
    assert reach == Threshold.parse(text, edits).reach(base_of("aimps", "a", "i", "s", "si"))


@pytest.mark.parametrize(
    ("text", "edits", "message"),
    [("near", 1, "choose neighbours"), ("neighbours", None, "add edits=1"), ("lengths", -1, "from 0 to 100"),
     ("lengths", 101, "from 0 to 100"), ("-1", None, "out of range"), ("1e99", 1, "out of range"), ("nan", None, "unknown"),
     ("1/0", None, "unknown"), ("number", 1, "unknown")],
)  # fmt: skip
def test_thresholds_that_are_none(text, edits, message):
    """What was given and what is allowed."""
    with pytest.raises(CallError, match=message):
        Threshold.parse(text, edits)


def test_large_scales_do_not_overflow():
    """Grams of 1 to 12 characters: scale 27,720, and 100 edits still fit into 64 bits."""
    base = base_of("ab", *("a" * n for n in range(1, 13)), *("b" * n for n in range(1, 13)))
    flat = base.alphabet.encode(["a" * 40])
    reach = {kind: int(Threshold.parse(kind, 100).reaches(base, flat)[0]) for kind in (*SOUND, "personal")}

    assert 27_720 == base.scale
    assert 24 * 100**2 * 27_720**2 == reach["lengths"] == reach["sqrt_k"]
    assert 0 < reach["neighbours"] <= reach["lengths"]
    assert (np.array(list(reach.values())) > 0).all()
