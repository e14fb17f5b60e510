"""Ways in which one person's value once changed how everybody was read: each of them, as it was found."""

import gzip
import os
import sys
from datetime import date, datetime, timedelta
from decimal import Decimal

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from processes import run
from seqveil.errors import InputProblems
from seqveil.sources import Source, read_sequences
from seqveil.sources.events import EventStream
from seqveil.sources.graphs import read_graph
from seqveil.sources.relational import read_relational
from seqveil.tables.domain import Domain
from seqveil.tables.graphs import graph_of
from seqveil.tables.sequences import table_of

DOMAIN = Domain.of(["a", "b", "3", "4", "true", "2.5"])
ALL = [3.0, 4, "a", True, 2.5]
"""What the others have; every one of them is in the domain."""
ODD = [
    "n/a",
    b"\xff",
    2**80,
    Decimal("1.00"),
    Decimal("1E+400000"),
    [3],
    None,
    float("nan"),
    "\ud800",
    object(),
    {"a": 1},
    1 + 2j,
    date(2020, 1, 1),
    datetime(2020, 1, 1),
    timedelta(1),
    np.array([1]),
    pd.NaT,
    pd.NA,
    pd.Period("2020-01"),
    (3, "n/a"),
    set(),
]


def labels(source, **more):
    """The sequences of a source as text."""
    return [" ".join(DOMAIN.labels(s)) for s in read_sequences(source, domain=DOMAIN, **more).flat]


def objects(values):
    """A pandas frame with one column of Python objects."""
    return pd.DataFrame({"item": pd.Series(np.fromiter(values, object, len(values)), dtype=object)})


@pytest.mark.parametrize("others", [[3, 4], [3.0, 4.0], [True, True], [Decimal("3"), Decimal("4.0")], ["a", "b"], ALL])
@pytest.mark.parametrize("odd", ODD, ids=lambda odd: f"{type(odd).__name__}-{str(odd)[:6]!a}")
def test_one_odd_value_changes_nobody_elses_in_a_column_of_objects(others, odd):
    """Everybody else's label is found, before the odd one and after it."""
    alone = labels(objects(others))
    expected = len(others)

    assert expected == len(alone)
    assert alone == [s for s in labels(objects([*others, odd])) if s in alone][:expected]
    assert alone == labels(objects([odd, *others]))[-expected:]


@pytest.mark.parametrize("value", [3, 3.0, np.int8(3), np.float32(3), Decimal("3"), Decimal("3.00"), "3", b"3"], ids=repr)
def test_a_whole_number_is_one_label_whatever_its_type(value):
    """So a neighbour who makes a library choose another type changes no label."""
    assert ["3"] == labels(objects([value])) == labels(pl.DataFrame({"item": pl.Series([value], dtype=pl.Object)}))


def test_mixed_categories_are_read_one_by_one():
    """Their list is what somebody wrote; it was given one type, and a value of it was quoted in an error."""
    frame = pd.DataFrame({"item": pd.Categorical(["a", 3, 2.5, 3.0, None, b"b", True])})

    assert ["a", "3", "2.5", "3", "b", "true"] == labels(frame)


def test_a_decimal_is_spelled_by_its_own_value():
    """Not by the digits that the longest fraction of a column needs."""
    wide = pa.table({"item": pa.array([Decimal("3"), Decimal("2.5"), Decimal("1E-10")], pa.decimal128(20, 10))})

    assert ["3", "2.5"] == labels(wide) == labels(objects([Decimal("3.0"), Decimal("2.50"), Decimal("1E-10")]))


def test_lists_and_single_values_stand_in_one_column():
    """A row is a sequence when it is a list itself; whether others are lists does not matter."""
    frame = objects(
        [["a", 3, None, 3.0, [4]], "b", ("a", "b"), np.array([3, 4]), np.ma.array([3, 4], mask=[True, False]), None, []]
    )

    assert ["a 3 3", "b", "a b", "3 4", "4"] == labels(frame)


