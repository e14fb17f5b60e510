"""Parquet files that executors open themselves: the rows are those of one machine, and whatever is not plain is left to Spark."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqveil.sources.columns import as_text
from seqveil.sources.spark.direct import direct, read_groups
from seqveil.sources.spark.rows import FILE_BITS

COLUMNS = ["card", "ts", "station"]
STATED = pa.schema({"card": pa.int64(), "ts": pa.timestamp("us", "Europe/Paris"), "station": pa.string()})
ROLES = {"user": "card", "time": "ts", "item": "station"}


def taps(n: int, seed: int = 1) -> Any:
    random = np.random.default_rng(seed)
    return pa.table(
        {
            "card": pa.array(random.integers(0, 9, n)),
            "ts": pa.array(random.integers(0, 10**12, n), pa.timestamp("us", "UTC")),
            "station": pa.array([None if i == 3 else f"s{i}" for i in random.integers(0, 5, n)], pa.string()),
        }
    )


def uri(path: Path) -> str:
    return "file://" + str(path).replace(" ", "%20")


def rows(division: Any) -> list[Any]:
    """Every row once, with its place, whichever task reads it."""
    ids = [pa.RecordBatch.from_arrays([pa.array([task], pa.int64())], ["id"]) for task in reversed(range(len(division.tasks)))]
    return [
        (place, user, time, as_text(batch.column("item")).text(i))
        for batch in read_groups(ids, tasks=division.tasks, roles=ROLES)
        for i, (place, user, time) in enumerate(
            zip(*(batch.column(name).to_pylist() for name in ("place", "user", "time")), strict=True)
        )
    ]


@settings(max_examples=20)
@given(sizes=st.lists(st.integers(0, 40), min_size=1, max_size=4), group=st.integers(1, 20), least=st.sampled_from([1, 200]))
def test_every_row_is_read_once_with_its_place(tmp_path_factory, sizes, group, least):
    """Several files and row groups; tasks of few bytes or of many; places rise along files, and tasks do not interleave."""
    import seqveil.sources.spark.direct as module

    folder, expected = tmp_path_factory.mktemp("a b"), []
    for rank, size in enumerate(sizes):
        table = taps(size, rank)
        pq.write_table(table, folder / f"{rank}.parquet", row_group_size=group)
        places = ((rank << FILE_BITS) + np.arange(size)).tolist()
        columns = [table[name].to_pylist() for name in COLUMNS]
        expected += [(p, u, t, s or "") for p, u, t, s in zip(places, *columns, strict=True)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_LEAST", least)
        division = direct([uri(p) for p in sorted(folder.iterdir(), reverse=True)], COLUMNS, STATED, parallel=4)
    assert division is not None
    read = rows(division)
    spans = [(groups.rank, groups.first) for task in division.tasks for groups in task]

    assert expected == sorted(read, key=lambda row: row[0])
    assert spans == sorted(spans)


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.drop_columns(["card"]),  # may be a partition's name, which only Spark knows
        lambda t: t.set_column(0, "card", t["card"].cast(pa.int32())),
        lambda t: t.set_column(1, "ts", t["ts"].cast(pa.timestamp("us"))),
        lambda t: t.set_column(1, "ts", t["ts"].cast(pa.timestamp("ns", "UTC"))),
        lambda t: t.rename_columns(["Card", "ts", "station"]),
    ],
)
def test_what_is_not_plain_is_left_to_spark(tmp_path, change):
    """Of several files one: then all of them."""
    pq.write_table(taps(5), tmp_path / "a.parquet")
    pq.write_table(change(taps(5)), tmp_path / "b.parquet")
    look = partial(direct, columns=COLUMNS, schema=STATED, parallel=2)

    assert look([uri(tmp_path / "a.parquet")]) is not None
    assert look([uri(tmp_path / "a.parquet"), uri(tmp_path / "b.parquet")]) is None
    assert look([uri(tmp_path / "a.parquet").replace("file://", "hdfs://node")]) is None
    assert look([uri(tmp_path / "missing.parquet")]) is None
    (tmp_path / "c.parquet").write_bytes(b"PAR1")
    assert look([uri(tmp_path / "c.parquet")]) is None


def test_a_changed_value_shows_in_the_digest(tmp_path):
    """Where the writer noted bounds or sizes that it changes: the digest is one of footers, not of pages."""
    digests = set()
    for card in (3, 4):
        pq.write_table(taps(50).set_column(0, "card", pa.array([card] * 50)), tmp_path / "a.parquet")
        division = direct([uri(tmp_path / "a.parquet")], COLUMNS, STATED, parallel=2)
        assert division is not None
        digests.add(division.digest)

    assert 2 == len(digests)
