"""Units of privacy: what a guarantee protects, and what neighbouring datasets are.

A unit is a public word. `sequences` is the contribution bound: how many records of a table one unit may own. A question
multiplies it with what one record can change to get its L1 sensitivity, which the code calls *influence*.

>>> User(max_sequences=3).sequences
3
>>> Record().neighbours
'add or remove one record'
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from seqveil.errors import CallError
from seqveil.surface import parameter


def _positive(owner: str, name: str, value: object) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        given, example = parameter(name, repr(value)), parameter(name, "1")
        raise CallError(f"{given} is not a whole number of at least 1 ({owner}): use for example {example}.")


@dataclass(frozen=True, slots=True)
class Unit:
    """What all units share. Use one of the concrete units below."""

    name: ClassVar[str] = ""

    @property
    def neighbours(self) -> str:
        """In what two neighbouring datasets differ."""
        raise NotImplementedError

    @property
    def sequences(self) -> int:
        """How many records of a table one unit may own."""
        return 1

    def most_records(self, size: int) -> int:
        """The maximum number of records of a table with this many units.

        >>> User(max_sequences=3).most_records(1000), Record().most_records(1000), Edge(k=2).most_records(1000)
        (3000, 1000, 1000)
        """
        return size

    def describe(self) -> dict[str, Any]:
        """The unit as it stands in a manifest."""
        return {"name": self.name, **asdict(self)}

    def protected(self) -> dict[str, Any]:
        """Who is protected, as it stands in an account: epsilons add up where this is the same."""
        return self.describe()


@dataclass(frozen=True, slots=True)
class Record(Unit):
    """One record. It says nothing about a person, who may have several records."""

    name: ClassVar[str] = "record"

    @property
    def neighbours(self) -> str:
        return "add or remove one record"


@dataclass(frozen=True, slots=True)
class User(Unit):
    """One user with all their sequences; of these, a bounded number (`max_sequences`) is used."""

    name: ClassVar[str] = "user"
    max_sequences: int = 1

    @property
    def neighbours(self) -> str:
        return "add or remove one user with all their sequences"

    def __post_init__(self) -> None:
        _positive("User", "max_sequences", self.max_sequences)

    @property
    def sequences(self) -> int:
        return self.max_sequences

    def most_records(self, size: int) -> int:
        return size * self.max_sequences

    def protected(self) -> dict[str, Any]:
        """A user is a user, however many of their sequences a run uses: that decides the noise, not the neighbours."""
        return {"name": self.name}


@dataclass(frozen=True, slots=True)
class Edge(Unit):
    """Any k edges of a graph whose vertices are public: plain group privacy for k edges, nothing more.

    >>> Edge(k=3).neighbours
    'add or remove up to 3 edges; the vertices are public'
    """

    name: ClassVar[str] = "edge"
    k: int = 1

    @property
    def neighbours(self) -> str:
        return f"add or remove {'one edge' if self.k == 1 else f'up to {self.k:,} edges'}; the vertices are public"

    def __post_init__(self) -> None:
        _positive("Edge", "k", self.k)

    @property
    def sequences(self) -> int:
        return self.k


@dataclass(frozen=True, slots=True)
class Event(Unit):
    """One event of a stream."""

    name: ClassVar[str] = "event"

    @property
    def neighbours(self) -> str:
        return "replace one event by another at the same position"


@dataclass(frozen=True, slots=True)
class Run(Unit):
    """Any run of so many consecutive events of a stream.

    >>> Run(events=24).neighbours
    'replace up to 24 consecutive events by others at the same positions'
    """

    name: ClassVar[str] = "run"
    events: int = 1

    @property
    def neighbours(self) -> str:
        return f"replace up to {self.events:,} consecutive events by others at the same positions"

    def __post_init__(self) -> None:
        _positive("Run", "events", self.events)

    @property
    def sequences(self) -> int:
        return self.events


@dataclass(frozen=True, slots=True)
class UserDay(Unit):
    """One user on one day of a stream; of their events of that day, a bounded number (`max_per_day`) is used."""

    name: ClassVar[str] = "user-day"
    max_per_day: int = 1

    @property
    def neighbours(self) -> str:
        return "replace the events of one user on one day by others, or by null events, at the same positions"

    def __post_init__(self) -> None:
        _positive("UserDay", "max_per_day", self.max_per_day)

    @property
    def sequences(self) -> int:
        return self.max_per_day

    def protected(self) -> dict[str, Any]:
        """A user's day is the same, however many of its events a stream uses."""
        return {"name": self.name}


def unit_from(description: dict[str, Any]) -> Unit:
    """The unit that `describe` described.

    >>> unit_from({"name": "user", "max_sequences": 5})
    User(max_sequences=5)
    """
    facts = dict(description)
    kinds: dict[str, type[Unit]] = {kind.name: kind for kind in (Record, User, Edge, Event, Run, UserDay)}
    return kinds[facts.pop("name")](**facts)
