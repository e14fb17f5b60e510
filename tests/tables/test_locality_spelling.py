"""The one rule of spelling, and that every typed column follows it: a value is spelled as it would be alone."""

import uuid
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from seqveil.sources.clock import Clock
from seqveil.sources.columns import as_seconds, as_text
from seqveil.sources.frames import Frame
from seqveil.sources.layout import Layout
from seqveil.tables.spans import Lookup, Numbering, Spans
from seqveil.tables.spelling import spelling

NAIVE = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30))
AWARE = NAIVE.map(lambda d: d.replace(tzinfo=UTC))
NEAR = st.datetimes(datetime(1700, 1, 1), datetime(2200, 1, 1))
FLOATS = st.one_of(st.floats(), st.floats(-1e-5, 1e-5), st.integers(-(2**70), 2**70).map(float))
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)


def ints(bits, signed=True):
    """Integers of a width."""
    return st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else st.integers(0, 2**bits - 1)


def decimals(digits, places):
    """Decimals that fit a type."""
    return st.integers(-(10**digits) + 1, 10**digits - 1).map(
        lambda n: Decimal(n).scaleb(-places) if digits <= 28 else Decimal(n)
    )


TYPES = {
    **{f"int{n}": (getattr(pa, f"int{n}")(), ints(n)) for n in (8, 16, 32, 64)},
    **{f"uint{n}": (getattr(pa, f"uint{n}")(), ints(n, False)) for n in (8, 16, 32, 64)},
    "float64": (pa.float64(), FLOATS),
    "float32": (pa.float32(), st.floats(width=32)),
    "float16": (pa.float16(), st.floats(width=16).map(np.float16)),
    "bool": (pa.bool_(), st.booleans()),
    "string": (pa.string(), TEXT),
    "large_string": (pa.large_string(), TEXT),
    "string_view": (pa.string_view(), TEXT),
    "binary": (pa.binary(), st.binary(max_size=5)),
    "binary_view": (pa.binary_view(), st.binary(max_size=5)),
    "fixed": (pa.binary(3), st.binary(min_size=3, max_size=3)),
    "dictionary": (pa.dictionary(pa.int8(), pa.float64()), FLOATS),
    "dictionary of text": (pa.dictionary(pa.int32(), pa.string()), TEXT),
    "decimal128": (pa.decimal128(20, 10), decimals(20, 10)),
    "decimal, whole": (pa.decimal128(20, 0), decimals(20, 0)),
    "decimal, negative scale": (pa.decimal128(10, -3), st.integers(-(10**6), 10**6).map(lambda n: Decimal(n * 1000))),
    "decimal256": (pa.decimal256(76, 0), decimals(76, 0)),
    **{
        f"timestamp {u}": (pa.timestamp(u), d)
        for u, d in (("us", NAIVE), ("s", NAIVE.map(lambda d: d.replace(microsecond=0))), ("ns", NEAR))
    },
    "timestamp with a zone": (pa.timestamp("us", "Asia/Tokyo"), AWARE),
    "date32": (pa.date32(), st.dates()),
    "date64": (pa.date64(), st.dates()),
    "time64": (pa.time64("us"), st.times()),
    "time32": (pa.time32("s"), st.times().map(lambda t: t.replace(microsecond=0))),
    "duration": (pa.duration("us"), st.timedeltas(timedelta(-(10**6)), timedelta(10**6))),
    "uuid": (pa.uuid(), st.uuids()),
    "null": (pa.null(), st.none()),
}


def texts(column):
    """The spans of a column as bytes, None where there is nothing."""
    spans = as_text(column)
    return [bytes(spans.data[a:b]) or None for a, b in zip(spans.starts, spans.ends, strict=True)]


