"""Labels that nobody has listed, from whatever holds sequences: the distinct labels of every user, or of every record."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Unpack, cast

from seqveil.errors import InputProblems
from seqveil.sources.layout import Options
from seqveil.sources.read import documented
from seqveil.sources.sequences import decided, rows_over
from seqveil.sources.source import Reading, Source
from seqveil.sources.tally import Tally
from seqveil.surface import parameter
from seqveil.tables.unlisted import UNKNOWN, LabelTable, Unlisted


def inspect_labels(source: Source) -> Reading:
    """The reading of the sequences, with every label that they meet."""
    if problems := _problems(source):
        raise InputProblems(source.name, problems)
    layout = decided(source)
    gzip = source.is_file and source.file.suffix == ".gz"

    def read() -> LabelTable:
        met = Unlisted()
        return LabelTable.of(rows_over(source, layout, cast(Any, met), Tally()), met)

    return Reading(f"labels: {layout.describe(gzip)}", read)


def _problems(source: Source) -> list[str]:
    """Options that do not apply where labels are to be discovered."""
    problems = []
    if len(source.domain) or source.outside != "drop":
        problems.append(f"labels are to be discovered, so no domain is declared: leave out {parameter('domain')} and the like")
    if source.time_bins is not None:
        problems.append(f"{parameter('time_bins')} does not apply to the discovery of labels: give it when you use the domain")
    return problems


@documented
def read_labels(data: Any, **options: Unpack[Options]) -> LabelTable:
    """The labels of a file or data frame of which no list is public: for their discovery alone.

    >>> import polars as pl
    >>> log = pl.DataFrame({"who": ["ann", "bob", "ann"], "what": ["milk", "tea", "milk"]})
    >>> [codes.tolist() for codes in read_labels(log, user="who", item="what").flat]
    [[0], [1]]
    """
    table: LabelTable = Source(data, UNKNOWN, "labels", **options).read()
    return table


def labels_source(data: Any, **options: Unpack[Options]) -> Source:
    """A source of labels that nobody has listed; one that is a source already is read for its labels, whatever its domain."""
    if isinstance(data, Source):
        given = {name: value for name, value in options.items() if value is not None}
        return replace(data, domain=UNKNOWN, reader="labels", outside="drop", time_bins=None, **cast(Any, given))
    return Source(data, UNKNOWN, "labels", **options)
