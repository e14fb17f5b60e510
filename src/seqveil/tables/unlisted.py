"""LabelTable: the labels that each unit of privacy used, where nobody has a list of labels. Raw: it never crosses the wall.

The labels themselves are raw here. So the table has a dictionary of its own, which no domain is made of: its public domain is
`UNKNOWN`, which has no labels at all. What a record holds is a function of its own values: a value that cannot be a label
(`tables.labels`) is dropped by looking at it alone, and codes are ranks in the order of bytes, so that they order the labels of
one record in the same way whatever the others hold. Codes themselves depend on all records: only the engine sees them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat, refuse_malformed
from seqveil.tables.labels import can_be_labels
from seqveil.tables.lots import by_owner, names_of
from seqveil.tables.sequences import SequenceTable, table_of
from seqveil.tables.sets import SetTable
from seqveil.tables.spans import Numbering, Spans

UNKNOWN = Domain.unknown()
"""The public domain where no label is public."""


class Unlisted:
    """The labels that a reader meets: it answers readers as a `Domain` does, and takes in whatever it is asked for. Raw.

    >>> met = Unlisted()
    >>> met.find(Spans.of(["Ware", "Ely", "Ware", None])).tolist(), len(met), met
    ([0, 1, 0, -1], 2, Unlisted())
    """

    other: int | None = None
    calendar = None
    has_blanks = False

    def __init__(self) -> None:
        self._numbering = Numbering()

    @property
    def untimed(self) -> Unlisted:
        """Itself: nobody has listed times either."""
        return self

    def __len__(self) -> int:
        return len(self._numbering)

    def __repr__(self) -> str:
        return "Unlisted()"

    def find(self, spans: Spans) -> NDArray[np.integer]:
        """The number of each label, -1 for missing ones."""
        return self._numbering.number(spans)

    def code(self, label: str) -> int | None:
        """The number of one label."""
        number = int(self.find(Spans.of([label]))[0])
        return None if number < 0 else number

    def words(self) -> list[bytes]:
        """All labels, in the order of their numbers."""
        return self._numbering.names()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Words:
    """Labels as bytes, one after the other in ascending order: label k is `letters[offsets[k]:offsets[k + 1]]`."""

    letters: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, ascending: list[bytes]) -> Words:
        """From labels that are sorted already."""
        offsets = np.zeros(len(ascending) + 1, np.int64)
        np.cumsum([len(word) for word in ascending], out=offsets[1:])
        return cls(np.frombuffer(b"".join(ascending), np.uint8), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        return "Words()"

    def spans(self) -> Spans:
        """The same, as spans."""
        return Spans(self.letters, self.offsets[:-1], self.offsets[1:])

    def text(self, codes: NDArray[np.integer]) -> list[str]:
        """The labels of some codes."""
        body = self.letters.tobytes()
        return [body[self.offsets[code] : self.offsets[code + 1]].decode() for code in codes.tolist()]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LabelTable:
    """The distinct labels of every record, or of everything that a user has, as codes of `words` in ascending order.

    `users` and `names` are as in a SequenceTable. Its repr says nothing that depends on the data.

    >>> table = labels_of([["Ware", "Ely", "Ware"], [" Ely "], ["\\x1b"]])
    >>> table, [codes.tolist() for codes in table.flat], table.words.text(np.arange(2))
    (LabelTable(), [[0, 1], [0]], ['Ely', 'Ware'])
    """

    kind: ClassVar[str] = "labels"
    engine: ClassVar[str] = "local"

    domain: Domain
    flat: Flat
    words: Words
    users: NDArray[np.int64] | None = None
    names: NDArray[np.uint64] | None = None

    def __post_init__(self) -> None:
        if len(self.domain):
            raise CallError("labels that are to be discovered have no public domain: leave the domain out.")
        refuse_malformed(self.flat, self.users, len(self.words), "labels_of", self.names)
        if self.users is not None and len(np.unique(self.users)) < len(self.users):
            raise CallError("everything that a user has is one record here: make tables with labels_of.")

    @classmethod
    def of(cls, table: SequenceTable, met: Unlisted) -> LabelTable:
        """From records that were read with `met` for a domain: what cannot be a label is dropped, and so are empty records."""
        words = met.words()
        usable = can_be_labels(words)
        ascending = sorted(np.flatnonzero(usable).tolist(), key=words.__getitem__)
        code = np.full(len(words), -1, np.int32)
        code[ascending] = np.arange(len(ascending), dtype=np.int32)
        codes = code[table.flat.items] if len(words) else np.zeros(0, np.int32)
        kept = np.append(0, np.cumsum(codes >= 0))
        flat = Flat(codes[codes >= 0], kept[table.flat.offsets])
        used = Words.of([words[k] for k in ascending])
        users, names = table.users, table.names
        if users is not None:
            order, first = by_owner(users)
            flat = flat.take(order)
            flat = Flat(flat.items, flat.offsets[first])
            users, names = users[order][first[:-1]], names_of(users, names)[order][first[:-1]]
        sets = SetTable.of(SequenceTable(Domain.range(0, len(used)), flat, users, names))
        return cls(UNKNOWN, sets.flat, used, sets.users, sets.names)

    def __len__(self) -> int:
        return len(self.flat)

    @property
    def owners(self) -> NDArray[np.int64] | None:
        """The unit that owns each record, where it is not the record itself."""
        return self.users

    def take(self, rows: NDArray[np.integer]) -> LabelTable:
        """The chosen records."""
        users, names = (None if column is None else column[rows] for column in (self.users, self.names))
        return replace(self, flat=self.flat.take(rows), users=users, names=names)

    def bounded(self, m: int, key: NDArray[np.uint64]) -> LabelTable:
        """At most m records of each user: every user has one, so there is nothing to choose."""
        return self

    def __repr__(self) -> str:
        return "LabelTable()"


def labels_of(records: Any, users: Any = None) -> LabelTable:
    """A table from plain lists of labels, for examples and small data: each value is spelled by itself (`tables.spelling`)."""
    met = Unlisted()
    return LabelTable.of(table_of(records, cast(Any, met), users), met)