@pytest.mark.parametrize("name", TYPES)
@given(data=st.data())
def test_typed_columns_are_spelled_as_each_value_alone(name, data):
    """The fast paths are equal to the reference, wherever a value stands and beside whatever."""
    kind, values = TYPES[name]
    rows = data.draw(st.lists(st.none() | values, max_size=6))
    storage = [None if v is None else v.bytes for v in rows] if name == "uuid" else rows
    column = pa.array(storage, pa.binary(16)).cast(kind) if name == "uuid" else pa.array(storage, kind)

    assert [spelling(v) or None for v in rows] == texts(column) == texts(pa.concat_arrays([column, column])[len(rows) :])


VALUES = st.one_of(
    st.none(),
    TEXT,
    st.text(max_size=3),
    st.binary(max_size=4),
    st.integers(),
    ints(64).map(np.int64),
    FLOATS,
    st.booleans(),
    st.decimals(),
    NAIVE,
    AWARE,
    NEAR.map(pd.Timestamp),
    st.dates(),
    st.times(),
    st.timedeltas(),
    st.uuids(),
    st.complex_numbers(),
    ints(64).map(lambda n: np.datetime64(n, "ns")),
    ints(64).map(lambda n: np.datetime64(n, "Y")),
    st.lists(st.integers(), max_size=2),
    ints(64).map(lambda n: np.timedelta64(n, "ms")),
    st.sampled_from([pd.NaT, pd.NA, object(), type, {}, set(), ..., NotImplemented]),
)


@given(st.lists(VALUES, max_size=6))
def test_no_value_raises_and_objects_are_spelled_one_by_one(values):
    """Alone, in a column of objects of any library, and among others."""
    column = np.fromiter(values, object, len(values))
    frames = [pd.DataFrame({"x": pd.Series(column, dtype=object)}), pl.DataFrame({"x": pl.Series("x", values, dtype=pl.Object)})]
    expected = [spelling(v) or None for v in values]

    assert expected == texts(column)
    for frame in frames:
        assert expected == [t for batch in Frame.of(frame).batches(["x"]) for t in texts(batch["x"])]


@given(st.lists(VALUES, max_size=6))
def test_times_of_objects_are_read_one_by_one(values):
    """A time among others is the time that it is alone."""
    layout = Layout(format="arrow", timezone="Europe/Paris", time_unit="ms")
    together = as_seconds(np.fromiter(values, object, len(values)), layout, Clock(layout))
    alone = [as_seconds(np.fromiter([v], object, 1), layout, Clock(layout))[0] for v in values]

    np.testing.assert_array_equal(alone, together)


TIMES = {
    pa.int64(): ints(64),
    pa.uint64(): ints(64, False),
    pa.float64(): st.floats(),
    pa.timestamp("us"): NAIVE,
    pa.string(): TEXT,
    pa.timestamp("us", "Asia/Tokyo"): AWARE,
    pa.date32(): st.dates(),
    pa.time64("us"): st.times(),
    pa.decimal128(20, 3): decimals(20, 3),
    pa.duration("us"): st.timedeltas(timedelta(-(10**6)), timedelta(10**6)),
}


