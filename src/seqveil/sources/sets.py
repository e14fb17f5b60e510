"""Sets from whatever holds sequences: one transaction per line, SPMF, an event log, a data frame with one item per row."""

from __future__ import annotations

from typing import Any, Unpack

from seqveil.sources.layout import Options
from seqveil.sources.read import documented
from seqveil.sources.sequences import inspect_sequences
from seqveil.sources.source import Reading, Source
from seqveil.tables.domain import Domain
from seqveil.tables.sets import SetTable


def inspect_sets(source: Source) -> Reading:
    """The reading of the sequences, without order and repeats."""
    description, read = inspect_sequences(source)
    return Reading(f"sets: {description}", lambda: SetTable.of(read()))


@documented
def read_sets(data: Any, *, domain: Domain, **options: Unpack[Options]) -> SetTable:
    """The sets of a file or data frame: `read_sequences` without order and repeats.

    With `user` and no session, one set holds all items of a user.

    >>> import polars as pl
    >>> log = pl.DataFrame({"who": ["ann", "bob", "ann"], "what": ["milk", "tea", "bread"]})
    >>> baskets = read_sets(log, domain=Domain.of(["bread", "milk", "tea"]), user="who", item="what")
    >>> [codes.tolist() for codes in baskets.flat]
    [[0, 1], [2]]
    """
    table: SetTable = Source(data, domain, "sets", **options).read()
    return table
