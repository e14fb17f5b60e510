"""SequenceTable: the data holder's sequences, encoded against a declared domain. Raw: it never crosses the wall."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat, refuse_malformed
from seqveil.tables.spelling import spelling


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SequenceTable:
    """Sequences as flat codes, with the user each one belongs to when users were named.

    `users` numbers the owner of each sequence (any int64, equal numbers mean the same user), or is None when every
    sequence stands for itself. `names` are digests of the owners' names (`tables.lots`), by which secret choices are made;
    without them the numbers are the names. Its repr says nothing that depends on the data.

    >>> from seqveil.tables.domain import Domain
    >>> table = SequenceTable(Domain.of(["a", "b"]), Flat.of([[0, 1], [1]]))
    >>> table
    SequenceTable(domain=2 labels)
    """

    kind: ClassVar[str] = "sequences"
    engine: ClassVar[str] = "local"

    domain: Domain
    flat: Flat
    users: NDArray[np.int64] | None = None
    names: NDArray[np.uint64] | None = None

    def __post_init__(self) -> None:
        # Kernels index by code without looking: a table made by hand must not send them out of bounds.
        refuse_malformed(self.flat, self.users, len(self.domain), "read_sequences or table_of", self.names)

    def __len__(self) -> int:
        return len(self.flat)

    @property
    def owners(self) -> NDArray[np.int64] | None:
        """The unit that owns each record, where it is not the record itself."""
        return self.users

    def take(self, rows: NDArray[np.integer]) -> SequenceTable:
        """The chosen records."""
        users, names = (None if column is None else column[rows] for column in (self.users, self.names))
        return SequenceTable(self.domain, self.flat.take(rows), users, names)

    def bounded(self, m: int, key: NDArray[np.uint64]) -> SequenceTable:
        """At most m records of each user; `key` is the secret of the lots by which they are drawn."""
        from seqveil.tables.bound import bound_records

        return bound_records(self, m, key)

    def __repr__(self) -> str:
        return f"SequenceTable(domain={len(self.domain):,} labels)"


def table_of(sequences: Iterable[Sequence[Any]], domain: Domain, users: Sequence[Any] | None = None) -> SequenceTable:
    """A table from plain lists of labels, for examples and small data; labels outside the domain are dropped.

    Labels and users are spelled one by one (`tables.spelling`); a sequence whose user is missing is dropped.

    >>> from seqveil.tables.domain import Domain
    >>> [s.tolist() for s in table_of([["b", "a"], ["?"]], Domain.of(["a", "b"])).flat]
    [[1, 0]]
    """
    if isinstance(sequences, str | bytes):
        raise CallError("the data is one text, not a list of sequences: give lists of labels, for example [['A', 'B'], ['A']].")
    codes = [[c for label in _members(s) if (c := _code(label, domain)) is not None] for s in sequences]
    if users is None:
        return SequenceTable(domain, Flat.of(c for c in codes if c))
    number: dict[bytes, int] = {}
    owned = [(number.setdefault(u, len(number)), c) for u, c in zip(map(_bare, users), codes, strict=True) if u and c]
    owners = np.array([u for u, _ in owned], np.int64)
    return SequenceTable(domain, Flat.of(c for _, c in owned), owners, _digests(list(number))[owners])


def _digests(names: list[bytes]) -> NDArray[np.uint64]:
    from seqveil.tables.lots import digests  # compiled kernels: only tables with users pay for loading them
    from seqveil.tables.spans import Spans

    return digests(Spans.of(names))


def _members(sequence: Any) -> Iterable[Any]:
    """The labels of a sequence; a text is one label, and what is no collection has none."""
    if isinstance(sequence, str | bytes):
        return (sequence,)
    try:
        return list(sequence)
    except Exception:  # whatever somebody's object raises, the others are read
        return ()


def _code(label: Any, domain: Domain) -> int | None:
    try:
        return domain.code(_bare(label).decode())
    except UnicodeDecodeError:  # every label of a domain is text
        return None


def _bare(value: Any) -> bytes:
    """The spelling without blanks around it, as in every reader."""
    return (spelling(value) or b"").strip(b" \t\r")