@pytest.mark.parametrize("kind", TIMES, ids=str)
@given(data=st.data())
def test_typed_times_are_what_their_values_are_as_objects(kind, data):
    """To the microsecond, for times that are a clock's; exactly, whether a value stands alone or not."""
    values = data.draw(st.lists(st.none() | TIMES[kind], min_size=1, max_size=5))
    layout = Layout(format="arrow", timezone="Europe/Paris")
    typed = as_seconds(pa.array(values, kind), layout, Clock(layout))
    objects = as_seconds(np.fromiter(values, object, len(values)), layout, Clock(layout))

    np.testing.assert_allclose(objects, typed, rtol=1e-15, atol=2e-4)
    np.testing.assert_array_equal(typed[:1], as_seconds(pa.array(values[:1], kind), layout, Clock(layout)))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, "3"),
        (3.0, "3"),
        (np.uint8(3), "3"),
        (np.float16(3), "3"),
        (Decimal("3.000"), "3"),
        (-0.0, "0"),
        (Decimal("-0.0"), "0"),
        (True, "true"),
        (np.bool_(False), "false"),
        (2.5, "2.5"),
        (Decimal("2.50"), "2.5"),
        (1e-7, "0.0000001"),
        (0.1, "0.1"),
        (1e22, "1" + "0" * 22),
        (2**70, "1180591620717411303424"),
        (Decimal("1E+3"), "1000"),
        (date(2026, 3, 1), "2026-03-01"),
        (datetime(2026, 3, 1, 8), "2026-03-01 08:00:00"),
        (time(8, 0, 0, 500), "08:00:00.0005"),
        (timedelta(seconds=-1.5), "-1.5"),
        (datetime(2026, 3, 1, 8, tzinfo=timezone(timedelta(hours=1))), "2026-03-01 07:00:00Z"),
        (np.timedelta64(90, "s"), "90"),
        (pd.Timestamp("2026-03-01 08:00:00.000000001"), "2026-03-01 08:00:00.000000001"),
        (np.datetime64("2026-03"), "2026-03-01"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (bytearray(b"a"), "a"),
        (np.str_("a"), "a"),
        (pd.Timedelta(1), "0.000000001"),
    ],
)
def test_what_is_spelled_how(value, expected):
    """The table of the documentation, value by value."""
    assert expected.encode() == spelling(value)


NOTHING = [
    None,
    float("nan"),
    float("inf"),
    Decimal("sNaN"),
    10**401,
    Decimal("1E+9999999"),
    Decimal("1E-9999999"),
    [1],
    (1,),
    {},
    object(),
    1j,
    pd.NaT,
    pd.NA,
    np.datetime64("NaT"),
    np.datetime64(10**9, "Y"),
    np.array(1),
    np.ma.masked,
    np.timedelta64(1, "M"),
    datetime.max.replace(tzinfo=timezone(timedelta(hours=-1))),
    time(1, tzinfo=UTC),
]


@pytest.mark.parametrize("value", NOTHING, ids=range(len(NOTHING)))
def test_what_has_no_spelling(value):
    """Is missing, and raises nothing."""
    assert spelling(value) is None


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(5e-324)
@example(1.7976931348623157e308)
def test_a_spelling_reads_back_as_the_same_number(value):
    """Numbers lose nothing."""
    assert value == float(spelling(value))


def test_more_names_than_32_bits_can_count(monkeypatch):
    """The numbering goes on with 64 bits; nobody is taken for somebody else."""
    plain, wide = Numbering(), Numbering()
    names = [[f"n{i % 37}" for i in range(start, start + 40)] for start in (0, 3, 30)]
    expected = [plain.number(Spans.of(batch)).tolist() for batch in names]
    monkeypatch.setattr("seqveil.tables.spans._FIT_32_BITS", 60)
    codes = [wide.number(Spans.of(batch)) for batch in names]

    assert expected == [numbers.tolist() for numbers in codes]
    assert [np.int32, np.int64, np.int64] == [numbers.dtype for numbers in codes]


def test_a_lookup_finds_its_longest_name_and_nothing_longer() -> None:
    """What is longer than every name is not hashed; blanks around a name do not make it longer."""
    names = ["a", "längste", ""]
    asked = ["längste", "  längste\t", "längste1", "längst", "a", "x" * 1000, None]

    assert [1, 1, -1, -1, 0, -1, -1] == Lookup(Spans.of(names)).find(Spans.of(asked)).tolist()


@given(st.binary(max_size=12), st.integers(0, 4))
@example("😀".encode(), 3)
def test_the_beginning_of_a_span_is_that_of_its_whole_text(body: bytes, most: int) -> None:
    """Whatever its bytes, and wherever the cut falls."""
    spans = Spans.of([b"\t " + body * 3 + b" "])

    assert spans.text(0)[:most] == spans.text(0, most=most)
