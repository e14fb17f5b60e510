"""Shrinking keeps what Lemmas 1 and 2 say, never exceeds l_max, and always ends."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqveil.engines.local import shrinking
from seqveil.engines.local.subsequences import PatternTrie, supports
from seqveil.tables.flat import Flat

LABELS = 5
sequences = st.lists(st.integers(0, LABELS - 1), max_size=24)


@st.composite
def candidate_sets(draw):
    """Distinct candidates of one length."""
    k = draw(st.integers(1, 4))
    return np.array(draw(st.lists(st.tuples(*[st.integers(0, LABELS - 1)] * k), min_size=1, max_size=12, unique=True)))


def contained(sequence, patterns):
    """Contain_k: which candidates a sequence has."""
    return supports(Flat.of([sequence]), patterns, LABELS).dense(len(patterns)).tolist()


def without_irrelevant(sequence, patterns):
    work = np.array(sequence, np.int32)
    return work[: shrinking.delete_irrelevant(work, len(work), PatternTrie.of(patterns, LABELS).edge)].tolist()


def compressed(sequence, k):
    work = np.array(sequence, np.int32)
    return work[: shrinking.compress(work, len(work), k)].tolist()


def reconstructed(sequence, patterns, l_max):
    """What Algorithm 2 makes of a sequence."""
    patterns = np.ascontiguousarray(patterns, np.int64)
    tree = PatternTrie.of(patterns, LABELS)
    trie = (tree.symbol, tree.parent, tree.leaf, tree.pattern, tree.edge, tree.reach)
    rows = np.flatnonzero(contained(sequence, patterns))
    nodes, n = len(tree.parent), len(patterns)
    out = np.empty(l_max, np.int64)
    length = shrinking.reconstruct(
        rows, len(rows), 0, l_max, patterns, trie,
        shrinking.generators(patterns, tree.symbol, tree.first, tree.last), shrinking._variety(patterns),
        np.full(nodes, -1), np.full(n, -1), np.zeros(nodes, np.int64), np.zeros(LABELS + 1, np.int64), out,
    )  # fmt: skip
    return out[:length].tolist()


def code(text):
    return ["abcde".index(x) for x in text]


def test_example_5_1_with_its_misprint_repaired():
    """Of abcbcbe the item c is irrelevant to ab, ae, bb, be; abbbe then keeps two b for pairs."""
    pairs = np.array([code(p) for p in ("ab", "ae", "bb", "be")])

    assert code("abbbe") == without_irrelevant(code("abcbcbe"), pairs)
    assert code("abbe") == compressed(code("abbbe"), 2)
    assert [1, 1, 1, 1] == contained(code("abbe"), pairs)


@given(sequences, candidate_sets())
@settings(max_examples=200, deadline=None)
def test_lemma_1_deleting_irrelevant_items_keeps_every_candidate(sequence, patterns):
    """Items that no candidate has do not matter."""
    shorter = without_irrelevant(sequence, patterns)

    assert contained(sequence, patterns) == contained(shorter, patterns)
    assert set(shorter) <= set(patterns.ravel().tolist())


@given(sequences, sequences, st.lists(st.integers(0, 4), min_size=1, max_size=3), st.integers(0, 9), candidate_sets())
@settings(max_examples=300, deadline=None)
def test_lemma_2_compressing_repeats_keeps_every_candidate(before, after, run, repeats, patterns):
    """k repeats serve a candidate of k items as well as more of them would."""
    sequence = before + run * repeats + after
    k = patterns.shape[1]
    shorter = compressed(sequence, k)

    assert contained(sequence, patterns) == contained(shorter, patterns)
    assert len(shorter) < len(sequence) if repeats > k else len(shorter) <= len(sequence)


@pytest.mark.parametrize(
    ("text", "k", "expected"),
    [
        ("aaaaa", 2, "aa"),
        ("ababababc", 2, "ababc"),
        ("abcabcabcd", 1, "abcd"),
        ("abab", 2, "abab"),
        ("", 3, ""),
        ("aabbaabb", 1, "ab"),
    ],
)
def test_compression_by_hand(text, k, expected):
    """Runs of one item first, then of two, then of three."""
    assert code(expected) == compressed(code(text), k)


@given(sequences, candidate_sets(), st.integers(1, 10))
@settings(max_examples=300, deadline=None)
def test_a_reconstruction_is_short_enough_and_ends(sequence, patterns, l_max):
    """Never more than l_max items; with room for everything, every candidate of the record is there."""
    rebuilt = reconstructed(sequence, patterns, l_max)
    here = np.array(contained(sequence, patterns))
    kept = np.array(contained(rebuilt, patterns))

    assert len(rebuilt) <= l_max
    if patterns.shape[1] * here.sum() <= l_max:
        assert np.all(kept >= here)


def test_reconstruction_prefers_items_that_complete_several_candidates():
    """After bcd, appending a completes bda and bca at once."""
    rebuilt = reconstructed(code("bcdabecdab"), np.array([code(p) for p in ("bcd", "bda", "bca")]), 4)

    assert code("bcda") == rebuilt


@given(
    st.lists(sequences, max_size=6), candidate_sets(), st.integers(1, 8), st.sampled_from([shrinking.SHRINK, shrinking.DELETE])
)
@settings(max_examples=200, deadline=None)
def test_shrunk_supports_never_exceed_true_ones(rows, patterns, l_max, how):
    """A candidate is never counted for a record that does not contain it; short records lose nothing."""
    flat = Flat.of(rows)
    shrunk = shrinking.shrunk_supports(flat, patterns, LABELS, l_max=l_max, most=len(patterns), how=how).dense(len(patterns))
    true = supports(flat, patterns, LABELS).dense(len(patterns))

    assert np.all(shrunk <= true)
    if max(map(len, rows), default=0) <= l_max:
        assert true.tolist() == shrunk.tolist()


def test_random_deletion_keeps_exactly_l_max_items_in_order():
    """RR keeps a subsequence of the record, the same one every time."""
    work = np.arange(20, dtype=np.int32)
    kept = work[: shrinking.delete_evenly(work, 20, 7)].tolist()

    assert 7 == len(kept)
    assert sorted(set(kept)) == kept
