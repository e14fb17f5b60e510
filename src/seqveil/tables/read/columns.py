"""Arrow columns as text and as times. What a column can be used for is decided by its type, never by its values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from seqveil.tables.read.clock import Clock
from seqveil.tables.read.layout import Layout
from seqveil.tables.read.times import UNITS
from seqveil.tables.read.zone import zone
from seqveil.tables.spans import Spans

_TICKS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}


def is_list(kind: Any) -> bool:
    """Whether each row of a column holds a whole sequence."""
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def is_text_like(kind: Any) -> bool:
    """Whether values have a spelling: text, bytes, numbers, booleans, times. Tried on a column without values.

    >>> is_text_like(pa.int8()), is_text_like(pa.struct({"a": pa.int8()}))
    (True, False)
    """
    try:
        as_text(pa.nulls(1, kind))
    except pa.ArrowException:
        return False
    return True


def is_time_like(kind: Any) -> bool:
    """Whether values can be ordered as times, tried likewise."""
    layout = Layout("arrow")
    try:
        as_seconds(pa.nulls(1, kind), layout, Clock(layout))
    except pa.ArrowException:
        return False
    return not pa.types.is_boolean(kind)


def _plain(column: Any) -> Any:
    """The values themselves, without a dictionary or an extension type around them."""
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def as_text(column: Any) -> Spans:
    """The spelling of every value; NaN and null are missing, and a float that is whole is spelled as an integer.

    >>> spans = as_text(pa.array([3.0, 2.5, None]))
    >>> [spans.text(i) for i in range(3)]
    ['3', '2.5', '']
    """
    column = _plain(column)
    kind = column.type
    if pa.types.is_floating(kind):
        column = _spelled_floats(column)
    elif not _is_bytes(kind) and not pa.types.is_null(kind):
        column = _cast(column, pa.large_string())
    return Spans.of(column)


def _is_bytes(kind: Any) -> bool:
    """Text of every width, and bytes, which may be no text at all."""
    return any(
        test(kind)
        for test in (
            pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_binary,
            pa.types.is_large_binary, pa.types.is_binary_view, pa.types.is_fixed_size_binary,
        )
    )  # fmt: skip


def _cast(column: Any, kind: Any) -> Any:
    """The column in another type, value by value: what does not fit becomes missing instead of raising for all."""
    try:
        return column.cast(kind)
    except pa.ArrowInvalid:
        return pa.array([_one(value, kind) for value in column], kind)


def _one(value: Any, kind: Any) -> Any:
    try:
        return value.cast(kind).as_py()
    except (pa.ArrowInvalid, ValueError, OverflowError):
        return None


def _spelled_floats(column: Any) -> Any:
    values = column.cast(pa.float64()).to_numpy(zero_copy_only=False)
    with np.errstate(invalid="ignore"):
        whole = (values == np.floor(values)) & (np.abs(values) < 2**53)
    integers = pa.array(np.where(whole, values, 0).astype(np.int64)).cast(pa.large_string())
    spelled = pc.if_else(pa.array(whole), integers, pa.array(values).cast(pa.large_string()))
    return pc.if_else(pa.array(np.isfinite(values)), spelled, pa.scalar(None, pa.large_string()))


def as_seconds(column: Any, layout: Layout, clock: Clock) -> NDArray[np.float64]:
    """Sort keys of a time column, NaN where a value is missing or no time.

    >>> layout = Layout("arrow", time_unit="m")
    >>> as_seconds(pa.array([2, None]), layout, Clock(layout)).tolist()
    [120.0, nan]
    """
    column = _plain(column)
    kind = column.type
    if _is_bytes(kind) or pa.types.is_null(kind) or layout.time_format == "text":
        return clock.read(as_text(column))
    if pa.types.is_timestamp(kind):
        seconds = _floats(column.cast(pa.int64())) / _TICKS[kind.unit]
        return seconds if kind.tz is not None else _from_local(seconds, layout.timezone)
    if pa.types.is_date(kind):
        days = _floats(column.cast(pa.int32() if pa.types.is_date32(kind) else pa.int64()))
        return _from_local(days * 86400.0 if pa.types.is_date32(kind) else days / 1e3, layout.timezone)
    if pa.types.is_time(kind) or pa.types.is_duration(kind):
        ticks = column.cast(pa.int32() if pa.types.is_time32(kind) else pa.int64())
        return _floats(ticks) / _TICKS[kind.unit]
    with np.errstate(over="ignore"):  # a warning about somebody's absurd time would tell of it
        return _floats(_cast(column, pa.float64())) * UNITS[layout.time_unit]


def _floats(column: Any) -> NDArray[np.float64]:
    with np.errstate(invalid="ignore"):
        return np.array(column.to_numpy(zero_copy_only=False), np.float64)


def _from_local(seconds: NDArray[np.float64], timezone: str) -> NDArray[np.float64]:
    known = np.isfinite(seconds)
    if timezone != "UTC":
        seconds[known] = zone(timezone).from_local(seconds[known])
    return seconds
