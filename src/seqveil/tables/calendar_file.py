"""A calendar as a file: a bin per line with name, start and end, separated by tabs. A release carries its calendar in this form.

Times are all times of day (07:00), all times of the week (Mon 07:00), or all dates (2026-03-01, 2026-03-01T07:00). Lines stand in
the order of time. A bin of the day or of the week may end after midnight, or on the Monday after. A first line `timezone`, tab
and name states the time zone; blank lines and lines that begin with # do not count.

>>> body = "timezone\\tEurope/Paris\\npeak\\t07:00\\t09:30\\nlate\\t22:00\\t01:00\\n"
>>> calendar = calendar_of("the time bins", body)
>>> calendar.names, calendar.clock(1), calendar.ends[1] // 3600, calendar.timezone
(('peak', 'late'), '22:00', 25, 'Europe/Paris')
>>> calendar_of("again", calendar_text(calendar)) == calendar
True
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

from seqveil.errors import InputProblems
from seqveil.tables.calendar import DAY, PERIOD, WEEKDAYS, Calendar, Cycle, date_and_time
from seqveil.tables.characters import shown

MOST_BYTES = 1 << 24
"""The longest file of bins."""

_CLOCK = re.compile(r"(?:([A-Z][a-z]{2}) )?([0-2]?\d):([0-5]\d)(?::([0-5]\d))?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ONE = {"day": "times of day such as 07:00", "week": "times of the week such as 'Mon 07:00'", "once": "dates such as 2026-03-01"}


def read_calendar(path: Path, timezone: str = "UTC") -> Calendar:
    """The calendar in a file. A file that states another time zone than a declared one is refused."""
    source = f"the time bins {path}"
    try:
        with path.open("rb") as file:
            body = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        advice = "give a length such as 60m or 15m, hour-of-day, weekday, weekday-hour, or a file of bins"
        raise InputProblems(source, [f"does not exist: {advice}"]) from None
    except (OSError, ValueError) as error:
        raise InputProblems(source, [f"cannot be read ({getattr(error, 'strerror', None) or 'not a path'})"]) from None
    if len(body) > MOST_BYTES:
        raise InputProblems(source, ["is longer than 16 MB, which no list of bins is: check the file"])
    try:
        return calendar_of(source, body.decode("utf-8-sig"), timezone)
    except UnicodeDecodeError:
        raise InputProblems(source, ["is not UTF-8: save the file as UTF-8"]) from None


def calendar_of(source: str, text: str, timezone: str = "UTC") -> Calendar:
    """The calendar of a text, or everything that is wrong with it."""
    lines = [(i, line.split("\t")) for i, line in enumerate(text.splitlines(), 1) if line.strip() and not line.startswith("#")]
    problems: list[str] = []
    if lines and len(lines[0][1]) == 2 and lines[0][1][0] == "timezone":
        stated = lines.pop(0)[1][1].strip()
        if timezone not in ("UTC", stated):
            problems.append(f"states the time zone {shown(stated)}, but {timezone} was given: give the same one")
        timezone = stated
    rows: list[tuple[str, int, int]] = []
    cycles: set[Cycle] = set()
    for i, cells in lines:
        read = [seconds_of(cell.strip()) for cell in cells[1:]]
        if len(read) != 2 or read[0] is None or read[1] is None:
            problems.append(f"line {i} is not a name, a start and an end with tabs between them, such as peak, 07:00, 09:30")
            continue
        rows.append((cells[0].strip(), read[0][0], read[1][0]))
        cycles |= {read[0][1], read[1][1]}
    if not lines:
        problems.append("is empty: write a line per bin with its name, start and end, separated by tabs")
    if len(cycles) > 1:
        problems.append(f"mixes {' and '.join(_ONE[cycle] for cycle in sorted(cycles))}: use one of them in all lines")
    if problems:
        raise InputProblems(source, problems)
    cycle = cycles.pop()
    unrolled = _unrolled(rows, cycle)
    names, starts, ends = zip(*unrolled, strict=True)
    try:
        return Calendar(names, starts, ends, cycle, timezone)
    except InputProblems as wrong:
        raise InputProblems(source, wrong.problems) from None


def _unrolled(rows: list[tuple[str, int, int]], cycle: Cycle) -> list[tuple[str, int, int]]:
    """Times that come again, counted on through midnight, or through the end of the week."""
    if cycle not in PERIOD:
        return rows
    period, before, out = PERIOD[cycle], -1, []
    first = rows[0][1] % period  # 24:00 is 00:00
    for at, (name, start, end) in enumerate(rows):
        start = first if at == 0 else start + (period if start < before and start <= first else 0)
        end += period if end <= start else 0
        out.append((name, start, end))
        before = start
    return out


def seconds_of(text: str) -> tuple[int, Cycle] | None:
    """The seconds of a time as a calendar counts them, and what such a time is a time of; None where it is none.

    >>> seconds_of("07:30"), seconds_of("Tue 00:00"), seconds_of("1970-01-02"), seconds_of("25:00"), seconds_of("noon")
    ((27000, 'day'), (86400, 'week'), (86400, 'once'), None, None)
    """
    if clock := _CLOCK.fullmatch(text):
        seconds = int(clock[2]) * 3600 + int(clock[3]) * 60 + int(clock[4] or 0)
        if seconds > DAY or (clock[1] and clock[1] not in WEEKDAYS):
            return None
        return (seconds, "day") if clock[1] is None else (WEEKDAYS.index(clock[1]) * DAY + seconds, "week")
    if not _DATE.fullmatch(text):
        return None
    try:
        return int((datetime.fromisoformat(text).replace(tzinfo=UTC) - _EPOCH).total_seconds()), "once"
    except ValueError:
        return None


def calendar_text(calendar: Calendar) -> str:
    """The file of a calendar."""
    rows = [
        f"{name}\t{_written(start, calendar.cycle)}\t{_written(end, calendar.cycle)}"
        for name, start, end in zip(calendar.names, calendar.starts, calendar.ends, strict=True)
    ]
    return "\n".join([f"timezone\t{calendar.timezone}", *rows]) + "\n"


def _written(seconds: int, cycle: Cycle) -> str:
    if cycle == "once":
        return date_and_time(seconds)
    clock = f"{seconds % DAY // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return clock if cycle == "day" else f"{WEEKDAYS[seconds // DAY % 7]} {clock}"
