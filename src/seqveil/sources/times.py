"""Times, each read on its own: an epoch number, an ISO 8601 time or a time of day becomes seconds; anything else becomes NaN.

A time of day without a date is one of 1970-01-01.

Seconds are float64, which keeps the order of present-day times to the microsecond and takes numbers of any size. A
value is never read in the light of another one, so one person's odd time cannot change how the next person's is read.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from seqveil.sources.zone import zone
from seqveil.tables.spans import Spans, trim

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
"""Seconds in one unit of a plain number."""


@numba.njit(cache=True)
def _digits(data, at, end, n):  # type: ignore[no-untyped-def]
    """The number spelled by n digits at `at`, or -1."""
    if at + n > end:
        return -1
    value = 0
    for i in range(at, at + n):
        if data[i] < 48 or data[i] > 57:
            return -1
        value = value * 10 + (data[i] - 48)
    return value


@numba.njit(cache=True)
def _number(data, start, end):  # type: ignore[no-untyped-def]
    """A plain decimal number, with sign, fraction and exponent; NaN when it is none."""
    at = start
    sign = 1.0
    if data[at] == 45 or data[at] == 43:
        sign = -1.0 if data[at] == 45 else 1.0
        at += 1
    mantissa, power, seen, after_point = np.int64(0), 0, 0, False
    while at < end and ((48 <= data[at] <= 57) or (data[at] == 46 and not after_point)):
        if data[at] == 46:
            after_point = True
        else:
            seen += 1
            if mantissa < 10**17:
                mantissa = mantissa * 10 + (np.int64(data[at]) - 48)
                power -= 1 if after_point else 0
            else:
                power += 0 if after_point else 1
        at += 1
    if seen == 0:
        return np.nan
    if at < end and (data[at] == 101 or data[at] == 69):
        at += 1
        minus = at < end and data[at] == 45
        if at < end and (data[at] == 45 or data[at] == 43):
            at += 1
        exponent = _digits(data, at, end, min(end - at, 4)) if end - at >= 1 else -1
        if exponent < 0 or end - at > 4:
            return np.nan
        power += -exponent if minus else exponent
        at = end
    if at < end or power > 300:
        return np.nan
    if power < -300:
        return 0.0
    # an exact power of ten on one side of one division rounds once: equal numbers spelled differently stay equal
    size = float(mantissa) * 10.0**power if power >= 0 else float(mantissa) / 10.0 ** (-power)
    return sign * size


@numba.njit(cache=True)
def days_of(year, month, day):  # type: ignore[no-untyped-def]
    """Days from 1970-01-01 in the proleptic Gregorian calendar; years begin in March so that leap days come last."""
    year -= 1 if month <= 2 else 0
    era = year // 400
    in_era = year - era * 400
    in_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146097 + in_era * 365 + in_era // 4 - in_era // 100 + in_year - 719468


@numba.njit(cache=True)
def month_days(year, month):  # type: ignore[no-untyped-def]
    if month == 2:
        return 29 if (year % 4 == 0 and year % 100 != 0) or year % 400 == 0 else 28
    return 30 if month in (4, 6, 9, 11) else 31


@numba.njit(cache=True)
def _clock(data, at, end):  # type: ignore[no-untyped-def]
    """HH[:MM[:SS[.fff]]] or HHMM[SS]: seconds into the day and where the clock ends, or (-1, at)."""
    hour = _digits(data, at, end, 2)
    if hour < 0 or hour > 24:
        return -1.0, at
    at += 2
    colon = 1 if at < end and data[at] == 58 else 0
    minute = _digits(data, at + colon, end, 2)
    if minute < 0:
        return (-1.0, at) if colon else (hour * 3600.0, at)
    at += colon + 2
    second = _digits(data, at + colon, end, 2) if not colon or (at < end and data[at] == 58) else -1
    seconds = 0.0
    if second >= 0:
        at += colon + 2
        seconds = float(second)
        if at + 1 < end and (data[at] == 46 or data[at] == 44) and 48 <= data[at + 1] <= 57:
            at += 1
            whole, scale = np.int64(0), np.int64(1)
            while at < end and 48 <= data[at] <= 57:
                if scale < 10**15:
                    whole, scale = whole * 10 + (np.int64(data[at]) - 48), scale * 10
                at += 1
            seconds += whole / scale
    if minute > 59 or seconds >= 61 or (hour == 24 and minute + seconds > 0):
        return -1.0, at
    return hour * 3600.0 + minute * 60.0 + seconds, at


@numba.njit(cache=True)
def _iso(data, start, end):  # type: ignore[no-untyped-def]
    """(seconds, has an offset) of an ISO 8601 date or time; NaN when it is none."""
    at = start
    year = _digits(data, at, end, 4)
    at += 4
    mark = data[at] if at < end else np.uint8(0)
    dashed = mark == 45 or mark == 47
    at += 1 if dashed else 0
    month = _digits(data, at, end, 2)
    at += 2
    if dashed and (at >= end or data[at] != mark):
        return np.nan, False
    at += 1 if dashed else 0
    day = _digits(data, at, end, 2)
    at += 2
    if year < 1 or not 1 <= month <= 12 or not 1 <= day <= month_days(year, month):
        return np.nan, False
    seconds = days_of(year, month, day) * 86400.0
    if at == end:
        return seconds, False
    if data[at] != 84 and data[at] != 116 and data[at] != 32:
        return np.nan, False
    clock, at = _clock(data, at + 1, end)
    if clock < 0:
        return np.nan, False
    seconds += clock
    while at < end and data[at] == 32:
        at += 1
    if at == end:
        return seconds, False
    if (data[at] == 90 or data[at] == 122) and at + 1 == end:
        return seconds, True
    if data[at] == 43 or data[at] == 45:
        shift, stop = _clock(data, at + 1, end)
        if shift >= 0 and stop == end:
            return (seconds - shift if data[at] == 43 else seconds + shift), True
    return np.nan, False


@numba.njit(cache=True)
def _time_of_day(data, start, end):  # type: ignore[no-untyped-def]
    """Seconds of H:MM, HH:MM or HH:MM:SS[.fff]; after midnight it may count on to 99:59, as timetables do. Else NaN."""
    colon = start + 1 if start + 1 < end and data[start + 1] == 58 else start + 2
    if colon >= end or data[colon] != 58:
        return np.nan
    hour, minute = _digits(data, start, colon, colon - start), _digits(data, colon + 1, end, 2)
    if hour < 0 or hour > 99 or minute < 0 or minute > 59:
        return np.nan
    at, seconds = colon + 3, 0.0
    if at < end:
        digit = data[at] == 58 and at + 3 <= end and 48 <= data[at + 1] <= 57
        seconds = _number(data, at + 1, end) if digit else np.nan
    return hour * 3600.0 + minute * 60.0 + seconds if 0 <= seconds < 61 else np.nan


@numba.njit(cache=True)
def _parse(data, starts, ends, unit, seconds, local):  # type: ignore[no-untyped-def]
    for i in range(len(starts)):
        start, end = trim(data, starts[i], ends[i])
        seconds[i], local[i] = np.nan, False
        if start == end:
            continue
        value = _number(data, start, end) * unit
        if np.isfinite(value):
            seconds[i] = value
        else:
            seconds[i], absolute = _iso(data, start, end)
            local[i] = not absolute
            if np.isnan(seconds[i]):
                seconds[i] = _time_of_day(data, start, end)


def parse_times(spans: Spans, unit: str = "s", timezone: str = "UTC") -> NDArray[np.float64]:
    """Seconds since 1970 in UTC of every span; numbers count `unit`s, ISO times without an offset are in `timezone`.

    >>> parse_times(Spans.of(["0", "1.5", "1970-01-01T00:01Z", "1970-01-01 01:00:00+01:00", "00:02", "soon", None])).tolist()
    [0.0, 1.5, 60.0, 0.0, 120.0, nan, nan]
    """
    seconds = np.empty(len(spans.starts), np.float64)
    local = np.empty(len(spans.starts), np.bool_)
    _parse(*spans.fixed(), UNITS[unit], seconds, local)
    if timezone != "UTC" and local.any():
        seconds[local] = zone(timezone).from_local(seconds[local])
    return seconds
