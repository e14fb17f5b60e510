"""Sets from whatever holds sequences: one transaction per line, SPMF, an event log, a data frame with one item per row."""

from __future__ import annotations

from typing import Any

from seqveil.sources.sequences import read_sequences
from seqveil.tables.domain import Domain
from seqveil.tables.sets import SetTable


def read_sets(source: Any, *, domain: Domain, **described: Any) -> SetTable:
    """The sets of a file or data frame: `read_sequences` with order and repeats forgotten.

    `described` is what `read_sequences` takes. With `user` and no session, one set holds all that a user ever had.

    >>> import polars as pl
    >>> log = pl.DataFrame({"who": ["ann", "bob", "ann"], "what": ["milk", "tea", "bread"]})
    >>> baskets = read_sets(log, domain=Domain.of(["bread", "milk", "tea"]), user="who", item="what")
    >>> [codes.tolist() for codes in baskets.flat]
    [[0, 1], [2]]
    """
    return SetTable.of(read_sequences(source, domain=domain, **described))
