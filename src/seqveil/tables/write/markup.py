"""JSON Lines and XES."""

from __future__ import annotations

import json
from typing import IO

from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.write.clock import moment
from seqveil.tables.write.lines import label_lists

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<log xes.version="1.0" xmlns="http://www.xes-standard.org/">
<extension name="Concept" prefix="concept" uri="http://www.xes-standard.org/concept.xesext"/>
<extension name="Time" prefix="time" uri="http://www.xes-standard.org/time.xesext"/>
<classifier name="Activity" keys="concept:name"/>
"""


def write_jsonl(file: IO[bytes], domain: Domain, flat: Flat) -> None:
    """A list of labels per line."""
    for part in label_lists(domain, flat):
        file.write("".join(json.dumps(labels, ensure_ascii=False) + "\n" for labels in part).encode())


def write_xes(file: IO[bytes], domain: Domain, flat: Flat) -> None:
    """A trace per sequence; events carry a name and a public time (`clock`)."""
    file.write(_HEAD.encode())
    number = 0
    for part in label_lists(domain, flat):
        for number, labels in enumerate(part, number + 1):  # noqa: B020 - it counts on over the parts
            file.write(_trace(number, labels).encode())
    file.write(b"</log>\n")


def _trace(number: int, labels: list[str]) -> str:
    from xml.sax.saxutils import quoteattr  # loads what talks to networks, which no release needs

    events = "".join(
        f'<event><string key="concept:name" value={quoteattr(label)}/><date key="time:timestamp" value="{moment(n)}"/></event>'
        for n, label in enumerate(labels)
    )
    return f'<trace><string key="concept:name" value="{number}"/>{events}</trace>\n'
