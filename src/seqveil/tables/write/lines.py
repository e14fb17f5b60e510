"""One sequence per line, and SPMF."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat

_RECORDS, _ITEMS = 1 << 16, 1 << 16
"""The most records and items that are spelled at once: as text they take some hundred times the memory of their codes."""


def parts(domain: Domain, flat: Flat) -> Iterator[tuple[Any, Any]]:
    """Arrow arrays of offsets and labels, many sequences at a time; a sequence is never divided."""
    start = 0
    while start < len(flat):
        full = int(np.searchsorted(flat.offsets, flat.offsets[start] + _ITEMS, "right")) - 1
        end = min(max(full, start + 1), start + _RECORDS, len(flat))
        offsets = flat.offsets[start : end + 1]
        yield pa.array((offsets - offsets[0]).astype(np.int32)), domain.strings(flat.items[offsets[0] : offsets[-1]])
        start = end


def divided(domain: Domain, flat: Flat) -> tuple[tuple[Domain, Flat], tuple[Domain, Flat] | None]:
    """Sequences over a timed domain as two: of places, and of when their bins begin. Others stay as they are, without times.

    Times of day never fall along a sequence: after midnight they count on, as timetables do (24:00, 25:00).

    >>> from seqveil.tables.calendar import Calendar
    >>> hours = Domain.of(["Ely", "Ware"]).at_times(Calendar.parse("60m"))
    >>> _, (clocks, times) = divided(hours, Flat.of([[23, 24, 25], [8]]))
    >>> [clocks.labels(one) for one in times]
    [['23:00', '24:00', '25:00'], ['08:00']]
    """
    if (calendar := domain.calendar) is None:
        return (domain, flat), None
    bins = len(calendar)
    places, when, later = flat.items // bins, flat.items % bins, np.zeros(len(flat.items), np.int64)
    if calendar.cycle == "day":
        later[1:] = np.cumsum(when[1:] < when[:-1])
        later -= np.repeat(later[np.minimum(flat.offsets[:-1], max(len(later) - 1, 0))], flat.lengths) if len(later) else 0
    rounds = int(later.max(initial=0)) + 1
    clocks = Domain.of([calendar.clock(number, later=days) for days in range(rounds) for number in range(bins)])
    return (domain.untimed, Flat(places, flat.offsets)), (clocks, Flat(later * bins + when, flat.offsets))


def item_lists(domain: Domain, flat: Flat) -> Iterator[Iterator[tuple[list[str], list[str]]]]:
    """The items of sequences and their times, many sequences at a time; no times where labels have none."""
    items, times = divided(domain, flat)
    if times is None:
        yield from (((labels, []) for labels in part) for part in label_lists(*items))
        return
    for part, when in zip(label_lists(*items), label_lists(*times), strict=True):
        yield zip(part, when, strict=True)


def label_lists(domain: Domain, flat: Flat) -> Iterator[list[list[str]]]:
    """The sequences as lists of labels, many at a time."""
    for offsets, labels in parts(domain, flat):
        texts = labels.to_pylist()
        yield [texts[a:b] for a, b in pairwise(offsets.to_pylist())]


def write_lines(file: IO[bytes], domain: Domain, flat: Flat) -> None:
    """Labels separated by a blank, or by a tab when a label of the domain contains a blank."""
    separator = _text("\t" if domain.has_blanks else " ")
    for offsets, labels in parts(domain, flat):
        lines = pc.binary_join(pa.ListArray.from_arrays(offsets, labels), separator)
        _write_joined(file, pc.binary_join_element_wise(lines, _text(""), _text("\n")))


def write_spmf(file: IO[bytes], domain: Domain, flat: Flat) -> None:
    """Every item an itemset of its own."""
    for offsets, labels in parts(domain, flat):
        closed = pc.binary_join_element_wise(labels, _text("-1 "), _text(" "))
        lines = pc.binary_join(pa.ListArray.from_arrays(offsets, closed), _text(""))
        _write_joined(file, pc.binary_join_element_wise(lines, _text("-2\n"), _text("")))


def _text(value: str) -> Any:
    return pa.scalar(value, pa.large_string())


def _write_joined(file: IO[bytes], lines: Any) -> None:
    """Writes all strings of an array, which lie one after the other in its buffer."""
    if len(lines):
        end = np.frombuffer(lines.buffers()[1], np.int64)[len(lines)]
        file.write(memoryview(lines.buffers()[2])[:end])
