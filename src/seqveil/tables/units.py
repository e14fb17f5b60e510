"""Units: whom a guarantee protects, and what neighbouring data sets are.

A unit is a public word. `sequences` is how many records of a table one unit may own; a question multiplies it with what
one record can move to get the unit's *influence*.

>>> User(max_sequences=3).sequences
3
>>> Record().neighbours
'add or remove one record'
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from seqveil.errors import CallError


def _positive(owner: str, name: str, value: object) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise CallError(f"{owner}({name}={value!r}): {name} must be a whole number of at least 1, for example {name}=1.")


@dataclass(frozen=True, slots=True)
class Unit:
    """What all units share. Use one of the concrete units below."""

    name: ClassVar[str] = ""
    neighbours: ClassVar[str] = ""

    @property
    def sequences(self) -> int:
        """How many records of a table one unit may own."""
        return 1

    def describe(self) -> dict[str, Any]:
        """The unit as it stands in a manifest."""
        return {"name": self.name, **asdict(self)}

    def protected(self) -> dict[str, Any]:
        """Who is protected, as it stands in an account: epsilons add up where this is the same."""
        return self.describe()


@dataclass(frozen=True, slots=True)
class Record(Unit):
    """One record: every sequence stands for a person of its own."""

    name: ClassVar[str] = "record"
    neighbours: ClassVar[str] = "add or remove one record"


@dataclass(frozen=True, slots=True)
class User(Unit):
    """One user with everything they own; at most `max_sequences` of their sequences are used."""

    name: ClassVar[str] = "user"
    neighbours: ClassVar[str] = "add or remove one user with all their sequences"
    max_sequences: int = 1

    def __post_init__(self) -> None:
        _positive("User", "max_sequences", self.max_sequences)

    @property
    def sequences(self) -> int:
        return self.max_sequences

    def protected(self) -> dict[str, Any]:
        """A user is a user, however many of their sequences a run uses: that decides the noise, not the neighbours."""
        return {"name": self.name}


@dataclass(frozen=True, slots=True)
class Edge(Unit):
    """Any k edges of a graph whose vertices are public: plain group privacy for k edges, nothing more."""

    name: ClassVar[str] = "edge"
    neighbours: ClassVar[str] = "add or remove up to k edges; the vertices are public"
    k: int = 1

    def __post_init__(self) -> None:
        _positive("Edge", "k", self.k)

    @property
    def sequences(self) -> int:
        return self.k


@dataclass(frozen=True, slots=True)
class Event(Unit):
    """One event of a stream."""

    name: ClassVar[str] = "event"
    neighbours: ClassVar[str] = "replace one event by another at the same position"


def unit_from(description: dict[str, Any]) -> Unit:
    """The unit that `describe` described.

    >>> unit_from({"name": "user", "max_sequences": 5})
    User(max_sequences=5)
    """
    facts = dict(description)
    kinds: dict[str, type[Unit]] = {kind.name: kind for kind in (Record, User, Edge, Event)}
    return kinds[facts.pop("name")](**facts)
