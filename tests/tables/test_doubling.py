"""Strings by doubling: which ones are slots, and that slots and strings are the same thing."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqveil.errors import CallError
from seqveil.tables.doubling import Doubling
from seqveil.tables.trie import Trie


@given(st.sets(st.integers(0, 15), min_size=1), st.data())
def test_the_slots_of_the_next_length_are_the_strings_whose_halves_and_middle_are_known(first, data):
    """Two lengths deep, from pairs of four labels; every slot is another string."""
    doubling = Doubling.over(4, 2).longer(np.array(sorted(first), np.int64))
    for _ in range(2):
        wide = doubling.length // 2
        before = {tuple(s) for s in doubling.levels[-1].codes.tolist()}
        strings = [tuple(s) for s in doubling.strings(np.arange(doubling.slots)).tolist()]
        pairs = [a + b for a, b in product(before, before)]

        assert sorted(strings) == sorted(s for s in pairs if s[wide // 2 : wide // 2 + wide] in before)
        if not strings:
            break
        chosen = data.draw(st.sets(st.integers(0, len(strings) - 1), min_size=1, max_size=20))
        doubling = doubling.longer(np.array(sorted(chosen), np.int64))


def test_labels_have_no_middle_and_odd_beginnings_are_refused():
    """Any two known labels make a pair; strings begin with a power of two of labels that can be numbered."""
    pairs = Doubling.over(9, 1).longer(np.array([2, 5, 8]))

    assert [[2, 2], [5, 8], [8, 5]] == pairs.strings(np.array([0, 5, 7])).tolist()
    for labels, base in [(4, 3), (4, 0), (4, 64)]:
        with pytest.raises(CallError, match="base"):
            Doubling.over(labels, base)


@given(st.sets(st.lists(st.integers(0, 2), min_size=1, max_size=6).map(tuple), min_size=1, max_size=40).map(sorted))
def test_a_walk_down_a_trie_changes_heavy_paths_rarely(patterns):
    """At most log2(patterns) times, so that it meets at most ⌊log2⌋ + 1 of them; paths do not share patterns."""
    trie = Trie.of(patterns, 3)
    for p, pattern in enumerate(patterns):
        above = [q for q, other in enumerate(patterns) if pattern[: len(other)] == other]
        paths = sum(trie.heavy[q] not in above for q in above)

        assert paths <= len(patterns).bit_length()
        assert above == np.flatnonzero(trie.below()[:, p]).tolist()
    assert len(set(trie.heavy[trie.heavy >= 0].tolist())) == int((trie.heavy >= 0).sum())
    assert (trie.along() <= trie.below()).all()


def test_tries_of_equal_or_empty_patterns_are_refused():
    """They would share a slot."""
    for patterns in ([(0,), (0,)], [()]):
        with pytest.raises(CallError, match="distinct"):
            Trie.of(patterns, 2)
