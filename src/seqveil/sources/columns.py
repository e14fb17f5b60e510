"""Columns as text and as times. What a column can be used for is decided by its type, never by its values.

A column is an Arrow array, or a NumPy array of Python objects where a library keeps values of any type. Typed columns are spelled
all at once; every path gives each value what `tables.spelling` gives it alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from seqveil.sources.clock import Clock
from seqveil.sources.layout import Layout
from seqveil.sources.moments import moments
from seqveil.sources.times import UNITS
from seqveil.sources.zone import zone
from seqveil.tables.spans import Spans
from seqveil.tables.spelling import spelling

_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}
_SECOND = {unit: 10.0**digits for unit, digits in _DIGITS.items()}
_YEAR_1, _YEAR_10000 = -62_135_596_800, 253_402_300_800
"""Seconds since 1970 between which dates can be written with four digits."""


class _Objects(pa.ExtensionType):  # type: ignore[misc]  # PyArrow has no types
    """Stands in a schema for a column of Python objects, whose values may be anything."""

    def __init__(self) -> None:
        super().__init__(pa.null(), "seqveil.objects")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""


OBJECTS = _Objects()


def is_list(kind: Any) -> bool:
    """Whether each row of a column holds a whole sequence."""
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def is_text_like(kind: Any) -> bool:
    """Whether values have a spelling: text, bytes, numbers, booleans, times. Tried on a column without values.

    >>> is_text_like(pa.int8()), is_text_like(pa.struct({"a": pa.int8()}))
    (True, False)
    """
    try:
        as_text(_without_values(kind))
    except pa.ArrowException:
        return False
    return True


def is_time_like(kind: Any) -> bool:
    """Whether values can be ordered as times, tried likewise."""
    layout = Layout(format="arrow")
    try:
        as_seconds(_without_values(kind), layout, Clock(layout))
    except pa.ArrowException:
        return False
    return not pa.types.is_boolean(kind)


def _without_values(kind: Any) -> Any:
    return np.empty(1, object) if kind == OBJECTS else pa.nulls(1, kind)


def _plain(column: Any) -> Any:
    """The values themselves, without a dictionary, runs or an extension type around them."""
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        return _unwrapped(column, kind.extension_name)
    if pa.types.is_dictionary(kind):
        return _plain(column.dictionary_decode())
    return _plain(pc.run_end_decode(column)) if pa.types.is_run_end_encoded(kind) else column


def _unwrapped(column: Any, name: str) -> Any:
    """Extension types whose values have a spelling. Of all others the storage (a count of months, a pointer) is no value."""
    if name == "arrow.uuid":
        return pa.array([None if value is None else spelling(value) for value in column.to_pylist()], pa.large_binary())
    if name == "arrow.bool8":
        return pc.not_equal(column.storage, 0)
    if name == "arrow.json":
        return _plain(column.storage)
    raise pa.ArrowNotImplementedError(name)


def as_text(column: Any) -> Spans:
    """The spelling of every value, empty where one is missing or has none.

    >>> spans = as_text(pa.array([3.0, 2.5, None]))
    >>> [spans.text(i) for i in range(3)]
    ['3', '2.5', '']
    """
    if isinstance(column, np.ndarray):
        return Spans.of(_one_by_one(column))
    if pa.types.is_dictionary(column.type):
        return _referred(column)
    column = _plain(column)
    kind = column.type
    if pa.types.is_floating(kind):
        column = _floats(column)
    elif pa.types.is_decimal(kind):
        column = _decimals(column, kind.scale)
    elif pa.types.is_timestamp(kind):
        texts = _clocks(column, _YEAR_1, _YEAR_10000, pa.timestamp("s"))
        column = texts if kind.tz is None else _joined(texts, _said("Z"))
    elif pa.types.is_date(kind):
        column = _days(column, kind)
    elif pa.types.is_time(kind):
        column = _clocks(column, 0, 86400, pa.time32("s"))
    elif pa.types.is_duration(kind):
        ticks = column.cast(pa.int64()).to_pylist()
        column = _one_by_one([None if t is None else np.timedelta64(t, kind.unit) for t in ticks])
    elif not is_bytes(kind) and not pa.types.is_null(kind):
        column = column.cast(pa.large_string())  # whole numbers and booleans; other types have no such cast
    return Spans.of(column)


def _referred(column: Any) -> Spans:
    """A dictionary is spelled once. Rows point into it: written out, one long text could take all memory."""
    values = as_text(column.dictionary)
    if not len(values.starts):
        return as_text(pa.nulls(len(column)))
    places, valid = _ticks(column.indices)
    starts = values.starts[places]
    return Spans(values.data, starts, np.where(valid, values.ends[places], starts))


def is_bytes(kind: Any) -> bool:
    """Text of every width, and bytes, which may be no text at all."""
    return any(
        test(kind)
        for test in (
            pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_binary,
            pa.types.is_large_binary, pa.types.is_binary_view, pa.types.is_fixed_size_binary,
        )
    )  # fmt: skip


def _one_by_one(values: Any) -> Any:
    return pa.array([spelling(value) for value in values], pa.large_binary())


def _floats(column: Any) -> Any:
    values = _numbers(column.cast(pa.float64()))
    valid = np.isfinite(values)
    with np.errstate(invalid="ignore"):
        whole = valid & (values == np.floor(values)) & (np.abs(values) < 2.0**63)
    integers = pa.array(np.where(whole, values, 0.0).astype(np.int64), mask=~valid).cast(pa.large_string())
    other = valid & ~whole
    if not other.any():
        return integers
    return pc.replace_with_mask(integers, pa.array(other), _not_whole(pa.array(values[other])))


def _not_whole(values: Any) -> Any:
    """Arrow writes the fewest digits, too, but very large and very small numbers with an exponent: those one by one."""
    texts = values.cast(pa.large_string())
    return _corrected(texts, pc.match_substring(texts, "e"), values)


def _decimals(column: Any, scale: int) -> Any:
    texts = column.cast(pa.large_string())
    powers = pc.match_substring(texts, "E")
    if scale > 0:
        trimmed = pc.utf8_rtrim(pc.utf8_rtrim(texts, characters="0"), characters=".")
        texts = pc.if_else(powers, texts, trimmed)
    return _corrected(texts, powers, column)


def _corrected(texts: Any, rows: Any, values: Any) -> Any:
    """Texts of which some rows are spelled one by one instead."""
    if not pc.any(rows).as_py():
        return texts
    return pc.replace_with_mask(
        texts, rows.fill_null(False), _one_by_one(values.filter(rows).to_pylist()).cast(pa.large_string())
    )


def _days(column: Any, kind: Any) -> Any:
    days, valid = _ticks(column.cast(pa.int32() if pa.types.is_date32(kind) else pa.int64()))
    days = days if pa.types.is_date32(kind) else days // 86_400_000
    valid &= (days >= _YEAR_1 // 86400) & (days < _YEAR_10000 // 86400)
    return pa.array(np.where(valid, days, 0).astype(np.int32), mask=~valid).cast(pa.date32()).cast(pa.large_string())


def _clocks(column: Any, first: int, end: int, seconds: Any) -> Any:
    """Whole seconds as Arrow writes them, then as much of a fraction as there is; missing outside of first .. end - 1."""
    digits = _DIGITS[column.type.unit]
    ticks, valid = _ticks(column.cast(pa.int32() if pa.types.is_time32(column.type) else pa.int64()))
    whole, rest = np.divmod(ticks, 10**digits)
    valid &= (whole >= first) & (whole < end)
    plain = pa.array(np.where(valid, whole, 0).astype(np.int32 if pa.types.is_time32(seconds) else np.int64), mask=~valid)
    texts = plain.cast(seconds).cast(pa.large_string())
    if not digits:
        return texts
    # A digit before the fraction keeps its zeros; without a fraction it goes as well.
    padded = pc.utf8_rtrim(pa.array(rest + 10**digits).cast(pa.large_string()), characters="0")
    fraction = pc.if_else(pa.array(rest == 0), _said(""), _joined(_said("."), pc.utf8_slice_codeunits(padded, 1)))
    return _joined(texts, fraction)


def _joined(first: Any, second: Any) -> Any:
    return pc.binary_join_element_wise(first, second, _said(""))


def _said(text: str) -> Any:
    return pa.scalar(text, pa.large_string())


def _ticks(column: Any) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """A column of integers as 64-bit ones, 0 where there is none, and where there is one."""
    return (
        column.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64),
        np.array(column.is_valid().to_numpy(zero_copy_only=False), np.bool_),
    )


def as_seconds(column: Any, layout: Layout, clock: Clock) -> NDArray[np.float64]:
    """Sort keys of a time column, NaN where a value is missing or no time.

    >>> layout = Layout(format="arrow", time_unit="m")
    >>> as_seconds(pa.array([2, None]), layout, Clock(layout)).tolist()
    [120.0, nan]
    """
    if layout.time_format == "text":
        return clock.read(as_text(column))
    if isinstance(column, np.ndarray):
        return moments(column, layout, clock)
    if pa.types.is_dictionary(column.type):
        seconds = np.append(as_seconds(column.dictionary, layout, clock), np.nan)
        places, valid = _ticks(column.indices)
        return np.where(valid, seconds[places], np.nan)
    column = _plain(column)
    kind = column.type
    if is_bytes(kind) or pa.types.is_null(kind):
        return clock.read(as_text(column))
    if pa.types.is_timestamp(kind):
        seconds = _numbers(column.cast(pa.int64())) / _SECOND[kind.unit]
        return seconds if kind.tz is not None else _from_local(seconds, layout.timezone)
    if pa.types.is_date(kind):
        days = _numbers(column.cast(pa.int32() if pa.types.is_date32(kind) else pa.int64()))
        return _from_local(days * 86400.0 if pa.types.is_date32(kind) else days / 1e3, layout.timezone)
    if pa.types.is_time(kind) or pa.types.is_duration(kind):
        ticks = column.cast(pa.int32() if pa.types.is_time32(kind) else pa.int64())
        seconds = _numbers(ticks) / _SECOND[kind.unit]
        return _from_local(seconds, layout.timezone) if pa.types.is_time(kind) else seconds
    if not pa.types.is_integer(kind):  # NumPy takes integers of any size: Arrow would refuse a column with one above 2^53
        column = column.cast(pa.float64())
    with np.errstate(over="ignore"):  # a warning about somebody's absurd time would tell of it
        return _numbers(column) * UNITS[layout.time_unit]


def _numbers(column: Any) -> NDArray[np.float64]:
    """A column of numbers as floats, NaN where there is none."""
    with np.errstate(invalid="ignore"):
        return np.array(column.to_numpy(zero_copy_only=False), np.float64)


def _from_local(seconds: NDArray[np.float64], timezone: str) -> NDArray[np.float64]:
    valid = np.isfinite(seconds)
    if timezone != "UTC":
        seconds[valid] = zone(timezone).from_local(seconds[valid])
    return seconds
