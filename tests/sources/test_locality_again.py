"""Ways in which one person's value still decided about everybody's, found by an attack on the mended readers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import seqveil as sv
from seqveil.errors import InputProblems
from seqveil.sources.frames import ROWS, open_parquet, parquet_batches

DOMAIN = sv.Domain.of(["1", "2", "a", "b", "true", "0", "1152921504606846977", "2.5"])


def read(source: Any, **described: Any) -> Counter[tuple[str, ...]]:
    table = sv.read_sequences(source, domain=DOMAIN, **described)
    return Counter(tuple(table.domain.labels(s.tolist())) for s in table.flat)


def bad_text() -> Any:
    """A text of Arrow whose two bytes are no UTF-8."""
    return pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\2\0\0\0"), pa.py_buffer(b"\xff\xfe")])


@pytest.mark.parametrize("store_schema", [True, False])
def test_bytes_that_are_no_text_in_lists_of_a_parquet_file(tmp_path: Path, store_schema: bool) -> None:
    """They are no label; the file is not damaged."""
    texts = pa.concat_arrays([pa.array(["a", "b"] * 50), bad_text()])
    lists = pa.ListArray.from_arrays(pa.array([*range(0, 101, 2), 101], pa.int32()), texts)
    pq.write_table(pa.table({"items": lists}), tmp_path / "d.parquet", store_schema=store_schema)

    assert Counter({("a", "b"): 50}) == read(tmp_path / "d.parquet", item="items")


@pytest.mark.slow
@pytest.mark.parametrize("narrow", [True, False])
def test_lists_of_long_texts_do_not_refuse_a_parquet_file(tmp_path: Path, narrow: bool) -> None:
    """More than 2 GB in one batch of a file of a few kilobytes, also where the file says that its offsets have 32 bits."""
    rows = (1 << 10) + 1
    once = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array(["x" * (1 << 21)]))
    lists = pa.ListArray.from_arrays(pa.array(np.arange(rows + 1, dtype=np.int32)), once)
    mine = pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), pa.array(["a"]).dictionary_encode())
    pq.write_table(pa.table({"items": pa.array([["a"]])}), tmp_path / "small.parquet")
    stored = pq.read_metadata(tmp_path / "small.parquet").metadata[b"ARROW:schema"]
    with pq.ParquetWriter(tmp_path / "d.parquet", pa.schema([("items", lists.type)]), store_schema=False) as writer:
        writer.write_table(pa.table({"items": mine}))
        writer.write_table(pa.table({"items": lists}), row_group_size=rows)
        if narrow:
            writer.add_key_value_metadata({b"ARROW:schema": stored})

    assert Counter({("a",): 1}) == read(tmp_path / "d.parquet", item="items")


def test_texts_of_a_parquet_file_have_room_also_where_it_says_that_they_are_numbered(tmp_path: Path) -> None:
    """Offsets of 64 bits: 2 GB in one batch are then read as in the test above."""
    numbered = pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), pa.array(["a"]).dictionary_encode())
    types = []
    for store_schema in (True, False):
        pq.write_table(pa.table({"items": numbered}), tmp_path / "d.parquet", store_schema=store_schema)
        types.append(next(parquet_batches(open_parquet(tmp_path / "d.parquet"), ["items"])).column(0).type.value_type)

    assert [pa.large_string()] * 2 == types


def test_a_refused_batch_is_read_again_in_parts_of_its_row_group() -> None:
    """Each refusal costs gigabytes: a batch that still holds all rows would be refused again."""
    tried = []

    class File:
        metadata = SimpleNamespace(num_row_groups=1, row_group=lambda group: SimpleNamespace(num_rows=100))

        def iter_batches(self, batch_size: int, **_: Any) -> Any:
            tried.append(batch_size)
            if batch_size >= 100:
                raise pa.ArrowNotImplementedError
            yield from pa.table({"items": list(range(100))}).to_batches(batch_size)

    assert [*range(100)] == [item for batch in parquet_batches(File(), ["items"]) for item in batch.column(0).to_pylist()]
    assert [ROWS, 6] == tried


class Derived(pd.DataFrame):
    """As GeoPandas and others make them."""

    @property
    def _constructor(self) -> type:
        return Derived


@pytest.mark.parametrize("odd", ["n/a", 2.5, b"x", None, (1, 2)])
def test_frames_of_derived_classes_are_read_like_their_own(odd: object) -> None:
    """No type is guessed from all values, and no value is quoted."""
    values = [1, 2, 1152921504606846977, odd]
    plain = pd.DataFrame({"item": pd.Series(values, dtype=object)})

    assert read(plain, item="item") == read(Derived(plain), item="item")
    assert Counter({("1",): 1, ("2",): 1, ("1152921504606846977",): 1}) <= read(Derived(plain), item="item")


class DerivedPolars(pl.DataFrame):
    """Also of Polars."""


def test_objects_of_a_derived_polars_frame_are_no_addresses() -> None:
    frame = DerivedPolars({"item": pl.Series([1, "a"], dtype=pl.Object)})

    assert Counter({("1",): 1, ("a",): 1}) == read(frame, item="item")


@pytest.mark.parametrize(
    ("values", "fill", "mine"),
    [
        (np.array([2**60 + 1, 0], np.uint64), 0, "1152921504606846977"),
        (np.array([2**60 + 1, 0], np.int64), 0, "1152921504606846977"),
        (np.array([True, False]), False, "true"),
    ],
)
def test_sparse_columns_are_read_value_by_value(values: Any, fill: Any, mine: str) -> None:
    """Whether anybody has the value that is left out must not decide the type of all."""
    for rows in (values[:1], values):
        for filling in (fill, np.nan):
            column = pd.arrays.SparseArray(rows, fill_value=filling, dtype=pd.SparseDtype(rows.dtype, filling))
            assert 1 == read(pd.DataFrame({"item": column}), item="item")[(mine,)]


def test_many_spellings_in_chunks_of_a_dictionary() -> None:
    """One person's 129th spelling does not fit the index of the others; nobody is refused."""
    kind = pa.dictionary(pa.int8(), pa.string())
    chunks = [pa.array([f"{part}-{i}" for i in range(100)]).dictionary_encode().cast(kind) for part in "xy"]
    column = pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([pa.array(["a"]).dictionary_encode().cast(kind), *chunks])))

    assert Counter({("a",): 1}) == read(pd.DataFrame({"item": column}), item="item")


