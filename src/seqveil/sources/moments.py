"""Times in columns of Python objects: each value is read by its own type, whatever stands in the other rows."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.sources.clock import Clock
from seqveil.sources.layout import Layout
from seqveil.sources.times import UNITS
from seqveil.sources.zone import zone
from seqveil.tables.spans import Spans
from seqveil.tables.spelling import counted, is_day, nanoseconds, of_day, span, spelling

_TEXT = (str, bytes, bytearray, memoryview)
_NUMBERS = (int, float, Decimal, np.integer, np.floating)


def moments(values: NDArray[np.object_], layout: Layout, clock: Clock) -> NDArray[np.float64]:
    """Sort keys: text is read by the clock, and everything else as a column of its type would be. NaN for what is no time.

    >>> layout = Layout(format="arrow", time_unit="m")
    >>> moments(np.array(["1970-01-02", 2, timedelta(hours=1), date(1970, 1, 3), None], object), layout, Clock(layout)).tolist()
    [86400.0, 120.0, 3600.0, 172800.0, nan]
    """
    seconds = clock.read(Spans.of([spelling(value) if isinstance(value, _TEXT) else None for value in values]))
    unit = UNITS[layout.time_unit]
    local = np.zeros(len(values), np.bool_)
    for i, value in enumerate(values):
        if not isinstance(value, _TEXT):
            seconds[i], local[i] = _moment(value, unit)
    if layout.timezone != "UTC" and local.any():
        seconds[local] = zone(layout.timezone).from_local(seconds[local])
    return seconds


def _moment(value: Any, unit: float) -> tuple[float, bool]:
    """Seconds, and whether they are counted on the wall clock of an unnamed zone; NaN for everything that raises."""
    try:
        return _read(value, unit)
    except Exception:
        return float("nan"), False


def _read(value: Any, unit: float) -> tuple[float, bool]:
    if isinstance(value, bool | np.bool_):
        return float("nan"), False
    if isinstance(value, np.timedelta64):
        return _seconds(*counted(value)), False
    if isinstance(value, _NUMBERS):
        return float(value) * unit, False
    if isinstance(value, datetime):
        ticks, absolute = nanoseconds(value)
        return _seconds(ticks, 9), not absolute
    if isinstance(value, date):
        return (date.toordinal(value) - date(1970, 1, 1).toordinal()) * 86400.0, True
    if isinstance(value, np.datetime64):
        return _seconds(*counted(value.astype("datetime64[D]") if is_day(value) else value)), True
    if isinstance(value, time):
        return _seconds(of_day(value), 9), True
    if isinstance(value, timedelta):
        return _seconds(span(value), 9), False
    return float("nan"), False


def _seconds(ticks: int, digits: int) -> float:
    return float(ticks) / float(10**digits)
