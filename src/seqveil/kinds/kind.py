"""What a kind of data is: one object that names its parts.

Parts are "module:name" strings and are loaded when they are used. So this room imports no reader, evaluator or view, whoever asks
for one part loads no other, and the wall can ask what a kind is without knowing anybody who works with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from seqveil.errors import CallError

if TYPE_CHECKING:
    from seqveil.tables.units import Unit


def load(part: str) -> Any:
    """What a "module:name" string names.

    >>> load("seqveil.kinds.kind:Kind") is Kind
    True
    """
    module, _, name = part.partition(":")
    return getattr(import_module(module), name)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of data, and the names of everything that knows how to work with it.

    Args:
        name: what tables, mechanisms and `--kind` call it.
        noun: what a table of it holds, for sentences.
        table: the class of its tables.
        readers: `inspect` (a file's format first, its rows later) and `read` (all at once).
        formats: the reader in the table of formats whose files it reads, where that is not the one of its own name.
        units: the units of privacy that a release made from it can protect.
        fenced: why it can protect none, where that is so.
        becomes: the kind of the table that its readers return, where that is another one.
        contents: what releases made from it may hold.
        evaluator: what compares a release with the raw table; INTERNAL.
        views: what verbs that look at raw data do for it, by verb. Verbs that look at releases ask for capabilities instead.
        world: simulated data for rehearsals, audits and conformance.
        simulated: a function that simulates a table of any size over any domain, for plans (`simulate.records.sequences`).
        unlisted: whether its labels are no declared domain, but are to be discovered.
        unreleased: options of a reader that a data holder must state for a release, and need not where nothing is released.
    """

    name: str
    noun: str
    table: str
    readers: Mapping[str, str]
    formats: str = ""
    units: tuple[str, ...] = ()
    fenced: str = ""
    becomes: str = ""
    contents: tuple[str, ...] = ()
    evaluator: str | None = None
    views: Mapping[str, str] = field(default_factory=dict)
    world: str | None = None
    simulated: str | None = None
    unlisted: bool = False
    unreleased: Mapping[str, Any] = field(default_factory=dict)

    @property
    def held_as(self) -> str:
        """The kind of the tables that its readers return."""
        return self.becomes or self.name

    def table_class(self) -> type:
        """The class of its tables."""
        loaded: type = load(self.table)
        return loaded

    def reader(self, role: str = "read") -> Any:
        """One of its readers."""
        return load(self.readers[role])

    def unit_classes(self) -> tuple[type[Unit], ...]:
        """The units of privacy that it can protect."""
        return tuple(load(unit) for unit in self.units)

    def view(self, verb: str) -> Any:
        """What a verb does differently for it; None where the verb has nothing special to do."""
        return load(self.views[verb]) if verb in self.views else None

    def small_world(self) -> Any:
        """Its simulated data: a `World` where it has tables. A fenced kind has none."""
        if self.world is None:
            raise CallError(f"no simulated data of kind {self.name!r}: {self.fenced or 'its file names no world'}.")
        return load(self.world)()
