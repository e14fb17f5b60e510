"""Data frames and Parquet: Polars, pandas and PyArrow through the Arrow interface, decided by type and never by value."""

from datetime import date, datetime
from decimal import Decimal

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from seqveil.errors import InputProblems
from seqveil.sources import read_sequences
from seqveil.tables.domain import Domain

DOMAIN = Domain.of(["a", "b", "c", "1", "2", "true"])
COLUMNS = {"who": ["u", "v", "u", None], "when": [2, 1, 1, 0], "what": ["b", "c", "a", "a"]}


def labels(source, **more):
    """The sequences of a source as text."""
    return [" ".join(DOMAIN.labels(s)) for s in read_sequences(source, domain=DOMAIN, **more).flat]


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame, pa.table])
def test_data_frames_of_three_libraries(make):
    """The same events give the same sequences."""
    assert ["a b", "c"] == labels(make(COLUMNS), user="who", time="when", item="what")


def test_parquet_reads_like_the_data_frame(tmp_path):
    """Also in many row groups."""
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table(COLUMNS), path, row_group_size=1)

    assert ["a b", "c"] == labels(path, user="who", time="when", item="what")


@pytest.mark.parametrize(
    "times",
    [
        pa.array([datetime(2020, 1, 2), datetime(2020, 1, 1), None], pa.timestamp("ms")),
        pa.array([datetime(2020, 1, 2), datetime(2020, 1, 1), None], pa.timestamp("ns", "Europe/Paris")),
        pa.array([date(2020, 1, 2), date(2020, 1, 1), None]),
        pa.array([date(2020, 1, 2), date(2020, 1, 1), None], pa.date64()),
        pa.array(["2020-01-02", "2020-01-01T23:00Z", "soon"]),
        pa.array(["2020-01-02", "2020-01-01", "soon"], pa.string_view()),
        pa.array(["2020-01-02", "2020-01-01", "soon"]).dictionary_encode(),
        pa.array([2.5, 1.5, float("nan")]),
        pa.array([Decimal("2.5"), Decimal("1.5"), None]),
        pa.array([2, 1, None], pa.uint64()),
        pa.array([2, 1, None], pa.duration("us")),
        pa.array([2, 1, None], pa.time32("s")),
    ],
    ids=lambda a: str(a.type)[:20],
)
def test_time_columns_of_every_type(times):
    """Later, earlier, unknown: the unknown one is dropped."""
    table = pa.table({"who": ["u"] * 3, "when": times, "what": ["b", "a", "c"]})

    assert ["a b"] == labels(table, user="who", time="when", item="what")


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        (pa.array([1, 2, 9]), ["1 2"]),
        (pa.array([1.0, 2.5, None]), ["1"]),
        (pa.array([1.0, 2.0, float("nan")]), ["1 2"]),
        (pa.array([True, False, None]), ["true"]),
        (pa.array(["a", None, " b "]), ["a b"]),
        (pa.array(["a", "b", "a"]).dictionary_encode(), ["a b a"]),
        (pa.array([b"a", b"\xff", b"b"]), ["a b"]),
        (pa.array([Decimal("1"), Decimal("2"), None]), ["1 2"]),
        (pa.array([None, None, None]), []),
    ],
    ids=lambda a: str(getattr(a, "type", ""))[:20],
)
def test_item_columns_of_every_type(items, expected):
    """A label is how a value is spelled; whole floats are spelled as integers, as pandas makes them out of missing ones."""
    assert expected == labels(pa.table({"who": ["u"] * 3, "what": items}), user="who", item="what")


def test_mixed_objects_of_pandas_are_spelled_one_by_one():
    """One odd value in a column must not change, or stop, the reading of the others."""
    frame = pd.DataFrame({"who": ["u", "u", 7, None], "what": ["a", 1, "b", "c"]}, dtype=object)

    assert ["a 1", "b"] == labels(frame, user="who", item="what")


@pytest.mark.parametrize("session", ["none", "gap:1d", "day"])
@pytest.mark.parametrize("kind", [pa.float64(), pa.string(), pa.decimal256(76, 0)])
def test_absurd_times_raise_and_warn_of_nothing(session, kind, capfd):
    """Times beyond any calendar, infinite ones and none at all; a warning would tell that they were there."""
    words = ["-1e75", "1e75", None] if pa.types.is_decimal(kind) else ["-1e300", "1e300", "inf", "nan", None]
    times = pa.array([None if w is None else Decimal(w) if pa.types.is_decimal(kind) else w for w in words]).cast(kind)
    table = pa.table({"who": ["u"] * len(times), "when": times, "what": ["a"] * len(times)})
    more = {"user": "who", "time": "when", "item": "what", "session": session, "timezone": "Europe/Paris"}

    assert labels(table, time_unit="s", **more) in (["a a"], ["a", "a"])
    assert set(labels(table, time_unit="d", **more)) <= {"a a", "a"}
    assert ("", "") == capfd.readouterr()


def test_a_column_of_lists_holds_whole_sequences():
    """One row, one sequence; the owner stands beside it."""
    frame = pl.DataFrame({"who": ["u", "v", "u", "v"], "items": [["a", "b"], [], None, ["zebra", "c"]]})
    table = read_sequences(frame, domain=DOMAIN, user="who")

    assert (["a b", "c"], [0, 1]) == (labels(frame), table.users.tolist())


@pytest.mark.parametrize(
    ("table", "more", "problems"),
    [
        ({"who": ["u"]}, {"item": "what"}, ["has no column 'what' (item): use one of who"]),
        ({"x": ["u"]}, {"user": "who"}, ["no item column given: add item=COLUMN, or "
         "for one journey per row origin=COLUMN and destination=COLUMN",
                                         "has no column 'who' (user): use one of x"]),
        ({"item": [{"a": 1}]}, {}, ["column 'item' (item) holds struct<a: int64>: give a column of text or numbers"]),
        ({"item": ["a"], "t": [True]}, {"time": "t"}, ["column 't' (time) holds bool: give a column of times"]),
        ({"items": [["a"]], "t": [1]}, {"time": "t"}, ["column 'items' holds whole sequences: leave out session and time"]),
        ({"items": [[["a"]]]}, {}, ["column 'items' holds list<item: list<item: string>>: give lists of text or numbers"]),
    ],
)  # fmt: skip
def test_columns_that_cannot_serve(table, more, problems):
    """Told by name and type, which are public, and never by value."""
    with pytest.raises(InputProblems) as caught:
        labels(pa.table(table), **more)

    assert problems == [p.replace("element", "item") for p in caught.value.problems]


def test_a_doubled_column_and_a_lazy_frame():
    """Neither can be read, and both say why."""
    twice = pa.table([["a"], ["b"]], names=["item", "item"])
    with pytest.raises(InputProblems, match="has the column 'item' 2 times: rename all but one"):
        labels(twice)
    with pytest.raises(InputProblems, match=r"has no Arrow interface.*for lists of labels use table_of"):
        labels({"item": ["a"]})
