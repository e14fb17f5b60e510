"""Locality of every reader: rows of two people read together are what they are apart, whatever stands in them.

`differing` compares what is read, what is left out and what is said about the format, with the second person's rows before,
after and among the first ones.
"""

from datetime import UTC, date, datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from seqveil.audit.corpus import PIECES
from seqveil.audit.readings import BY_LINE, BY_OWNER, Reader, Reading, by_value, differing, read_described
from seqveil.audit.scratch import small_domain
from seqveil.sources.relational import read_relational
from seqveil.sources.sets import read_sets
from seqveil.tables.domain import Domain

LINE = st.one_of(st.binary(max_size=20), st.lists(st.sampled_from(PIECES), max_size=10).map(b"".join))
LINES = st.lists(LINE, max_size=4)
MAGIC = [b"\x1f\x8b", b"PK\x03\x04", b"\xef\xbb\xbfa", b"\xff\xfe", b"PAR1", b"BZh"]
EXAMPLES = settings.default.max_examples // 5


@pytest.fixture(params=[None, 7], ids=["whole blocks", "blocks of 7 bytes"])
def blocks(request, monkeypatch):
    """Files read as ever, and in blocks so small that every line crosses one."""
    if request.param:
        monkeypatch.setattr("seqveil.sources.blocks.STEP", request.param)
        monkeypatch.setattr("seqveil.sources.events._STEP", request.param)


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize("reader", BY_LINE, ids=lambda reader: reader.name)
def test_lines_of_one_person_change_nobody_elses(reader):
    """Any bytes at all, in lines that stand for themselves."""

    @given(LINES, LINES)
    @settings(max_examples=EXAMPLES)
    @example([b"a", b"b"], MAGIC)
    @example([b"\xef\xbb\xbfa", b"a"], [b"\xef\xbb\xbfa"])
    @example([b'["a"]', b'{"i":"a"}'], [b'{"i":'])
    def holds(base, unit):
        assert differing(reader, base, unit) is None

    holds()


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize("reader", BY_OWNER, ids=lambda reader: reader.name)
def test_rows_of_one_owner_change_nobody_elses(reader):
    """Any bytes after the owner: times, items, quotes, separators."""
    tail = st.one_of(
        LINE, st.tuples(st.sampled_from([b"0", b"1e18", b"2020-01-01", b"01/02/2020 03:04", b"x", b""]), LINE).map(b",".join)
    )

    @given(st.lists(st.tuples(st.sampled_from([b"p", b"q"]), tail).map(b",".join), max_size=5), st.lists(tail, max_size=3))
    @settings(max_examples=EXAMPLES)
    def holds(base, unit):
        assert differing(reader, base, [b"z," + row for row in unit]) is None

    holds()


ANY = st.one_of(
    st.none(),
    st.text(max_size=3),
    st.binary(max_size=3),
    st.integers(),
    st.integers(1, 2),
    st.floats(),
    st.booleans(),
    st.decimals(),
    st.sampled_from(
        ["a", "b", 1, 1.0, Decimal("1.0"), np.int8(1), True, date(2020, 1, 1), datetime(2020, 1, 1, tzinfo=UTC), pd.NaT]
    ),
    st.lists(st.sampled_from(["a", 1, 1.0, None, "n/a"]), max_size=3),
    st.just(np.array([1, 2])),
    st.datetimes(),
    st.timedeltas(),
)


@pytest.mark.parametrize("rows", [1 << 17, 2])
@pytest.mark.parametrize("reader", by_value(), ids=lambda reader: reader.name)
def test_values_of_one_owner_change_nobody_elses(reader, rows, monkeypatch):
    """Values of any type in columns of objects, also in batches of two rows."""
    monkeypatch.setattr("seqveil.sources.frames.ROWS", rows)

    @given(st.lists(st.tuples(st.sampled_from(["p", 7, 7.0]), ANY, ANY), max_size=5), st.lists(st.tuples(ANY, ANY), max_size=3))
    @settings(max_examples=EXAMPLES)
    def holds(base, unit):
        assert differing(reader, base, [("z", *row) for row in unit]) is None

    holds()


