"""A file of names as an input of the wall: sequences of characters over a public alphabet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from seqveil.sources.names import inspect_names, names_format
from seqveil.sources.source import Reading
from seqveil.sources.specimen import Described, specimen
from seqveil.sources.spool import Spool, spooled
from seqveil.tables.domain import Domain
from seqveil.tables.names import Alphabet
from seqveil.tables.sequences import SequenceTable


@dataclass(frozen=True)
class NameSource:
    """What `seqveil link base` reads. Like a `Source`, it is inspected first, and its rows are read only afterwards."""

    kind: ClassVar[str] = SequenceTable.kind

    data: str | Path
    alphabet: Alphabet
    column: str | None = None
    user: str | None = None
    delimiter: str | None = None
    format: str | None = None
    public_because: str | None = None

    @property
    def domain(self) -> Domain:
        """The characters, and why they are public."""
        return replace(self.alphabet.domain, public_because=self.public_because)

    @cached_property
    def file(self) -> Spool:
        """The file, opened once."""
        return spooled(self.data)

    @cached_property
    def reading(self) -> Reading:
        """The inspected input; raises InputProblems with everything that is wrong with its format."""
        options = {"user": self.user, "delimiter": self.delimiter, "format": self.format}
        return Reading(*inspect_names(self.file, self.column, self.alphabet, **options))

    @property
    def description(self) -> str:
        """How the names are read, in words."""
        return self.reading.description

    def read(self) -> SequenceTable:
        """The names as sequences over `domain`."""
        table: SequenceTable = self.reading.read()
        return replace(table, domain=self.domain)

    def specimen(self) -> SequenceTable:
        """A few made-up names in a file of the same format, read by the same reader; the file itself is inspected first."""
        self.reading  # noqa: B018 — raises what is wrong with the format, while that costs nothing
        format = names_format(self.file, self.format) or ""
        roles = {role: name for role, name in (("item", self.column), ("user", self.user)) if name}
        separator = self.delimiter or ("\t" if format == "tsv" else ",")
        names = specimen(self.file, Described(format, ("anna", "bob"), roles, separator=separator))
        return replace(self, data=names).read()

    def chunks(self) -> Iterator[bytes]:
        """All bytes of the file, as they lie in it."""
        return self.file.chunks()

    def stating(self, public_because: str | None) -> NameSource:
        """The same input, over an alphabet that says why it is public."""
        stated = replace(self, data=self.file, public_because=public_because)
        stated.__dict__["reading"] = self.reading  # the format is not inspected again
        return stated
