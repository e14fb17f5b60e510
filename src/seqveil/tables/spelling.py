"""Spelling: the one rule by which a single value becomes the bytes of a label, a user or a session.

A value is spelled by looking at that value alone: never at its column, its neighbours or a type that was inferred from them. So
nobody's value can change how another person's is read. `spelling` is the reference; faster paths for typed columns
(`sources.columns`) are tested to be equal to it.

| value | spelling |
|---|---|
| text | its UTF-8 bytes |
| bytes | as they are |
| whole number (`3`, `3.0`, `numpy.int8(3)`, `Decimal("3.00")`) | `3`: digits only, whatever its type |
| other number | the fewest digits that read back as the same number, without an exponent: `2.5`, `0.0000001` |
| boolean | `true`, `false` |
| date | `2026-03-01` |
| time of day, date and time | `08:00:00`, `2026-03-01 08:00:00.5`; with a time zone, in UTC: `2026-03-01 07:00:00.5Z` |
| duration | its seconds, as a number |
| UUID | its usual text |
| everything else, and None, NaN, infinity, NaT, NA, years outside 1–9999, numbers of more than 400 digits | missing |
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np

MOST_DIGITS = 400
"""Digits before and after the point: more than any float has. Expanding `Decimal("1E+999999")` would fill the memory."""

_BEYOND = 10**MOST_DIGITS
_EPOCH = datetime(1970, 1, 1)
_FIRST_DAY = _EPOCH.toordinal()
_DIGITS = {"h": 0, "m": 0, "s": 0, "ms": 3, "us": 6, "ns": 9, "ps": 12, "fs": 15, "as": 18}
_SECONDS = {"W": 604800, "D": 86400, "h": 3600, "m": 60}

Rule = Callable[[Any], bytes | None]


def spelling(value: Any) -> bytes | None:
    """The spelling of one value, None when it is missing or has none. Raises for no value.

    >>> [spelling(v) for v in ("é", b"a", 3, 3.0, Decimal("3.00"), True, 2.50, 1e-7)]
    [b'\\xc3\\xa9', b'a', b'3', b'3', b'3', b'true', b'2.5', b'0.0000001']
    >>> [spelling(v) for v in (None, float("nan"), [1], {}, Decimal("1E+999999"))]
    [None, None, None, None, None]
    >>> spelling(datetime(2026, 3, 1, 8, 0, 0, 500_000)), spelling(timedelta(seconds=90))
    (b'2026-03-01 08:00:00.5', b'90')
    """
    return _RULES[type(value)](value)


def _text(value: str) -> bytes:
    return str.encode(value, "utf-8", "surrogatepass")


def _integer(value: Any) -> bytes | None:
    number = int(value)
    return int.__repr__(number).encode() if -_BEYOND < number < _BEYOND else None


def _boolean(value: Any) -> bytes:
    return b"true" if value else b"false"


def _float(value: Any) -> bytes | None:
    number = float(value)
    if number.is_integer():  # also false for NaN and infinity
        return int.__repr__(int(number)).encode()
    return _decimal(Decimal(float.__repr__(number)))


def _decimal(value: Decimal) -> bytes | None:
    if not value.is_finite():
        return None
    if not value:
        return b"0"
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int) or value.adjusted() >= MOST_DIGITS or exponent < -MOST_DIGITS:
        return None
    text = format(value, "f")
    return (text.rstrip("0").rstrip(".") if "." in text else text).encode()


def _fraction(rest: int, digits: int) -> str:
    """What follows the whole seconds, without the zeros at its end."""
    return f".{rest:0{digits}d}".rstrip("0") if rest else ""


def _instant(ticks: int, digits: int, absolute: bool = False) -> bytes:
    """Ticks of 10^-digits seconds since 1970; raises OverflowError outside the calendar."""
    whole, rest = divmod(ticks, 10**digits)
    at = _EPOCH + timedelta(seconds=whole)
    return f"{at.isoformat(' ')}{_fraction(rest, digits)}{'Z' if absolute else ''}".encode()


def _duration(ticks: int, digits: int) -> bytes:
    whole, rest = divmod(abs(ticks), 10**digits)
    return f"{'-' if ticks < 0 else ''}{whole}{_fraction(rest, digits)}".encode()


def nanoseconds(value: datetime) -> tuple[int, bool]:
    """Nanoseconds since 1970, and whether they are counted in UTC (else on the wall clock of an unnamed zone)."""
    seconds = (value.toordinal() - _FIRST_DAY) * 86400 + value.hour * 3600 + value.minute * 60 + value.second
    ticks = seconds * 10**9 + value.microsecond * 1000 + int(getattr(value, "nanosecond", 0))
    shift = value.utcoffset()
    return (ticks, False) if shift is None else (ticks - span(shift), True)


def span(value: timedelta) -> int:
    """Nanoseconds of a duration; pandas counts those below a microsecond apart."""
    ticks = (value.days * 86400 + value.seconds) * 10**9 + value.microseconds * 1000
    return ticks + int(getattr(value, "nanoseconds", 0))


def of_day(value: time) -> int:
    """Nanoseconds since midnight; a time of day in a zone has no place on the clock without its date."""
    if value.tzinfo is not None:
        raise ValueError
    return (value.hour * 3600 + value.minute * 60 + value.second) * 10**9 + value.microsecond * 1000


def counted(value: np.datetime64 | np.timedelta64) -> tuple[int, int]:
    """Ticks, and how many digits of a second one tick is worth, of NumPy's times; raises for NaT and for months."""
    unit, step = np.datetime_data(value.dtype)
    if np.isnat(value):
        raise ValueError
    ticks = int(value.astype(np.int64)) * step
    if unit in _SECONDS:
        return ticks * _SECONDS[unit], 0
    return ticks, _DIGITS[unit]