def test_lists_of_a_user_stay_apart_from_single_events():
    """Single rows of one user are one sequence, each list is its own."""
    frame = objects(["a", ["b"], "b", ["a", "a"], "a"]).assign(who=["u", "u", "u", "v", "v"])

    assert ["a b", "b", "a", "a a"] == labels(frame, user="who")


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_nanoseconds_since_1970_are_times(make):
    """Numbers above 2^53 were all dropped, and with them every event of the file."""
    now = 1_700_000_000_123_456_789
    frame = make({"who": ["u", "u"], "when": [now + 10**9, now], "item": ["b", "a"]})

    assert ["a b"] == labels(frame, user="who", time="when", time_unit="ns")


def test_nanoseconds_since_1970_are_times_in_parquet(tmp_path):
    """The same in a file, also beside a missing one."""
    now = 1_700_000_000_123_456_789
    pq.write_table(
        pa.table({"who": ["u"] * 3, "when": [now + 10**9, now, None], "item": ["b", "a", "a"]}), tmp_path / "x.parquet"
    )

    assert ["a b"] == labels(tmp_path / "x.parquet", user="who", time="when", time_unit="ns")


def test_times_of_any_type_stand_in_one_column():
    """Each is read by its own type: text, numbers, times with and without a zone, of Python, NumPy and pandas."""
    times = [
        "1970-01-01T00:00:09Z",
        8,
        7.0,
        datetime(1970, 1, 1, 0, 0, 6),
        pd.Timestamp("1970-01-01 01:00:05+0100"),
        np.datetime64(4, "s"),
        timedelta(seconds=3),
        Decimal(2),
        pd.Timedelta(1, "s"),
        "soon",
        None,
        pd.NaT,
        True,
        [1],
        10**400,
    ]
    frame = objects(["b"] * 4 + ["a"] * 5 + ["3"] * 6).assign(who="u", when=pd.Series(times, dtype=object))

    assert ["a a a a a b b b b"] == labels(frame, user="who", time="when")


BOM = b"\xef\xbb\xbf"


@pytest.mark.parametrize(("name", "line"), [("x.txt", b"a b"), ("x.dat", b"3 4"), ("x.spmf", b"3 -1 -2"), ("x.jsonl", b'["a"]')])
def test_a_byte_order_mark_means_the_same_on_every_line(tmp_path, name, line):
    """It was left out of record 1 and not of others: two people with the same bytes were read differently."""
    (tmp_path / name).write_bytes(BOM + line + b"\n" + BOM + line + b"\n")
    first, second = labels(tmp_path / name)

    assert first == second


def test_a_byte_order_mark_before_events_of_a_stream(tmp_path):
    """As in files of records."""
    (tmp_path / "x.txt").write_bytes(BOM + b"a\n" + BOM + b"a\n")

    assert [["a", "a"]] == list(EventStream(tmp_path / "x.txt").open())


MAGIC = [b"PK\x03\x04", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ", b"PAR1", b"\xff\xfe", b"\xfe\xff", b"\x1f\x8b"]


@pytest.mark.parametrize("magic", MAGIC)
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("name", "more"), [("x.txt", {}), ("x.jsonl", {}), ("x.csv", {"item": "1", "header": False}), ("x.spmf", {}), ("x.dat", {})]
)
def test_what_record_1_looks_like_refuses_nothing(tmp_path, magic, packed, name, more):
    """A file without a header is what its name says: the first bytes are somebody's."""
    body = magic + b'\na\n"a"\n3\n'
    path = tmp_path / (f"{name}.gz" if packed else name)
    path.write_bytes(gzip.compress(body) if packed else body)

    assert "3" in labels(path, **more)
    assert Source(path, DOMAIN, **more).description


@pytest.mark.parametrize("magic", MAGIC)
def test_a_declared_header_may_refuse(tmp_path, magic):
    """Line 1 is public where it names the columns."""
    (tmp_path / "x.csv").write_bytes(magic + b",item\n,a\n")

    with pytest.raises(InputProblems, match=r"archive|Parquet|UTF-16"):
        labels(tmp_path / "x.csv", item="item")