@pytest.mark.parametrize(
    "column", [pa.chunked_array([pa.array([{"item": "a"}, None])]), pl.Series([{"item": "a"}, None])], ids=["arrow", "polars"]
)
def test_a_column_is_no_table(column: Any) -> None:
    """It would be read, or refused for everybody, depending on whether somebody's row is null."""
    with pytest.raises(InputProblems, match="is a single column"):
        read(column, item="item")


@pytest.mark.parametrize("odd", [np.array(5), np.ma.masked, 7, None, object()])
def test_what_is_no_sequence_is_left_out_of_a_table(odd: Any) -> None:
    table = sv.table_of([["a"], odd, ["b"]], DOMAIN)

    assert [["a"], ["b"]] == [table.domain.labels(s.tolist()) for s in table.flat]


@pytest.mark.parametrize("end", ["\r", "\f"])
def test_rows_in_the_header_are_not_quoted(tmp_path: Path, end: str) -> None:
    """A file with other line ends is one long header to us."""
    path = tmp_path / "log.txt"
    path.write_bytes(f"u i t{end}ann Bow 5{end}bob Ely 6{end}".encode())

    with pytest.raises(InputProblems) as refused:
        read(path, format="events", user="u", item="stop")
    assert "Bow" not in str(refused.value)
    assert "LF line endings" in str(refused.value)
