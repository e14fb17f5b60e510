"""JSON Lines: a list of items per line, an object with such a list, or an object per event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.sources.blocks import line_blocks
from seqveil.sources.clock import Clock
from seqveil.sources.group import Gathering
from seqveil.sources.layout import Layout
from seqveil.sources.spelled_json import spelled_json
from seqveil.sources.tally import Tally
from seqveil.tables.domain import Domain
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.spans import Numbering, Spans

_EVENTS = 1 << 18


def jsonl_problems(path: Path, layout: Layout, domain: Domain) -> list[str]:
    """None: whether a line is JSON depends on that line's values, so bad lines are dropped in silence."""
    return []


def read_jsonl(path: Path, layout: Layout, domain: Domain, tally: Tally) -> SequenceTable:
    """Sequences of lines, or of events when the layout says that each line is one event."""
    events = layout.format == "jsonl-events"
    roles = layout.columns() | {"item": layout.item or ("item" if events else "items")}
    clock, sessions = Clock(layout), Numbering()
    runs = not events or "session" in roles
    gathering = Gathering(
        domain,
        tally,
        users="user" in roles,
        runs=runs,
        times=events and "time" in roles,
        timezone=layout.timezone,
        max_events=layout.max_events,
    )
    for lines, rows in json_batches(line_blocks(path), roles, tally):
        items = Spans.of([cell["item"] for cell in lines])
        text = {role: Spans.of([cell.get(role) for cell in lines]) for role in roles if role != "item"}
        run: NDArray[np.integer] = np.array(rows, np.int64)
        if events:
            run = sessions.number(text["session"]) if "session" in roles else run
        seconds = clock.read(text["time"]) if events and "time" in roles else None
        gathering.add(items, gathering.find(items), text.get("user"), run, seconds)
    tally.records = None if events else tally.rows
    return gathering.table(layout.cut, layout.timezone, clock.settle)


def json_batches(
    blocks: Iterable[NDArray[np.uint8]], roles: dict[str, str], tally: Tally
) -> Iterator[tuple[list[dict[str, str | None]], list[int]]]:
    """Items with the cells of their line, a few hundred thousand at a time, and the number of their line."""
    cells: list[dict[str, str | None]] = []
    rows: list[int] = []
    for block in blocks:
        for line in block.tobytes().split(b"\n"):
            if not line.strip():
                continue
            row = tally.rows
            tally.rows += 1
            items = _cells(line, roles, tally)
            cells += items
            rows += [row] * len(items)
            if len(cells) >= _EVENTS:
                yield cells, rows
                cells, rows = [], []
    yield cells, rows


def _cells(line: bytes, roles: dict[str, str], tally: Tally) -> list[dict[str, str | None]]:
    """One dictionary per item of a line; none for a line that is not JSON."""
    try:
        value = spelled_json(line)
    except (ValueError, RecursionError):
        tally.broken_rows += 1
        return []
    record = value if isinstance(value, dict) else {roles["item"]: value}
    items = record.get(roles["item"])
    same = {role: _text(record.get(name)) for role, name in roles.items()}
    return [same | {"item": _text(item)} for item in (items if isinstance(items, list) else [items])]


def _text(value: Any) -> str | None:
    """A JSON value as a label: text, numbers, true and false; lists and objects are no labels."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else None
