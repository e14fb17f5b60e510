"""Two words share an edit token if and only if at most one edit lies between them: all short words, and long ones at random."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from seqveil.link.psi.edits import OTHER, OWN, edit_tokens, most_edit_tokens
from seqveil.tables.names import Alphabet

WORDS = {letters: ["".join(word) for n in range(5) for word in product(letters, repeat=n)] for letters in ("ab", "abc")}


def texts(word, side):
    return {text for _, text in edit_tokens(word, side)}


def wrong_pairs(words):
    """Pairs of which the tokens say something else than the distance does."""
    ours = {word: texts(word, "starter") for word in words}
    theirs = {word: texts(word, "answerer") for word in words}
    return [
        (s, t) for s in words for t in words if (Levenshtein.distance(s, t, score_cutoff=1) <= 1) != bool(ours[s] & theirs[t])
    ]


@pytest.mark.parametrize("letters", WORDS)
def test_all_short_words(letters):
    """Up to four letters, the empty word among them: substitution, insertion, deletion, nothing, and all that is further away."""
    assert [] == wrong_pairs(WORDS[letters])


def test_one_tag_for_both_sides_would_be_wrong(monkeypatch):
    """The enumeration sees it: two deletions that meet in the middle."""
    monkeypatch.setitem(OWN, "answerer", OWN["starter"])
    monkeypatch.setitem(OTHER, "starter", OTHER["answerer"])

    assert ("ab", "ba") in wrong_pairs(WORDS["ab"])


def test_holes_without_their_place_would_be_wrong(monkeypatch):
    """The enumeration sees it, too: "ab" and "ba" both have an "a" left."""
    import seqveil.link.psi.edits as edits

    real = edits.edit_tokens
    monkeypatch.setitem(
        globals(), "edit_tokens", lambda word, side: ((e, t[:1] + t[2:]) if t[0] == "~" else (e, t) for e, t in real(word, side))
    )

    assert ("ab", "ba") in wrong_pairs(WORDS["ab"])


@given(st.text("abcαβж王", min_size=0, max_size=40), st.data())
def test_long_words_of_any_alphabet(word, data):
    """After one or two random edits; a word of digits and letters does not confuse a place with a character."""
    other = word
    for _ in range(data.draw(st.integers(0, 2))):
        at = data.draw(st.integers(0, len(other)))
        cut = data.draw(st.integers(0, 1))
        other = other[:at] + data.draw(st.text("abж", max_size=1)) + other[at + cut :]

    assert (Levenshtein.distance(word, other) <= 1) == bool(texts(word, "starter") & texts(other, "answerer"))
    assert (word == other) == any(equal for equal, text in edit_tokens(word, "starter") if text in texts(other, "answerer"))


@given(st.text("01a", max_size=12), st.text("01a", max_size=12))
def test_digits_are_characters_like_others(one, other):
    """A token's place is never read as part of the word."""
    assert (Levenshtein.distance(one, other) <= 1) == bool(texts(one, "starter") & texts(other, "answerer"))


@given(st.text("ab", max_size=30), st.sampled_from(["starter", "answerer"]))
def test_tokens_are_different_and_no_more_than_stated(word, side):
    """Each once, so that a name has a number of tokens that its length bounds."""
    tokens = [text for _, text in edit_tokens(word, side)]

    assert len(tokens) == len(set(tokens)) <= most_edit_tokens(len(word))


def test_names_are_compared_after_reduction_to_the_alphabet():
    """Accents, case and blanks are no edits; a letter of the alphabet is."""
    latin = Alphabet.parse("latin")
    for one, other, near in (
        ("Émile Zola", "emilezola", True),
        ("Müller", "Muller", True),
        ("Ægir", "egir", True),
        ("Øst", "Ast", True),
    ):
        ours, theirs = texts(latin.normalise(one), "starter"), texts(latin.normalise(other), "answerer")
        assert near == bool(ours & theirs), (one, other)
