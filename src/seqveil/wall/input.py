"""What a run reads: an input that is described in public, and read only after the ledger knows of the run.

A file and how it is to be read (`seqveil.sources`) is an input, and so is a table in memory. Everything but `read` and `chunks`
is public; `chunks` is for the ledger's keyed fingerprint alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, is_dataclass
from typing import Any, Protocol, cast, runtime_checkable

from seqveil.engines.protocol import engine_of
from seqveil.errors import CallError
from seqveil.kinds import KINDS
from seqveil.tables.domain import Domain
from seqveil.wall.contents import contents
from seqveil.wall.fit import refuse_fenced
from seqveil.wall.smallworld import first_labels, small_world


@runtime_checkable
class Input(Protocol):
    """Data of one kind over one domain, not read yet."""

    @property
    def kind(self) -> str:
        """The kind of data, as mechanisms name it."""
        ...

    @property
    def domain(self) -> Domain:
        """The public labels of the table that `read` gives."""
        ...

    def specimen(self) -> Any:
        """A simulated table of the same kind, from the same reader where there is one; None for a kind without small worlds."""
        ...

    def read(self) -> Any:
        """The table. Called once, after the run has begun."""
        ...

    def chunks(self) -> Iterator[bytes]:
        """The bytes that the fingerprint is made of: of the file as it lies there, or of the table's contents."""
        ...


@dataclass(frozen=True, slots=True)
class TableInput:
    """A table in memory. Its fingerprint is one of its contents, so it differs from that of the file it was read from.

    >>> from seqveil.tables.sequences import table_of
    >>> TableInput(table_of([["a"]], Domain.of(["a", "b"]))).kind
    'sequences'
    """

    table: Any

    @property
    def kind(self) -> str:
        return str(self.table.kind)

    @property
    def domain(self) -> Domain:
        domain: Domain = self.table.domain
        return domain

    def specimen(self) -> Any:
        return small_world(self.table, first_labels(self.domain))

    def read(self) -> Any:
        return self.table

    def chunks(self) -> Iterator[bytes]:
        return contents(self.table)


def as_input(data: Any) -> Input:
    """An input as it is, or a table as an input.

    >>> as_input("trips.csv")
    Traceback (most recent call last):
    seqveil.errors.CallError: data = 'trips.csv': give a table or a source, for example sv.read_sequences(FILE, domain=…).
    """
    if isinstance(data, Input):
        return data
    refuse_fenced(str(getattr(data, "kind", "")))
    if not is_dataclass(data) or isinstance(data, type) or not hasattr(data, "domain") or not hasattr(data, "kind"):
        what = repr(data) if isinstance(data, str) else type(data).__name__
        raise CallError(f"data = {what}: give a table or a source, for example sv.read_sequences(FILE, domain=…).")
    _refuse_strange(data)
    return TableInput(data)


def _refuse_strange(table: Any) -> None:
    """Refuse what calls itself a table of a kind of ours and is none: its engine would stop when the run has begun."""
    if table.kind not in KINDS:  # a kind of somebody else's package, who must know
        return
    name, expected = getattr(table, "engine", None), cast(Any, KINDS[table.kind].table_class())
    try:
        usable = isinstance(table.domain, Domain) and engine_of(table).name == name
    except (AttributeError, ImportError):
        usable = False
    if not usable or (name == expected.engine and not isinstance(table, expected)):
        raise CallError(
            f"data = {type(table).__name__}: it is no {expected.__name__}, nor has it an engine of its own. Make tables with "
            "sv.table_of, sv.sets_of, sv.graph_of or a reader."
        )
