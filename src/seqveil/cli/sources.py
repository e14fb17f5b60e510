"""From what was typed about kinds and units to the reader of a file and the unit of privacy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqveil.errors import CallError
from seqveil.sources.source import READERS

if TYPE_CHECKING:
    from seqveil.tables.units import Unit


def kind_of(given: str | None, method: str) -> str:
    """The reader of the file: what the method works on, or another reader that gives the same kind of table.

    A method relies on the make-up of its tables: records of a sequence may repeat a label, those of a set may not.

    >>> kind_of(None, "graph"), kind_of("relational", "sets")
    ('graph', 'relational')
    >>> kind_of("sequences", "sets")
    Traceback (most recent call last):
    seqveil.errors.CallError: --kind 'sequences' does not fit this method, which works on sets: use --kind sets or relational, ...
    """
    allowed = [name for name, reader in READERS.items() if reader.kind == method]
    if given is not None and given not in allowed:
        advice = f"use --kind {' or '.join(allowed)}, or leave it out."
        raise CallError(f"--kind {given!r} does not fit this method, which works on {method}: {advice}")
    return given or method


def unit_of(name: str | None, user: str | None, max_sequences: int, kind: str | None = None, k: int = 1) -> Unit:
    """The unit of privacy: an edge of a graph, else the user where one is named, else the record."""
    from seqveil.tables.units import Edge, Record, User

    chosen = name or ("edge" if kind == "graph" else "user" if user else "record")
    if chosen not in ("user", "record", "edge"):
        raise CallError(f"--unit {chosen!r} is unknown: use user (everything of one user), record (one sequence) or edge.")
    if (chosen == "edge") != (kind == "graph") and kind is not None:
        allowed = "a graph protects edges: use --unit edge" if kind == "graph" else "only graphs have edges: use user or record"
        raise CallError(f"--unit {chosen} does not fit the data: {allowed}.")
    if chosen == "edge":
        return Edge(k)
    if chosen == "user" and user is None:
        raise CallError("--unit user needs a user column: add --user COLUMN, or use --unit record.")
    return User(max_sequences=max_sequences) if chosen == "user" else Record()
