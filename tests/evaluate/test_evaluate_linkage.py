"""The truth that a linkage is compared with, and made-up names to try it on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqveil.errors import CallError
from seqveil.evaluate import linkage
from seqveil.evaluate.linkage import plain, scores, true_pairs
from seqveil.simulate.names import names, with_typing_errors
from seqveil.tables.names import Alphabet

TEXTS = st.lists(st.text("abж", max_size=5), max_size=8)


def distance(a, b):
    """Levenshtein's distance, as it is defined."""
    if not a or not b:
        return len(a) + len(b)
    same = distance(a[1:], b[1:]) + (a[0] != b[0])
    return min(same, distance(a[1:], b) + 1, distance(a, b[1:]) + 1)


@given(TEXTS, TEXTS, st.integers(0, 3), st.sampled_from([1, 9, 1 << 26]))
def test_true_pairs_are_all_pairs_within_reach(a, b, edits, block):
    """Duplicates, empty texts and small blocks included."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linkage, "_BLOCK", block)
        pairs = true_pairs(a, b, edits, workers=1)

    assert [[i, j] for i in range(len(a)) for j in range(len(b)) if distance(a[i], b[j]) <= edits] == pairs.tolist()


def test_edits_that_no_byte_holds_are_refused():
    """Distances are held as bytes."""
    for edits in (-1, 255):
        with pytest.raises(CallError, match="from 0 to 254"):
            true_pairs(["a"], ["b"], edits)


def test_plain_matching_normalises_and_leaves_empty_names_alone():
    """Two names of which nothing is left are not the same person."""
    pairs = plain(Alphabet.parse("а..я"), ["Ёлкин", "", "Anna", "Иванов"], ["ЕЛКИН", "Bob", "Иваноф"], 1)

    assert [[0, 0], [3, 2]] == pairs.tolist()


@pytest.mark.parametrize(
    ("pairs", "true", "expected"),
    [
        ([], [], (1.0, 1.0, 1.0)),
        ([], [[0, 0]], (1.0, 0.0, 0.0)),
        ([[0, 0]], [], (0.0, 1.0, 0.0)),
        ([[0, 1], [0, 1]], [[0, 1]], (1.0, 1.0, 1.0)),
        ([[0, 1], [1, 0]], [[0, 1]], (0.5, 1.0, 2 / 3)),
    ],
)
def test_scores(pairs, true, expected):
    """Repeats count once; a pair has an order."""
    assert pytest.approx(expected) == scores(np.array(pairs, np.int64), np.array(true, np.int64))


def test_made_up_names_are_plausible_skewed_and_repeatable():
    """Letters only, a few frequent names, many rare ones, the same country whatever the seed."""
    people = names(5_000, seed=3)
    different, counts = np.unique(people, return_counts=True)

    assert people == names(5_000, seed=3) != names(5_000, seed=4)
    assert all(name.isalpha() and name.isascii() and name.istitle() and 2 <= len(name) <= 18 for name in people)
    assert counts.max() > 50
    assert (counts == 1).sum() > 500
    assert len(set(different) & set(names(5_000, seed=4))) > 500
    assert [] == names(0)


@given(st.lists(st.text("abcXYZ", max_size=5), max_size=5), st.integers(0, 3), st.integers(0, 9))
def test_typing_errors_stay_within_their_number(people, edits, seed):
    """A single edit always changes a name."""
    typed = with_typing_errors(people, edits, seed)
    far = [distance(a.lower(), b.lower()) for a, b in zip(people, typed, strict=True)]

    assert typed == with_typing_errors(people, edits, seed)
    assert all(d <= edits for d in far)
    assert edits != 1 or all(d == 1 for d in far)
