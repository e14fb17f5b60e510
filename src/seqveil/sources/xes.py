"""XES, the XML of process mining: every trace a sequence, read as a stream. Entity declarations are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.parsers import expat

import numpy as np

from seqveil.sources.clock import Clock
from seqveil.sources.group import Gathering
from seqveil.sources.layout import Layout
from seqveil.sources.markup import parsed
from seqveil.sources.tally import Tally
from seqveil.tables.domain import Domain
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.spans import Spans

_EVENTS = 1 << 18
_BROKEN = (expat.ExpatError, LookupError, ValueError)


class _EntityRefused(Exception):
    """The document declares an entity."""


def _refuse(*_: object) -> None:
    raise _EntityRefused


class _Traces:
    """Listens to the parser and keeps what was asked of the traces that have ended.

    Only attributes that stand directly in a trace or an event count: nested ones and those of <global> do not.
    """

    def __init__(self, roles: dict[str, str]) -> None:
        self._user = roles.get("user", "")
        self._item = roles["item"]
        self._time = roles.get("time", "")
        self._open: list[str] = []
        self._events: list[dict[str, str]] = []
        self._trace: dict[str, str] = {}
        self.items: list[str] = []
        self.users: list[str] = []
        self.times: list[str] = []
        self.rows: list[int] = []
        self.traces = 0

    def parser(self) -> Any:
        """A parser that reports here."""
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.EntityDeclHandler = _refuse
        return parser

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        parent = self._open[-1] if self._open else ""
        self._open.append(tag)
        if tag == "trace" and parent == "log":
            self._trace, self._events = {}, []
        elif tag == "event" and parent == "trace":
            self._events.append({})
        elif "key" in attributes and "value" in attributes and parent in ("trace", "event"):
            owner = self._trace if parent == "trace" else self._events[-1] if self._events else {}
            owner[attributes["key"]] = attributes["value"]

    def _end(self, tag: str) -> None:
        self._open.pop()
        if tag.rpartition(":")[2] != "trace" or self._open != ["log"]:
            return
        self.items += [event.get(self._item, "") for event in self._events]
        self.times += [event.get(self._time, "") for event in self._events]
        self.users += [self._trace.get(self._user, "")] * len(self._events)
        self.rows += [self.traces] * len(self._events)
        self.traces += 1


def xes_problems(path: Path, layout: Layout, domain: Domain) -> list[str]:
    """What makes the file no XES log, with the line. The whole file is looked at, but none of its values."""
    parser = expat.ParserCreate()
    parser.EntityDeclHandler = _refuse
    roots: list[str] = []

    def note_root(tag: str, _: dict[str, str]) -> None:
        roots.append(tag.rpartition(":")[2])
        parser.StartElementHandler = None

    parser.StartElementHandler = note_root
    try:
        for _ in parsed(parser, path):
            pass
    except _EntityRefused:
        return [f"line {parser.CurrentLineNumber} declares an XML entity, which is refused: remove the declaration"]
    except _BROKEN:
        return [f"line {parser.CurrentLineNumber} is not well-formed XML: export the log again"]
    return [] if roots == ["log"] else ["is XML, but not an XES log, whose first element is <log>: give an XES file"]


def read_xes(path: Path, layout: Layout, domain: Domain, tally: Tally) -> SequenceTable:
    """Every trace a sequence, in document order or by the named time; a broken end leaves the traces before it."""
    roles = {"item": "concept:name"} | layout.columns()
    clock = Clock(layout)
    gathering = Gathering(
        domain,
        tally,
        users="user" in roles,
        runs=True,
        times="time" in roles,
        timezone=layout.timezone,
        max_events=layout.max_events,
    )
    listener = _Traces(roles)
    parser = listener.parser()
    try:
        for _ in parsed(parser, path):
            if len(listener.items) >= _EVENTS:
                _hand_over(listener, gathering, clock)
    except (_EntityRefused, *_BROKEN):
        tally.broken_rows += 1
    _hand_over(listener, gathering, clock)
    tally.rows = tally.records = listener.traces
    return gathering.table(layout.cut, layout.timezone, clock.settle)


def _hand_over(listener: _Traces, gathering: Gathering, clock: Clock) -> None:
    """Gives the finished traces to the gathering and forgets them."""
    items = Spans.of(listener.items)
    rows = np.array(listener.rows, np.int64)
    gathering.add(items, gathering.find(items), Spans.of(listener.users), rows, clock.read(Spans.of(listener.times)))
    listener.items, listener.users, listener.times, listener.rows = [], [], [], []