INTEGERS, FLOATS, TEXTS = (
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=3),
)
TYPED = {
    "int64": (pa.int64(), INTEGERS | st.integers(1, 2)),
    "float64": (pa.float64(), FLOATS | st.sampled_from([1.0, 2.0])),
    "string": (pa.string(), TEXTS | st.sampled_from(["a", "b"])),
    "binary": (pa.binary(), st.binary(max_size=3)),
    "decimal": (pa.decimal128(12, 4), st.integers(-(10**7), 10**7).map(lambda n: Decimal(n).scaleb(-4)) | st.just(Decimal(1))),
    "timestamp": (pa.timestamp("us"), st.datetimes()),
    "dictionary": (pa.dictionary(pa.int32(), pa.string()), TEXTS | st.sampled_from(["a", "b"])),
    "list": (pa.list_(pa.string()), st.lists(st.none() | st.sampled_from(["a", "b", "n/a"]), max_size=3)),
    "fixed list": (pa.list_(pa.int64(), 2), st.lists(st.none() | st.integers(1, 3), min_size=2, max_size=2)),
    "list of floats": (pa.list_(pa.float64()), st.lists(FLOATS | st.just(1.0), max_size=3)),
}
TIMES = {
    "int64": (pa.int64(), INTEGERS),
    "float64": (pa.float64(), FLOATS),
    "timestamp": (pa.timestamp("ns", "Asia/Tokyo"), st.datetimes(datetime(1700, 1, 1), datetime(2200, 1, 1))),
    "text": (pa.string(), TEXTS | st.sampled_from(["2020-01-01", "1e18", "0"])),
    "date": (pa.date32(), st.dates()),
}


def _pandas(table):
    return table.to_pandas(types_mapper=pd.ArrowDtype)


def typed_reader(make, folder, kinds, **described):
    """A reader of rows with columns of declared types."""

    def read(rows) -> Reading:
        columns = {name: pa.array([row[k] for row in rows], kind) for k, (name, kind) in enumerate(kinds.items())}
        source = make(pa.table(columns))
        if make is pa.table and folder is not None:
            source = folder / "x.parquet"
            pq.write_table(pa.table(columns), source, row_group_size=2)
        return read_described(source, **described)

    return Reader("typed", read)


MAKE = {"polars": pl.from_arrow, "pandas": _pandas, "pyarrow": pa.table, "parquet": pa.table}


@pytest.mark.parametrize("make", MAKE)
@pytest.mark.parametrize("kind", TYPED)
def test_typed_items_of_one_owner_change_nobody_elses(make, kind, tmp_path):
    """Items of every declared type, in frames of three libraries and in Parquet."""
    if (make, kind) in {("polars", "binary"), ("pandas", "dictionary")}:
        pytest.skip("another library's type is tried instead")
    dtype, values = TYPED[kind]
    kinds = {"u": pa.string(), "i": dtype}
    reader = typed_reader(MAKE[make], tmp_path if make == "parquet" else None, kinds, user="u", item="i")

    @given(st.lists(st.tuples(st.sampled_from("pq"), st.none() | values), max_size=4), st.lists(st.none() | values, max_size=3))
    @settings(max_examples=EXAMPLES)
    def holds(base, unit):
        assert differing(reader, base, [("z", value) for value in unit]) is None

    holds()


@pytest.mark.parametrize("make", MAKE)
@pytest.mark.parametrize("kind", TIMES)
def test_typed_times_of_one_owner_change_nobody_elses(make, kind, tmp_path):
    """Times likewise; large, absurd and missing ones."""
    dtype, values = TIMES[kind]
    kinds = {"u": pa.string(), "t": dtype, "i": pa.string()}
    described = {"user": "u", "time": "t", "item": "i", "session": "day", "timezone": "Europe/Paris", "time_unit": "ns"}
    reader = typed_reader(MAKE[make], tmp_path if make == "parquet" else None, kinds, **described)
    row = st.tuples(st.none() | values, st.sampled_from(["a", "b", "n/a"]))

    @given(st.lists(st.tuples(st.sampled_from("pq"), row).map(lambda r: (r[0], *r[1])), max_size=4), st.lists(row, max_size=3))
    @settings(max_examples=EXAMPLES)
    def holds(base, unit):
        assert differing(reader, base, [("z", *row) for row in unit]) is None

    holds()


@given(st.lists(ANY, max_size=4), st.lists(ANY, max_size=3))
@settings(max_examples=EXAMPLES)
def test_sets_and_relational_rows_of_objects(base, unit):
    """Both read the same frames: what is theirs alone adds up."""
    from collections import Counter

    def frame(values):
        return pd.DataFrame({"item": pd.Series(np.fromiter(values, object, len(values)), dtype=object)})

    def content(values):
        sets = read_sets(frame(values), domain=small_domain())
        rows = read_relational(frame(values), domain=Domain.of(["item=a", "item=1", "item=true"]))
        return Counter(("set", *s.tolist()) for s in sets.flat) + Counter(("row", *s.tolist()) for s in rows.flat)

    assert content(base) + content(unit) == content(base + unit) == content(unit + base)


def test_two_readings_that_differ_are_noticed():
    """The comparison itself can fail: a reader that counts everybody's rows is none."""

    def read(rows) -> Reading:
        from collections import Counter

        return Reading(Counter(len(rows) for _ in rows), Counter(), "rows")

    assert "change how those are read" in str(differing(Reader("bad", read), [1], [2]))