@pytest.mark.parametrize(("magic", "words"), [(b"PK\x03\x04", "zip archive"), (b"\xff\xfe", "UTF-16"), (b"\x1f\x8b", "gzip")])
def test_check_says_what_a_file_looks_like(tmp_path, magic, words):
    """INTERNAL, for the holder alone: there it may be told."""
    (tmp_path / "x.txt").write_bytes(magic + b"\na\n")
    call = [sys.executable, "-m", "seqveil", "check", str(tmp_path / "x.txt"), "--domain", "a,b"]
    done = run(call, text=True, timeout=60, env={**os.environ, "SEQVEIL_HOME": str(tmp_path)})

    assert 0 == done.returncode, done.stderr
    assert words in done.stdout + done.stderr


def test_a_stream_that_lacks_the_column_quotes_nothing(tmp_path):
    """Line 1 may be an event."""
    (tmp_path / "x.csv").write_bytes(b"secret,17\nother,3\n")
    with pytest.raises(InputProblems) as caught:
        EventStream(tmp_path / "x.csv", column="amount").open()

    assert "secret" not in str(caught.value)


def test_relational_rows_are_spelled_one_by_one():
    """One row's odd value once changed the labels of all."""
    domain = Domain.of(["sex=1", "sex=2"])
    frame = pd.DataFrame({"sex": pd.Series([1.0, 2, "?", 2**80, Decimal("1.0")], dtype=object)})

    assert [[0], [1], [0]] == [s.tolist() for s in read_relational(frame, domain=domain).flat]


def test_lists_of_labels_take_any_value():
    """A label that cannot be looked up, and a user that is no number, once raised for all."""
    table = table_of([["a", [1], 3.0, None, b"\xff"], None, ["b"], ["b"]], DOMAIN, users=["ann", 2**80, 2**80, None])

    assert [[0, 2], [1]] == [s.tolist() for s in table.flat]
    assert [0, 1] == table.users.tolist()


def test_vertices_are_spelled_one_by_one():
    """As labels are, in a list of edges and in a networkx graph."""
    edges = [(3, 4.0), ("a", b"b"), ("\ud800", "a"), (None, "a")]
    domain = Domain.of(["a", "b", "3", "4"])

    graph = nx.Graph(edges[:3])
    for table in (graph_of(edges, domain, order_is_public=True), read_graph(graph, domain=domain, order_is_public=True)):
        assert ([0, 2], [1, 3]) == (table.low.tolist(), table.high.tolist())


def test_polars_objects_are_values_and_not_addresses():
    """In Arrow form they were places in memory, other ones in every run."""
    frame = pl.DataFrame({"item": pl.Series(["a", 3, 3.0, None, True, "n/a"], dtype=pl.Object)})

    assert ["a", "3", "3", "true"] == labels(frame)


def test_integers_of_128_bits_are_read():
    """Arrow has none, and refused the frame."""
    assert ["3"] == labels(pl.DataFrame({"item": pl.Series([3, 2**100, None], dtype=pl.Int128)}))


def test_text_columns_with_half_a_character():
    """pandas keeps it, Arrow refuses the column."""
    frame = pd.DataFrame({"item": pd.array(["a", "\ud800", None, "b"], dtype=pd.StringDtype("python"))})

    assert ["a", "b"] == labels(frame)


def test_sparse_columns_are_read():
    """They once raised."""
    assert ["3", "4"] == labels(pd.DataFrame({"item": pd.arrays.SparseArray([3, 0, 4])}))


def test_a_line_of_a_stream_is_read_so_far_and_no_further(tmp_path, monkeypatch):
    """Its end may never come; what follows it is read as ever."""
    monkeypatch.setattr("seqveil.sources.events.MOST_LINE", 3, raising=False)
    monkeypatch.setattr("seqveil.sources.events._STEP", 2)
    (tmp_path / "x.txt").write_bytes(b"aaaaaaaa\nb\nccc\ndddd")

    assert ["aaa", "b", "ccc", "ddd"] == [event for batch in EventStream(tmp_path / "x.txt").open() for event in batch]
