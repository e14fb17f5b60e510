"""Small data sets of every kind, and the people who may or may not be in them.

A kind says how units (what one person, record or edge brings) become a table, which units are the worst to lose, how all small
ones are listed, and how one is changed a little in a search. A new kind of data joins the audit by one entry in `KINDS`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.graphs import GraphTable
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.sets import SetTable
from seqveil.tables.units import Edge, Record, Unit, User

Content = tuple[tuple[int, ...], ...]
"""What one unit brings: records of codes, or edges."""


class Kind(Protocol):
    """How units become a table."""

    @property
    def domain(self) -> Domain: ...

    def units(self) -> list[Unit]:
        """The units under which methods of this kind are audited."""
        ...

    def table(self, people: Sequence[Content], unit: Unit) -> Any:
        """A table that these units own; the last one of them comes last."""
        ...

    def bases(self) -> list[list[Content]]:
        """Data sets that a unit is added to: the empty one first."""
        ...

    def worst(self, unit: Unit) -> list[Content]:
        """Units that move much, or that nobody resembles."""
        ...

    def every(self) -> Iterator[Content]:
        """Every small unit."""
        ...

    def changed(self, content: Content, random: np.random.Generator) -> Content:
        """A unit that resembles this one."""
        ...

    def write(self, people: Sequence[Content], path: Path) -> list[str]:
        """The table as a file, and the options with which the command line reads it."""
        ...


LABELS = "abcz"
"""Nobody in the base data has z: a label that only one person may have."""


@dataclass(frozen=True, slots=True)
class Sequences:
    """Records of labels."""

    long: int = 9

    @property
    def domain(self) -> Domain:
        return Domain.of(list(LABELS), public_because="the audit made them up")

    def units(self) -> list[Unit]:
        return [Record(), User(max_sequences=2)]

    def table(self, people: Sequence[Content], unit: Unit) -> Any:
        owners = np.array([i for i, records in enumerate(people) for _ in records], np.int64)
        records = [record for records in people for record in records]
        return SequenceTable(self.domain, Flat.of(records), owners if isinstance(unit, User) else None)

    def bases(self) -> list[list[Content]]:
        few = ["abca", "bc", "abab", "c", "ab"]
        many = [word for word in ("abc", "abca", "bcab", "cc", "a", "aab", "bca", "cab") for _ in range(4)]
        return [[], [_word(w) for w in few], [_word(w) for w in many]]

    def worst(self, unit: Unit) -> list[Content]:
        records = ["z" * self.long, "z", "abcz" * 3, "aaaa", "a" + "z" * 3]
        if isinstance(unit, User):  # one of them owns more than may be used
            return [tuple(_word(w)[0] for w in ("zzzz", "zz")), tuple(_word("zzzzz")[0] for _ in range(5)), _word("abz")]
        return [_word(record) for record in records]

    def every(self) -> Iterator[Content]:
        for length in range(1, 4):
            yield from (((record),) for record in product((0, 1, 3), repeat=length))

    def changed(self, content: Content, random: np.random.Generator) -> Content:
        records = [list(record) for record in content]
        record = records[int(random.integers(len(records)))]
        at = int(random.integers(len(record)))
        how = int(random.integers(3))
        if how == 0 and len(record) < 2 * self.long:
            record.insert(at, int(random.integers(len(LABELS))))
        elif how == 1 and len(record) > 1:
            del record[at]
        else:
            record[at] = int(random.integers(len(LABELS)))
        return tuple(tuple(record) for record in records)

    def write(self, people: Sequence[Content], path: Path) -> list[str]:
        lines = [" ".join(LABELS[c] for c in record) for records in people for record in records]
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return ["--format", "lines", "--domain", ",".join(LABELS)]


def _word(word: str) -> Content:
    return (tuple(LABELS.index(letter) for letter in word),)


@dataclass(frozen=True, slots=True)
class Sets(Sequences):
    """Sets of labels: as sequences, with order and repeats forgotten."""

    def table(self, people: Sequence[Content], unit: Unit) -> Any:
        return SetTable.of(Sequences.table(self, people, unit))

    def every(self) -> Iterator[Content]:
        for size in range(1, len(LABELS) + 1):
            yield from ((chosen,) for chosen in combinations(range(len(LABELS)), size))


VERTICES = 7


@dataclass(frozen=True, slots=True)
class Graphs:
    """Edges between public vertices."""

    @property
    def domain(self) -> Domain:
        return Domain.range(1, VERTICES, public_because="the audit made them up")

    def units(self) -> list[Unit]:
        return [Edge(1), Edge(2)]

    def table(self, people: Sequence[Content], unit: Unit) -> Any:
        edges = [edge for edges in people for edge in edges]
        return GraphTable.of(self.domain, np.array([a for a, _ in edges], np.int64), np.array([b for _, b in edges], np.int64))

    def bases(self) -> list[list[Content]]:
        some: list[Content] = [((0, 1),), ((0, 2),), ((1, 2),), ((3, 5),), ((2, 6),)]
        return [[], some, [((a, b),) for a, b in combinations(range(5), 2) if (a, b) != (3, 4)]]

    def worst(self, unit: Unit) -> list[Content]:
        k = unit.sequences
        return [((5, 6), (4, 5))[:k], ((0, 6), (1, 6))[:k], ((3, 4), (5, 6))[:k]]

    def every(self) -> Iterator[Content]:
        yield from ((pair,) for pair in combinations(range(VERTICES), 2))

    def changed(self, content: Content, random: np.random.Generator) -> Content:
        edges = list(content)
        a, b = sorted(random.choice(VERTICES, 2, replace=False).tolist())
        edges[int(random.integers(len(edges)))] = (a, b)
        return tuple(dict.fromkeys(edges))

    def write(self, people: Sequence[Content], path: Path) -> list[str]:
        lines = [f"{a + 1},{b + 1}" for edges in people for a, b in edges]
        path.write_text("\n".join(["from,to", *lines]) + "\n", encoding="utf-8")
        return ["--format", "csv", "--domain", f"1..{VERTICES}", "--order-is-public"]


KINDS: dict[str, Kind] = {"sequences": Sequences(), "sets": Sets(), "graph": Graphs()}
"""What the registry calls a kind, to how its data are made up here."""
