"""Sequences: the format of their input is inspected first, and only then its rows are read.

The inspection collects every problem that is visible without looking at values. After it, nothing that stands in a row is
refused: that would reveal whose row it was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from seqveil.errors import InputProblems
from seqveil.sources.arrow import parquet_problems, read_batches, read_parquet, schema_problems, with_item
from seqveil.sources.blocks import archive_problems
from seqveil.sources.cap import check_cap
from seqveil.sources.delimited import delimited_problems, read_delimited
from seqveil.sources.formats import FRAME
from seqveil.sources.frames import NO_FRAME, Frame
from seqveil.sources.jsonl import jsonl_problems, read_jsonl
from seqveil.sources.layout import Layout
from seqveil.sources.lines import line_problems, read_lines
from seqveil.sources.problems import call_problems, format_problems, reader_problems, session_problems, zone_problems
from seqveil.sources.source import Reading, Source
from seqveil.sources.tally import Tally
from seqveil.sources.xes import read_xes, xes_problems
from seqveil.tables.domain import Domain
from seqveil.tables.sequences import SequenceTable

Problems = Callable[[Path, Layout, Domain], list[str]]
Rows = Callable[[Path, Layout, Domain, Tally], SequenceTable]

_BY_FORMAT: dict[str, tuple[Problems, Rows]] = {
    **dict.fromkeys(("lines", "dat", "spmf"), (line_problems, read_lines)),
    **dict.fromkeys(("csv", "tsv", "events"), (delimited_problems, read_delimited)),
    **dict.fromkeys(("jsonl", "jsonl-events"), (jsonl_problems, read_jsonl)),
    "parquet": (parquet_problems, read_parquet),
    "xes": (xes_problems, read_xes),
}


class Tallied(NamedTuple):
    """Sequences, how they were read, and what was left out of them. INTERNAL."""

    table: SequenceTable
    layout: Layout
    tally: Tally


def inspect_sequences(source: Source) -> Reading:
    """How the sequences will be read; raises InputProblems with everything that is wrong with the format."""
    layout = decided(source)
    gzip = source.is_file and source.file.suffix == ".gz"
    return Reading(layout.describe(gzip), lambda: _rows(source, layout, Tally()))


def read_tallied(source: Source) -> Tallied:
    """The sequences of a source with the tally of what was left out. INTERNAL: for the data holder alone."""
    layout, tally = decided(source), Tally()
    return Tallied(_rows(source, layout, tally), layout, tally)


def decided(source: Source) -> Layout:
    """The layout with its format, after a look at the file as a format; or everything that is wrong with it."""
    check_cap(source.max_events)
    format = source.decided_format
    if not source.is_file and format is None:
        raise InputProblems(source.name, [NO_FRAME])
    problems = reader_problems(source)
    problems += [*session_problems(source.session), *zone_problems(source)]
    if unknown := format_problems(source):
        raise InputProblems(source.name, [*unknown, *problems])
    layout = source.layout(str(format))
    readable = layout if not problems else replace(layout, session="none")  # the rest is looked at all the same
    problems += [*call_problems(readable, source.reader), *_source_problems(source, readable)]
    if problems:
        raise InputProblems(source.name, problems)
    return layout


def _source_problems(source: Source, layout: Layout) -> list[str]:
    if layout.format == FRAME:
        return schema_problems(layout, Frame.of(source.data).schema)
    problems = archive_problems(source.file, begins=layout.begins)
    return problems or _BY_FORMAT[str(layout.format)][0](source.file, layout, source.domain)


def _rows(source: Source, layout: Layout, tally: Tally) -> SequenceTable:
    return rows_over(source, layout, source.domain, tally)


def rows_over(source: Source, layout: Layout, domain: Domain, tally: Tally) -> SequenceTable:
    """The sequences of an inspected source, over a domain that may be another one than its own."""
    if layout.format == FRAME:
        frame = Frame.of(source.data)
        batches = frame.batches(with_item(layout, frame.schema).values())
        return read_batches(batches, frame.schema, layout, domain, tally)
    return _BY_FORMAT[str(layout.format)][1](source.file, layout, domain, tally)
