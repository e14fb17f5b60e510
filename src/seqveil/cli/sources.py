"""From what was typed about kinds and units to the reader of a file and the unit of privacy."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from seqveil.errors import CallError
from seqveil.sources.source import readable
from seqveil.surface import one_word

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain
    from seqveil.tables.units import Unit


def domain_of(text: str, data: str | Path | Sequence[str | Path] | None, public_because: str | None = None) -> Domain:
    """The declared labels, or those of a discovery. The data to be protected are no public list, nor is a file among them."""
    from seqveil.tables.domain import Domain
    from seqveil.tables.label_column import split_column

    column = split_column(text)
    file = Path(text) if column is None else column[0]
    files = [] if data is None else [data] if isinstance(data, str | Path) else data
    try:
        own = (file.resolve(), *file.resolve().parents) if file.exists() else ()
        same = any(Path(one).resolve() in own for one in files)
    except (OSError, ValueError):
        same = False
    if same:
        advice = "give a list that is public anyway, such as a published map or timetable"
        raise CallError(f"--domain {one_word(text)} is the data to be protected, which no label may come from: {advice}.")
    if text and column is None and file.is_dir():
        from seqveil.discovery import discovered_in

        return discovered_in(file)
    return Domain.parse(text, public_because)


def kind_of(given: str | None, method: str) -> str:
    """The reader of the file: what the method works on, or another reader that gives the same kind of table.

    A method relies on the structure of its tables: records of a sequence may repeat a label, those of a set may not.

    >>> kind_of(None, "graph"), kind_of("relational", "sets")
    ('graph', 'relational')
    >>> kind_of("sequences", "sets")
    Traceback (most recent call last):
    seqveil.errors.CallError: --kind 'sequences' does not fit this method, which works on sets: use --kind sets or relational, ...
    """
    allowed = [name for name, kind in readable().items() if kind.held_as == method]
    allowed.sort(key=lambda name: name != method)  # the kind of its own name first
    if given is not None and given not in allowed:
        advice = f"use --kind {' or '.join(allowed)}, or choose another --method (`seqveil methods` lists them)."
        raise CallError(f"--kind {given!r} does not fit this method, which works on {method}: {advice}")
    return given or method


def unit_of(name: str | None, user: str | None, max_sequences: int | None, kind: str | None = None, k: int = 1) -> Unit:
    """The unit of privacy: as typed, else the user where one is named, else the first that this kind of data has.

    >>> unit_of(None, None, None, "graph", k=2), unit_of(None, "card", 3, "sequences"), unit_of(None, None, None)
    (Edge(k=2), User(max_sequences=3), Record())
    >>> unit_of("edge", None, 1, "sequences")
    Traceback (most recent call last):
    seqveil.errors.CallError: --unit edge does not fit sequences: use --unit record or user.
    """
    from seqveil.kinds import KINDS
    from seqveil.tables.units import Edge, Record, User

    units = {"record": Record(), "user": User(max_sequences=1 if max_sequences is None else max_sequences), "edge": Edge(k)}
    fitting = list(units) if kind is None else [unit.name for unit in KINDS[kind].unit_classes()]
    chosen = name or ("user" if user and "user" in fitting else fitting[0])
    if chosen not in units:
        raise CallError(f"--unit {chosen!r} is unknown: use user (everything of one user), record (one sequence) or edge.")
    if chosen not in fitting:
        noun = KINDS[kind].noun if kind else "this data"
        raise CallError(f"--unit {chosen} does not fit {noun}: use --unit {' or '.join(fitting)}.")
    if chosen == "user" and user is None:
        raise CallError("--unit user needs a user column: add --user COLUMN, or use --unit record.")
    return units[chosen]
