"""Lots: the keyed hash itself, and that a choice depends on one unit and the secret alone."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from seqveil.tables.flat import Flat
from seqveil.tables.lots import chosen, digests, draw_key, hashed, part_of_owners, part_of_records
from seqveil.tables.spans import Spans
from strategies import databases

P_THRESHOLD = 1e-6


def key(seed: int) -> np.ndarray:
    return draw_key(lambda n, size: np.random.default_rng(seed).integers(0, n, size))


@pytest.mark.parametrize(
    ("length", "expected"), [(0, 0x726FDB47DD0E0E31), (1, 0x74F839C593DC67FD), (8, 0x93F5F5799A932462), (15, 0xA129CA6149BE45E5)]
)
def test_the_hash_is_siphash(length, expected):
    """Values of its authors, for the key 00 01 … 0f and the messages 00 01 …"""
    secret = np.frombuffer(bytes(range(16)), np.uint64)

    assert expected == hashed(np.arange(16, dtype=np.uint8), 0, length, secret)


def test_a_key_has_128_bits():
    """Every bit of both words comes from the randomness that is given."""
    ones = draw_key(lambda n, size: np.full(size, n - 1))

    assert [2**64 - 1] * 2 == ones.tolist()


@given(
    records=databases(records=8, length=4), owners=st.lists(st.integers(0, 2), min_size=8, max_size=8), seed=st.integers(0, 99)
)
def test_what_is_chosen_of_a_user_depends_on_that_user_alone(records, owners, seed):
    """Whatever the order of the records and whoever else is there: bounded(D ∪ u) = bounded(D) ⊎ bounded(u)."""
    owners = np.array(owners[: len(records)], np.int64)
    order = np.random.default_rng(seed).permutation(len(records))
    shuffled = [records[i] for i in order]
    kept = chosen(Flat.of(shuffled), owners[order], None, 2, key(seed))
    together = Counter((int(u), tuple(r)) for u, r, k in zip(owners[order], shuffled, kept, strict=True) if k)
    alone: Counter[tuple[int, tuple[int, ...]]] = Counter()
    for user in set(owners.tolist()):
        mine = [r for u, r in zip(owners, records, strict=True) if u == user]
        kept = chosen(Flat.of(mine), np.full(len(mine), user), None, 2, key(seed))
        alone.update((user, tuple(r)) for r, k in zip(mine, kept, strict=True) if k)

    assert alone == together


def test_another_secret_makes_another_choice():
    """And the choice among a user's records is fair: each of five is kept equally often."""
    flat, users = Flat.of([[i] for i in range(5)]), np.zeros(5, np.int64)
    seen = np.sum([chosen(flat, users, None, 2, key(seed)) for seed in range(2_000)], axis=0)

    assert 4_000 == seen.sum()
    assert stats.chisquare(seen).pvalue > P_THRESHOLD


def test_users_with_equal_records_choose_independently():
    """The name is in the hash: whether two users keep the same one of two records is a fair coin."""
    flat, users = Flat.of([[0], [1]] * 2), np.repeat([0, 1], 2)
    same = sum(chosen(flat, users, None, 1, key(s))[[0, 2]].tolist() in ([True, True], [False, False]) for s in range(2_000))

    assert stats.binomtest(same, 2_000).pvalue > P_THRESHOLD


@given(records=databases(records=8, length=2), seed=st.integers(0, 99), n=st.integers(1, 4))
def test_one_more_record_leaves_the_parts_of_all_others(records, seed, n):
    """Also where it equals one of them: parts(D ∪ r) = parts(D) with r in one of them."""
    flat = Flat.of(records)
    before = Counter(zip(part_of_records(flat, n, key(seed)).tolist(), map(tuple, records), strict=True))
    more = [[1], *records]
    after = Counter(zip(part_of_records(Flat.of(more), n, key(seed)).tolist(), map(tuple, more), strict=True))

    assert not before - after
    assert 1 == sum((after - before).values())


def test_the_parts_of_owners_are_uniform():
    """Every owner has one part, by name, whatever their number."""
    names = digests(Spans.of([f"user {i}" for i in range(3_000)]))
    parts = part_of_owners(np.arange(3_000), names, 3, key(1))

    assert parts.tolist() == part_of_owners(np.arange(3_000)[::-1], names, 3, key(1)).tolist()
    assert stats.chisquare(np.bincount(parts)).pvalue > P_THRESHOLD
