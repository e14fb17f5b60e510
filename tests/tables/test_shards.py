"""Shards: what goes through their bytes comes back, and no owner is divided between two of them."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqveil.tables.shards import batch_of, divided, shards_of
from seqveil.tables.spark import Rows, shard_of
from strategies import databases, table_of_codes


@given(records=databases(records=10, length=5), owners=st.none() | st.lists(st.integers(-3, 3), min_size=10, max_size=10))
def test_a_shard_comes_back_from_its_bytes(records, owners):
    """Records, owners and names; empty records and shards too."""
    shard = shard_of(table_of_codes(records, 3, None if owners is None else owners[: len(records)]))
    (again,) = shards_of([batch_of([shard])])

    assert [r.tolist() for r in shard.flat] == [r.tolist() for r in again.flat]
    for one, other in zip(shard[1:], again[1:], strict=True):
        assert (None if one is None else one.tolist()) == (None if other is None else other.tolist())


@given(
    records=databases(records=12, length=5),
    owners=st.none() | st.lists(st.integers(0, 4), min_size=12, max_size=12),
    most=st.integers(1, 12),
)
def test_shards_are_divided_between_owners(records, owners, most):
    """In order, nothing lost; a shard has more than `most` items only where one owner, or one record, has."""
    shard = shard_of(table_of_codes(records, 3, None if owners is None else owners[: len(records)]))
    parts = list(divided(shard, most))
    names = [[] if part.names is None else part.names.tolist() for part in parts]

    assert [r.tolist() for r in shard.flat] == [r.tolist() for part in parts for r in part.flat]
    assert ([] if shard.names is None else shard.names.tolist()) == [name for some in names for name in some]
    assert sum(len(set(some)) for some in names) == len({name for some in names for name in some})
    for part in parts[:-1]:
        units = [1] * len(part.flat) if part.users is None else np.bincount(part.users).tolist()
        assert part.flat.offsets[-1 - units[-1]] < most


@pytest.mark.parametrize("records", [[[1, 2], [0]], [[], []], []], ids=["items", "no items", "no records"])
def test_a_shard_has_the_types_of_a_table(records):
    """Also an empty one: for other types an executor would compile every kernel once more."""
    table = shard_of(table_of_codes([[1, 2], [0]], 3, [7, 8]))
    (shard,) = shards_of([batch_of([shard_of(table_of_codes(records, 3, [7, 8][: len(records)]))])])

    arrays = [(one.flat.items, one.flat.offsets, one.users, one.names) for one in (table, shard)]
    assert [numba.typeof(array) for array in arrays[0]] == [numba.typeof(array) for array in arrays[1]]


def test_rows_say_only_where_they_come_from():
    """Their repr, which a ledger's fingerprint is made of, shows no row."""
    assert "trips.parquet" == repr(Rows([shard_of(table_of_codes([[1]], 3))], "trips.parquet"))
