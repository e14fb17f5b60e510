"""Calendar: a public rule that says which bin of time a moment lies in. Declared by the data holder, never taken from data.

Bins are stretches of wall-clock time that do not overlap, in the order of time, each with a name. They come again every day, come
again every week, or stand once on the time line. A moment in no bin is outside the calendar.

>>> hours = Calendar.parse("60m")
>>> len(hours), hours.names[8], hours.bins(np.array([8.5 * 3600, 32 * 3600])).tolist(), hours.clock(8)
(24, '08', [8, 8], '08:00')
>>> Calendar.parse("7h")
Traceback (most recent call last):
seqveil.errors.InputProblems: the time bins 7h: 7h does not divide a day: use 15m, 30m, 60m, 2h or another length that does
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import InputProblems
from seqveil.tables.labels import checked_labels

Cycle = Literal["day", "week", "once"]

DAY = 86_400
PERIOD: dict[Cycle, int] = {"day": DAY, "week": 7 * DAY}
"""Seconds after which bins come again."""

MARK = "@"
"""Stands between the place and the bin in the label of a timed domain; no bin has it in its name."""

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONDAY = 4 * DAY
"""1970-01-05, where weeks are counted from; also the day on which clocks without a date stand, where a file needs one."""

MOST_BINS = 100_000

_LENGTH = re.compile(r"(\d{1,6})([mh])(?:@([0-2]?\d:[0-5]\d))?", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WORDS = {"hour-of-day": "60m"}


@dataclass(frozen=True, repr=False)
class Calendar:
    """Bins [start, end) in whole seconds of the wall clock of `timezone`: of the day, of the week from Monday on, or since 1970.

    The first bin begins the day or week, so that a day may begin at 04:00 and end with the bins after midnight: their starts are
    then beyond 24 hours. `spec` is what the calendar was declared as.
    """

    names: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    cycle: Cycle = "day"
    timezone: str = "UTC"
    spec: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        checked_labels("the time bins", "bin", list(self.names))
        whole = self.starts[0] + PERIOD[self.cycle] if self.cycle in PERIOD else None
        rows = list(zip(self.names, self.starts, self.ends, strict=True))
        problems = [f"{name!r} has an {MARK!r} in its name: leave it out" for name in self.names if MARK in name]
        # A release carries its calendar as a file, and has to be read back from it.
        problems += [f"{name!r} begins with a #, as comments do: leave it out" for name in self.names if name.startswith("#")]
        if not all(isinstance(edge, int) for row in rows for edge in row[1:]):
            problems.append("has an edge that is not a whole number of seconds: round it")
        if self.cycle in PERIOD and not 0 <= self.starts[0] < PERIOD[self.cycle]:
            problems.append(f"begins outside the first {self.cycle}: count its first bin from 0")
        problems += [f"{name!r} ends before it begins, or is empty" for name, start, end in rows if end <= start]
        problems += [
            f"{after[0]!r} begins before {before[0]!r} ends: list bins in the order of time, none inside another"
            for before, after in pairwise(rows)
            if after[1] < before[2]
        ]
        if whole is not None and rows[-1][2] > whole:
            problems.append(f"the bins take more than a {self.cycle}: the last may end where the first begins")
        if len(rows) > MOST_BINS:
            problems.append(f"has {len(rows):,} bins: at most {MOST_BINS:,} are supported")
        if problems:
            raise InputProblems(f"the time bins {self.spec}".rstrip(), problems)

    @classmethod
    def parse(cls, text: str, timezone: str = "UTC") -> Calendar:
        """From what people type: 60m, 15m, 2h, 60m@04:00, hour-of-day, weekday, weekday-hour, or a file of bins.

        >>> Calendar.parse("15m").names[30], Calendar.parse("weekday").names[0], Calendar.parse("weekday-hour").names[8]
        ('07:30', 'Mon', 'Mon-08')
        >>> night = Calendar.parse("60m@04:00")
        >>> night.names[0], night.names[-1], night.clock(23)
        ('04', '03', '27:00')
        """
        if length := _LENGTH.fullmatch(_WORDS.get(text, text)):
            return _of_length(text, length, timezone)
        if text == "weekday":
            return cls(WEEKDAYS, tuple(range(0, 7 * DAY, DAY)), tuple(range(DAY, 8 * DAY, DAY)), "week", timezone, text)
        if text == "weekday-hour":
            names = tuple(f"{day}-{hour:02}" for day in WEEKDAYS for hour in range(24))
            return cls(names, tuple(range(0, 7 * DAY, 3600)), tuple(range(3600, 7 * DAY + 1, 3600)), "week", timezone, text)
        from seqveil.tables.calendar_file import read_calendar

        return replace(read_calendar(Path(text), timezone), spec=text)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"Calendar({len(self):,} bins, {self.names[0]} to {self.names[-1]})"

    @cached_property
    def _edges(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return np.array(self.starts, np.float64), np.array(self.ends, np.float64)

    @property
    def begins(self) -> int:
        """When the day of a calendar of times of day begins, in seconds after midnight; 0 for the others."""
        return self.starts[0] % DAY if self.cycle == "day" else 0

    def bins(self, local: NDArray[np.float64]) -> NDArray[np.int32]:
        """The bin of every moment, given in seconds of the wall clock since 1970; -1 outside. Each depends on itself alone."""
        starts, ends = self._edges
        phase = np.where(np.isfinite(local), local, np.nan)  # of an infinity np.mod would warn, and so tell of somebody's time
        if self.cycle in PERIOD:
            anchor = starts[0] + (MONDAY if self.cycle == "week" else 0)
            phase = np.mod(phase - anchor, PERIOD[self.cycle]) + starts[0]
        at = np.searchsorted(starts, phase, "right") - 1
        return np.where((at >= 0) & (phase < ends[np.maximum(at, 0)]), at, -1).astype(np.int32)

    def rounds(self, local: NDArray[np.float64]) -> NDArray[np.float64]:
        """Which day or week every moment lies in: where it changes, bins begin anew."""
        if self.cycle not in PERIOD:
            return np.zeros(len(local))
        anchor = self.starts[0] + (MONDAY if self.cycle == "week" else 0)
        return np.asarray(np.floor((np.asarray(local, np.float64) - anchor) / PERIOD[self.cycle]))

    def named(self, text: str) -> int | None:
        """The bin that a person means by its name or by a time in it: 08, 8, 8:15, 2026-03-01T08:00. None where there is none.

        >>> [Calendar.parse("60m").named(text) for text in ("08", "8", "8:59", "24", "soon")]
        [8, 8, 8, None, None]
        """
        if text in self.names:
            return self.names.index(text)
        from seqveil.tables.calendar_file import seconds_of

        read = seconds_of(f"{text}:00" if text.isascii() and text.isdecimal() and len(text) <= 2 else text)
        if read is None or read[1] != self.cycle or (self.cycle != "once" and read[0] >= PERIOD[self.cycle]):
            return None
        local = read[0] + (MONDAY if self.cycle == "week" else 0)
        number = int(self.bins(np.array([float(local)]))[0])
        return None if number < 0 else number

    def clock(self, number: int, later: int = 0) -> str:
        """When a bin begins, as it is written into files: a time of day, the name of a bin of the week, or a date and time.

        A bin after midnight of a day that begins later is written beyond 24:00, as timetables do; so is one `later` days later.
        """
        start = self.starts[number] + (later * DAY if self.cycle == "day" else 0)
        if self.cycle == "week":
            return self.names[number]
        return _time_of_day(start) if self.cycle == "day" else date_and_time(start)

    def moment(self, number: int, later: int = 0) -> str:
        """When a bin begins, with a date: of calendars that come again, in the week of Monday 1970-01-05.

        >>> Calendar.parse("60m").moment(8, later=1), Calendar.parse("weekday").moment(2)
        ('1970-01-06T08:00:00', '1970-01-07T00:00:00')
        """
        start = self.starts[number] + (0 if self.cycle == "once" else MONDAY) + (later * DAY if self.cycle == "day" else 0)
        return date_and_time(start)


def date_and_time(seconds: int) -> str:
    """Seconds since 1970 as a date and a time, the year with four digits.

    >>> date_and_time(0), date_and_time(-33_765_897_600)
    ('1970-01-01T00:00:00', '0900-01-01T00:00:00')
    """
    return (_EPOCH + timedelta(seconds=seconds)).replace(tzinfo=None).isoformat()


def is_word(text: str) -> bool:
    """Whether a declaration is a word or a length, and not the name of a file.

    >>> is_word("15m@04:00"), is_word("weekday"), is_word("bins.tsv")
    (True, True, False)
    """
    return text in (*_WORDS, "weekday", "weekday-hour") or _LENGTH.fullmatch(text) is not None


def _time_of_day(seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    return f"{minutes // 60:02}:{minutes % 60:02}" + (f":{rest:02}" if rest else "")


def _of_length(text: str, length: re.Match[str], timezone: str) -> Calendar:
    """Bins of one length that fill a day."""
    step = int(length[1]) * (60 if length[2] == "m" else 3600)
    if not 0 < step <= DAY or DAY % step:
        given = f"{length[1]}{length[2]}"
        advice = "use 15m, 30m, 60m, 2h or another length that does"
        raise InputProblems(f"the time bins {text}", [f"{given} does not divide a day: {advice}"])
    hour, minute = map(int, (length[3] or "0:00").split(":"))
    begins = hour * 3600 + minute * 60
    if begins >= DAY:
        raise InputProblems(f"the time bins {text}", [f"a day begins between 00:00 and 23:59, not at {length[3]}"])
    starts = tuple(range(begins, begins + DAY, step))
    return Calendar(_names(starts, step), starts, tuple(start + step for start in starts), "day", timezone, text)


def _names(starts: Sequence[int], step: int) -> tuple[str, ...]:
    """The hour, where all bins begin on one and last hours; else hour and minute."""
    hours = step % 3600 == 0 and starts[0] % 3600 == 0
    return tuple(f"{start % DAY // 3600:02}" if hours else _time_of_day(start % DAY) for start in starts)
