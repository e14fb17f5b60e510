"""JSON Lines and XES."""

from __future__ import annotations

import json
from typing import IO

from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.write.clock import moment
from seqveil.tables.write.lines import divided, item_lists, label_lists

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<log xes.version="1.0" xmlns="http://www.xes-standard.org/">
<extension name="Concept" prefix="concept" uri="http://www.xes-standard.org/concept.xesext"/>
<extension name="Time" prefix="time" uri="http://www.xes-standard.org/time.xesext"/>
<classifier name="Activity" keys="concept:name"/>
"""


def write_jsonl(file: IO[bytes], domain: Domain, flat: Flat) -> None:
    """A list of labels per line; with times, an object per item with `sequence`, `item` and `time`."""
    if domain.calendar is not None:
        _write_events(file, domain, flat)
        return
    for part in label_lists(domain, flat):
        file.write("".join(json.dumps(labels, ensure_ascii=False) + "\n" for labels in part).encode())


def _write_events(file: IO[bytes], domain: Domain, flat: Flat) -> None:
    number = 0
    for part in item_lists(domain, flat):
        lines = []
        for number, (labels, times) in enumerate(part, number + 1):  # noqa: B020 - it counts on over the parts
            events = ({"sequence": number, "item": label, "time": time} for label, time in zip(labels, times, strict=True))
            lines += [json.dumps(event, ensure_ascii=False) + "\n" for event in events]
        file.write("".join(lines).encode())


def write_xes(file: IO[bytes], domain: Domain, flat: Flat) -> None:
    """A trace per sequence; events carry a name and a time. Where labels have times, XES wants a date, so that bins that come
    again are those of the week of Monday 1970-01-05; where they have none, times are public ones (`clock`)."""
    moments = _moments(domain, flat)
    file.write(_HEAD.encode())
    number = 0
    for part in item_lists(domain, flat):
        for number, (labels, times) in enumerate(part, number + 1):  # noqa: B020 - it counts on over the parts
            file.write(_trace(number, labels, [moments[time] for time in times]).encode())
    file.write(b"</log>\n")


def _moments(domain: Domain, flat: Flat) -> dict[str, str]:
    """The date and time of every clock that is written; none where labels have no times."""
    _, times = divided(domain, flat)
    if domain.calendar is None or times is None:
        return {}
    calendar, bins = domain.calendar, len(domain.calendar)
    pairs = [(number, later) for later in range(len(times[0]) // bins) for number in range(bins)]
    return {calendar.clock(number, later): calendar.moment(number, later) for number, later in pairs}


def _trace(number: int, labels: list[str], moments: list[str]) -> str:
    from xml.sax.saxutils import quoteattr  # loads what talks to networks, which no release needs

    times = moments or [moment(position) for position in range(len(labels))]
    events = "".join(
        f'<event><string key="concept:name" value={quoteattr(label)}/><date key="time:timestamp" value="{time}"/></event>'
        for label, time in zip(labels, times, strict=True)
    )
    return f'<trace><string key="concept:name" value="{number}"/>{events}</trace>\n'
