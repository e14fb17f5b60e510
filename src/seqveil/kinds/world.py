"""Small simulated data of a kind: for the rehearsal before a run, for the audit, and for the conformance suite.

A world says how units of privacy (what one person, record or edge contributes) become a table, which units are the worst to lose,
how all small ones are listed, how one is changed a little in a search, and which tables are odd but allowed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np

    from seqveil.tables.domain import Domain
    from seqveil.tables.units import Unit

Content = tuple[tuple[int, ...], ...]
"""What one unit contributes: records of codes, or edges."""

BECAUSE = "simulated for a test of Seqveil"
"""Why the labels of a world are public."""


class Odd(NamedTuple):
    """A table that a mechanism must bear: its units, and a domain to read them over."""

    people: list[Content]
    domain: Domain


class World(Protocol):
    """Made-up data of one kind."""

    @property
    def domain(self) -> Domain:
        """The labels of `bases`, `worst`, `every` and `changed`."""
        ...

    def units(self) -> list[Unit]:
        """The units under which mechanisms for this kind are tested."""
        ...

    def table(self, people: Sequence[Content], unit: Unit, domain: Domain | None = None) -> Any:
        """A table that these units own, over `domain` if given; the last one of them comes last."""
        ...

    def rehearsal(self, domain: Domain, users: bool) -> Any:
        """A table over any domain with something in it for every step of a mechanism; with or without users."""
        ...

    def bases(self) -> list[list[Content]]:
        """Datasets that a unit is added to: the empty one first, then a small one, then a larger one."""
        ...

    def odd(self) -> dict[str, Odd]:
        """Tables that are odd but allowed, by what is odd about them."""
        ...

    def worst(self, unit: Unit) -> list[Content]:
        """Units that move much, or that no other resembles."""
        ...

    def every(self) -> Iterator[Content]:
        """Every small unit."""
        ...

    def changed(self, content: Content, random: np.random.Generator) -> Content:
        """A unit that resembles this one."""
        ...

    def write(self, people: Sequence[Content], path: Path) -> list[str]:
        """Write the table to a file; returns the options with which the command line reads it."""
        ...