def is_day(value: np.datetime64) -> bool:
    """Whether NumPy counts this in whole days or longer, so that it is a date."""
    return np.datetime_data(value.dtype)[0] in ("D", "W", "M", "Y")


def _datetime(value: datetime) -> bytes:
    ticks, absolute = nanoseconds(value)
    return _instant(ticks, 9, absolute)


def _datetime64(value: np.datetime64) -> bytes:
    if is_day(value):
        return _instant(*counted(value.astype("datetime64[D]")))[:10]
    return _instant(*counted(value))


def _clock(value: time) -> bytes:
    whole, rest = divmod(of_day(value), 10**9)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}{_fraction(rest, 9)}".encode()


def _nothing(value: Any) -> None:
    return None


_BY_CLASS: list[tuple[tuple[type, ...], Rule]] = [
    ((str,), _text),
    ((bytes, bytearray, memoryview), bytes),
    ((bool, np.bool_), _boolean),
    ((np.timedelta64,), lambda value: _duration(*counted(value))),  # NumPy calls a duration an integer
    ((int, np.integer), _integer),
    ((float, np.floating), _float),
    ((Decimal,), _decimal),
    ((datetime,), _datetime),
    ((date,), lambda value: date.isoformat(value).encode()),
    ((time,), _clock),
    ((timedelta,), lambda value: _duration(span(value), 9)),
    ((np.datetime64,), _datetime64),
    ((UUID,), lambda value: str(UUID(int=value.int)).encode()),
]


def _guarded(rule: Rule) -> Rule:
    """The rule for a type that may be anybody's own: whatever it raises, the value is missing."""

    def guarded(value: Any) -> bytes | None:
        try:
            return rule(value)
        except Exception:
            return None

    return guarded


class _Rules(dict[type, Rule]):
    """The rule of every type, found by its class when the type is met first."""

    def __missing__(self, kind: type) -> Rule:
        self[kind] = next((_guarded(rule) for classes, rule in _BY_CLASS if issubclass(kind, classes)), _nothing)
        return self[kind]


_RULES = _Rules({str: _text, bytes: bytes, bool: _boolean, int: _integer, float: _float})
