"""What is wrong with the parameters of a reading themselves, before any file is opened."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from seqveil.sources.formats import formats, words
from seqveil.sources.layout import BY_LINE, SEPARATED, Layout
from seqveil.sources.patterns import pattern_reads
from seqveil.sources.session import Session
from seqveil.sources.source import Source
from seqveil.sources.times import UNITS
from seqveil.surface import parameter


def format_problems(source: Source) -> list[str]:
    """A format that no reader of these rows has, or none at all."""
    allowed = ", ".join(formats(source.rows))
    if source.format is not None and source.format not in allowed.split(", "):
        return [f"{parameter('format', repr(source.format))} is unknown: use one of {allowed}"]
    if source.decided_format is None:
        return [f"cannot infer the format from the file name: add {parameter('format', 'FORMAT')}, one of {allowed}"]
    return []


def unused(source: Source, names: Iterable[str], because: str) -> list[str]:
    """Parameters that this reader does not have: whoever gave one means another run than the one that would be made."""
    defaults = {field.name: field.default for field in fields(source)}
    unlike = [name for name in names if getattr(source, name) != defaults[name]]
    return [f"{because}: leave out {', '.join(map(_as_given, unlike, [source] * len(unlike)))}"] if unlike else []


def _as_given(name: str, source: Source) -> str:
    return parameter(name, "False" if getattr(source, name) is False else None)


def reader_problems(source: Source) -> list[str]:
    """Parameters that neither sequences nor, of these, sets have."""
    problems = unused(source, ["order_is_public"], "only graphs have an order of vertices")
    if source.reader != "sequences":
        problems += unused(source, ["origin", "destination"], "a set has no order, and a journey has one")
    return problems


def session_problems(session: str) -> list[str]:
    """A session that is neither a word, a pause nor a column."""
    try:
        Session.parse(session)
    except ValueError as error:
        return [str(error)]
    return []


def zone_problems(source: Source) -> list[str]:
    """Bins of another time zone than the one that times are read in."""
    calendar = source.domain.calendar
    if calendar is None or source.time is None or calendar.timezone == source.timezone:
        return []
    return [f"the time bins are those of {calendar.timezone}: add {parameter('timezone', calendar.timezone)}"]


def delimiter_problems(layout: Layout) -> list[str]:
    """A delimiter that cannot separate columns."""
    if layout.splits:
        return []
    example = parameter("delimiter", "';'")
    return [f"{parameter('delimiter', repr(layout.delimiter))} is not a single ASCII character: use for example {example}"]


def call_problems(layout: Layout, reader: str = "sequences") -> list[str]:
    """Everything that is wrong with the layout of sequences, or of sets."""
    problems = [*_column_problems(layout, reader), *_journey_problems(layout)]
    problems += [*_session_problems(layout), *_time_problems(layout)]
    if layout.outside not in ("drop", "other"):
        problems.append(f"{parameter('outside', repr(layout.outside))} is unknown: use drop or other")
    if layout.delimiter is not None:
        if layout.format not in (*SEPARATED, "lines"):
            given = parameter("delimiter", repr(layout.delimiter))
            problems.append(f"{given} does not apply to {words(str(layout.format), 'sequences')}: leave it out")
        else:
            problems += delimiter_problems(layout)
    return problems


def _column_problems(layout: Layout, reader: str) -> list[str]:
    named = layout.columns()
    if layout.format in BY_LINE:
        given = named if layout.max_events is None else {**named, "max_events": str(layout.max_events)}
        content = words(layout.format, "sequences")
        events = parameter("format", "events")
        return [f"{parameter(r, n)}: {content} has no columns: leave it out, or add {events}" for r, n in given.items()]
    problems = []
    if layout.format in SEPARATED:
        if layout.item is None and not layout.journeys:
            problems.append(no_item(reader))
        if not layout.header:
            problems += [
                f"{parameter(role, repr(name))}: without a header, columns are given by number: write {parameter(role, '1')}"
                for role, name in named.items()
                if not (name.isascii() and name.isdigit() and 1 <= int(name[:9]) <= 100_000)
            ]
    if layout.max_events is not None and layout.user is None:
        problems.append(no_user_to_bound(layout.max_events))
    if "session" in named and layout.format in ("jsonl", "xes"):
        problems.append(f"{parameter('session', named['session'])}: every line or trace is already one sequence: leave it out")
    return problems


def no_item(reader: str = "sequences") -> str:
    """Nothing says which column holds the labels. Sets have no journeys, but rows with attributes become sets."""
    ends = " and ".join(parameter(role, "COLUMN") for role in ("origin", "destination"))
    instead = f"for one journey per row {ends}" if reader == "sequences" else "read a table with one person per row as relational"
    return f"no item column given: add {parameter('item', 'COLUMN')}, or {instead}"


def _journey_problems(layout: Layout) -> list[str]:
    """What does not go with a journey in each row. Lines without columns are refused elsewhere."""
    if not layout.journeys or layout.format in BY_LINE:
        return []
    problems = []
    if layout.format in ("jsonl", "xes"):
        advice = f"add {parameter('format', 'jsonl-events')}" if layout.format == "jsonl" else "give a table with columns"
        problems.append(f"{words(layout.format, 'sequences')} has no origins and destinations: {advice}")
    for role, other in (("origin", "destination"), ("destination", "origin")):
        if getattr(layout, role) is None:
            problems.append(f"{parameter(other)} needs {parameter(role)} as well: add {parameter(role, 'COLUMN')}")
    if layout.origin == layout.destination:
        problems.append(f"{parameter('origin')} and {parameter('destination')} name the same column: give two columns")
    if layout.item is not None:
        problems.append(f"a journey has an origin and a destination: leave out {parameter('item')}")
    if layout.session != "none":
        problems.append(f"every row is one journey, and so one sequence: leave out {parameter('session')}")
    if layout.time is not None and layout.time_bins is None:
        bins = parameter("time_bins", "60m")
        problems.append(f"the time of a journey is only used with time bins: add {bins}, or leave out {parameter('time')}")
    return problems


def no_user_to_bound(max_events: int) -> str:
    """A bound on the rows of each user, where nothing says whose a row is."""
    given, user = parameter("max_events", str(max_events)), parameter("user", "COLUMN")
    return f"{given} bounds the rows of each user, but no user column is given: add {user}, or leave it out"


def _session_problems(layout: Layout) -> list[str]:
    problems = []
    if layout.cut.needs_time:
        session = parameter("session", layout.session)
        problems += [
            f"{session} needs a {role} column: add {parameter(role, 'COLUMN')}"
            for role, name in (("user", layout.user), ("time", layout.time))
            if name is None and layout.format not in BY_LINE
        ]
        if layout.format in (*BY_LINE, "jsonl"):
            events = f", or add {parameter('format', 'jsonl-events')}" if layout.format == "jsonl" else ""
            problems.append(f"{session}: {words(layout.format, 'sequences')} has no times: leave it out{events}")
        if layout.time_format == "text":
            problems.append(f"{session} needs real times: leave out {parameter('time_format', 'text')}")
    return problems


def _time_problems(layout: Layout) -> list[str]:
    problems = []
    if layout.time_bins is not None:
        bins = parameter("time_bins", layout.time_bins)
        if layout.format in (*BY_LINE, "jsonl"):
            events = f", or add {parameter('format', 'jsonl-events')}" if layout.format == "jsonl" else ""
            problems.append(f"{bins}: {words(layout.format, 'sequences')} has no times: leave it out{events}")
        elif layout.time is None:
            problems.append(f"{bins} needs a time column: add {parameter('time', 'COLUMN')}")
        if layout.time_format == "text":
            problems.append(f"{bins} needs real times: leave out {parameter('time_format', 'text')}")
    if layout.time_unit not in UNITS:
        problems.append(f"{parameter('time_unit', repr(layout.time_unit))} is unknown: use one of {', '.join(UNITS)}")
    try:
        ZoneInfo(layout.timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        given = parameter("timezone", repr(layout.timezone))
        problems.append(f"{given} is unknown: use a name such as UTC or Europe/Paris")
    pattern = layout.time_format
    if pattern not in (None, "text") and ("%" not in str(pattern) or not pattern_reads(str(pattern))):
        given = parameter("time_format", repr(pattern))
        problems.append(f"{given} is not a usable pattern: use text, or a pattern such as '%d/%m/%Y %H:%M'")
    return problems
