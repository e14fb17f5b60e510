"""Times in other spellings, read after a strptime pattern that the data holder gives.

A pattern becomes a few steps, which a kernel walks along each value: every value is read by itself, and is a time or none.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from seqveil.sources.steps import (
    BLANKS,
    DAY,
    EPOCH,
    FRACTION,
    HALF,
    HOUR,
    HOUR12,
    LITERAL,
    MICROS,
    MINUTE,
    MONTH,
    NAME,
    OFFSET,
    POINT,
    SECOND,
    SHIFT,
    SHORT_YEAR,
    WEEKDAY,
    WORDS,
    YEAR,
    YEARDAY,
    ZONE,
    steps_of,
)  # fmt: skip
from seqveil.sources.times import days_of, month_days
from seqveil.sources.zone import zone
from seqveil.tables.spans import Spans, trim

_NO_MOMENT = np.int64(-(2**63))
_NO_SHIFT = 10**6


@numba.njit(cache=True)
def _digits(data, at, end, least, most):  # type: ignore[no-untyped-def]
    """(number, where it ends) of so many digits after blanks; -1 when there are too few."""
    while at < end and data[at] == 32:
        at += 1
    value, begin = np.int64(0), at
    while at < end and at - begin < most and 48 <= data[at] <= 57:
        value = value * 10 + (np.int64(data[at]) - 48)
        at += 1
    return (value, at) if at - begin >= least else (np.int64(-1), at)


@numba.njit(cache=True)
def _fraction(data, at, end, least, most):  # type: ignore[no-untyped-def]
    """(microseconds, where they end) of the digits of a fraction; finer ones are cut off."""
    value, begin = np.int64(0), at
    while at < end and at - begin < most and 48 <= data[at] <= 57:
        if at - begin < 6:
            value = value * 10 + (np.int64(data[at]) - 48)
        at += 1
    for _ in range(at - begin, 6):
        value *= 10
    return (value, at) if at - begin >= least else (np.int64(-1), at)


@numba.njit(cache=True)
def _word(data, at, end, words, first, last):  # type: ignore[no-untyped-def]
    """(which word, where it ends), whole or its first three letters, in letters of any size; -1 for none."""
    for w in range(first, last):
        n = 0
        while words[w, n] and at + n < end and (data[at + n] | 32) == words[w, n]:
            n += 1
        if not words[w, n]:
            return w - first, at + n
        if n >= 3:
            return w - first, at + 3
    return -1, at


@numba.njit(cache=True)
def _shift(data, at, end):  # type: ignore[no-untyped-def]
    """(seconds east of UTC, where it ends) of Z, +HH, +HHMM or +HH:MM; a day and more for none."""
    if at < end and (data[at] == 90 or data[at] == 122):
        return 0, at + 1
    if at >= end or (data[at] != 43 and data[at] != 45):
        return _NO_SHIFT, at
    sign = 1 if data[at] == 43 else -1
    hours, at = _digits(data, at + 1, end, 2, 2)
    minutes, stop = _digits(data, at + 1 if at < end and data[at] == 58 else at, end, 2, 2)
    if hours < 0 or hours > 23 or minutes > 59:
        return _NO_SHIFT, at
    return (sign * hours * 3600, at) if minutes < 0 else (sign * (hours * 3600 + minutes * 60), stop)


@numba.njit(cache=True)
def _filled(data, at, end, steps, words, fields):  # type: ignore[no-untyped-def]
    """Walk the steps along one value and fill its fields; whether it fits to its end."""
    fields[:] = -1
    fields[OFFSET] = 0
    for s in range(len(steps)):
        do, field, first, last = steps[s]
        if do == BLANKS:
            while at < end and (data[at] == 32 or data[at] == 9):
                at += 1
            continue
        if do == LITERAL:
            if at >= end or data[at] != field:
                return False
            at += 1
            continue
        if do == ZONE:
            while at < end and (65 <= data[at] <= 90 or 97 <= data[at] <= 122):
                at += 1
            continue
        if do == SHIFT:
            value, at = _shift(data, at, end)
            if value == _NO_SHIFT:
                return False
        elif do == NAME:
            value, at = _word(data, at, end, words, first, last)
            value += 1 if field == MONTH and value >= 0 else 0
        elif do == POINT:
            point = at < end and data[at] == 46
            value, at = _fraction(data, at + 1, end, first, last) if point else (np.int64(0), at)
        elif do == FRACTION:
            value, at = _fraction(data, at, end, first, last)
        else:
            value, at = _digits(data, at, end, first, last)
            if do == SHORT_YEAR and value >= 0:
                value += 1900 if value >= 70 else 2000
        if do != SHIFT and (value < 0 or (fields[field] >= 0 and fields[field] != value)):
            return False
        fields[field] = value
    return at == end


@numba.njit(cache=True)
def _micros(fields):  # type: ignore[no-untyped-def]
    """Microseconds since 1970 of the fields of one value, or the least number when they are no moment."""
    micros = max(fields[MICROS], 0)
    if fields[EPOCH] >= 0:
        return fields[EPOCH] * 1_000_000 + micros
    year, month, day, hour = fields[YEAR], fields[MONTH], fields[DAY], max(fields[HOUR], 0)
    if month < 0 and day < 0:
        if not 1 <= fields[YEARDAY] <= days_of(year + 1, 1, 1) - days_of(year, 1, 1):
            return _NO_MOMENT
        days = days_of(year, 1, 1) + fields[YEARDAY] - 1
    elif 1 <= month <= 12 and 1 <= day <= month_days(year, month):
        days = days_of(year, month, day)
    else:
        return _NO_MOMENT
    if fields[WEEKDAY] >= 0 and (days + 3) % 7 != fields[WEEKDAY]:
        return _NO_MOMENT
    if fields[HOUR12] >= 0:
        if not 1 <= fields[HOUR12] <= 12:
            return _NO_MOMENT
        hour = fields[HOUR12] % 12 + 12 * fields[HALF]
    minute, second = max(fields[MINUTE], 0), max(fields[SECOND], 0)
    if hour > 23 or minute > 59 or second > 60:
        return _NO_MOMENT
    return (days * 86400 + hour * 3600 + minute * 60 + second - fields[OFFSET]) * 1_000_000 + micros


@numba.njit(cache=True)
def _parse(data, starts, ends, steps, words, seconds):  # type: ignore[no-untyped-def]
    fields = np.empty(13, np.int64)
    for i in range(len(starts)):
        start, end = trim(data, starts[i], ends[i])
        seconds[i] = np.nan
        if start < end and _filled(data, start, end, steps, words, fields):
            micros = _micros(fields)
            if micros != _NO_MOMENT:
                seconds[i] = micros / 1e6


def parse_pattern(spans: Spans, pattern: str, timezone: str = "UTC") -> NDArray[np.float64]:
    """Seconds since 1970 in UTC of times written after a pattern that `pattern_reads`; NaN for what does not fit.

    >>> parse_pattern(Spans.of(["03/04/2012 18:00", "2012"]), "%d/%m/%Y %H:%M").tolist()
    [1333476000.0, nan]
    """
    steps = steps_of(pattern)
    assert steps is not None
    seconds = np.empty(len(spans.starts), np.float64)
    _parse(*spans.fixed(), steps.table, WORDS, seconds)
    if timezone != "UTC" and not steps.fields & {OFFSET, EPOCH}:
        finite = np.isfinite(seconds)
        seconds[finite] = zone(timezone).from_local(seconds[finite])
    return seconds


def pattern_reads(pattern: str) -> bool:
    """Whether a pattern can be used at all: it must name a day with its year, and a clock from hours down.

    A pattern without a year would read every time into one made-up year, and order December before January.

    >>> pattern_reads("%d/%m/%Y %H:%M"), pattern_reads("%Q"), pattern_reads("%d %B"), pattern_reads("%Y-%m-%d %I:%M")
    (True, False, False, False)
    """
    steps = steps_of(pattern)
    if steps is None:
        return False
    has = steps.fields
    hour = HOUR in has or {HOUR12, HALF} <= has
    clock = (hour or not has & {HOUR12, HALF, MINUTE}) and (MINUTE in has or not has & {SECOND, MICROS})
    return EPOCH in has or (clock and YEAR in has and ({MONTH, DAY} <= has or YEARDAY in has))
