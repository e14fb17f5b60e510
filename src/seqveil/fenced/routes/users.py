"""Who travels: where from, where to, how far at most, with what weight, and what they would like to see."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from seqveil.errors import CallError, InputProblems
from seqveil.extras import need
from seqveil.fenced.routes.graph import LocationGraph
from seqveil.numbers import real

MOST_BYTES = 1 << 20
"""A file of travellers."""

_FIELDS = ("name", "start", "end", "limit", "weight", "preferences", "departs")


@dataclass(frozen=True)
class User:
    """A traveller. The limit is a cost, or a multiple of their own shortest way such as "1.5x".

    >>> User("Ada", "a", "c", "1.5x", {"museum": 2}).bound(10.0)
    15.0
    """

    name: str
    start: str
    end: str
    limit: float | str
    preferences: Mapping[str, float] = field(default_factory=dict)
    weight: float = 1.0
    departs: float = 0.0
    """When they leave their start, in the unit of the costs: it decides who waits for whom."""

    def bound(self, shortest: float) -> float:
        """Δ, given the cost of the shortest way."""
        if not isinstance(self.limit, str):
            return float(self.limit)
        text = self.limit.strip().lower()
        return real(text[:-1]) * shortest if text.endswith("x") else real(text)

    def problems(self, graph: LocationGraph) -> Iterable[str]:
        """Everything about this user that can be seen without looking for a way."""
        if self.start == self.end:
            yield f"{self.name}: start and end are both {self.start!r}: give another end, such as a neighbouring node"
        for word, node in (("start", self.start), ("end", self.end)):
            if node not in graph.codes:
                yield f"{self.name}: {word} {node!r} is not a node of the graph ({len(graph):,} nodes, such as {graph.ids[0]!r})"
        try:
            good = self.bound(1.0) > 0 and math.isfinite(self.bound(1.0))
        except (ValueError, TypeError, OverflowError):
            good = False
        if not good:
            yield f"{self.name}: limit {self.limit!r} is neither a cost above 0 such as 12.5 nor a multiple such as '1.5x'"
        if not (self.weight >= 0 and math.isfinite(self.weight)):
            yield f"{self.name}: weight {self.weight!r} must be a number of at least 0"
        if not (self.departs >= 0 and math.isfinite(self.departs)):
            yield f"{self.name}: departs {self.departs!r} must be a number of at least 0, in the unit of the costs"
        for category, liking in self.preferences.items():
            if category not in graph.wantable:
                offered = ", ".join(graph.wantable[:10]) + (", …" if len(graph.wantable) > 10 else "")
                yield f"{self.name}: no node offers {category!r}: the categories are {offered or '(none)'}"
            if not (liking >= 0 and math.isfinite(liking)):
                yield f"{self.name}: preference {liking!r} for {category!r} must be a number of at least 0"


def user_of(described: User | Mapping[str, Any], number: int) -> User:
    """A user from a mapping with the fields name, start, end, limit, weight, preferences and departs."""
    if isinstance(described, User):
        return described
    name = str(described.get("name", f"user {number}"))
    missing = [key for key in ("start", "end", "limit", "preferences") if described.get(key) in (None, "")]
    unknown = [str(key) for key in described if key not in _FIELDS]
    if missing or unknown:
        problems = [f"{name}: has no {key!r}" for key in missing] + [
            f"{name}: unknown field {key!r}: the fields are {', '.join(_FIELDS)}" for key in unknown
        ]
        raise InputProblems("users", problems)
    try:
        likes = {str(key): float(value) for key, value in dict(_likes(described["preferences"])).items()}
        weight = float(described.get("weight") or 1.0) if described.get("weight") != 0 else 0.0
        departs = float(described.get("departs") or 0.0)
    except (TypeError, ValueError, OverflowError):
        raise InputProblems(
            "users", [f"{name}: weight and preferences must be numbers, as in 'museum: 3', and so must departs"]
        ) from None
    return User(name, str(described["start"]), str(described["end"]), described["limit"], likes, weight, departs)


def _likes(preferences: Any) -> Any:
    """Preferences as a mapping, a list of categories (each 1), or text such as "museum:3 café:1"."""
    if isinstance(preferences, Mapping):
        return preferences
    parts = preferences.split() if isinstance(preferences, str) else list(preferences)
    return [(name or last, value if name else 1) for name, _, value, last in ((*str(p).rpartition(":"), str(p)) for p in parts)]


def read_users(path: str | Path) -> list[User]:
    """Users from a .yaml, .yml, .json, .toml or .csv file: a list, or a table `users`."""
    path = Path(path)
    readers: dict[str, Callable[[str], Any]] = {".yaml": _yaml, ".yml": _yaml, ".json": json.loads, ".toml": _toml, ".csv": _csv}
    if path.suffix.lower() not in readers:
        raise CallError(f"users file {path.name!r}: cannot infer its format: name it .yaml, .json, .toml or .csv.")
    try:
        with path.open("rb") as file:
            raw = file.read(MOST_BYTES + 1)  # no more: the file may be a device that never ends
        if len(raw) > MOST_BYTES:
            raise InputProblems(path.name, [f"is larger than {MOST_BYTES:,} bytes, the most a list of travellers can have"])
        content = readers[path.suffix.lower()](raw.decode("utf-8"))
    except OSError as error:
        raise CallError(f"users file {str(path)!r} cannot be read: {error.strerror}.") from None
    except RecursionError:
        raise InputProblems(path.name, ["is nested too deeply: give a list of users"]) from None
    except ValueError as error:
        raise InputProblems(path.name, [f"not a valid {path.suffix[1:]} file: {error}"]) from None
    listed = content.get("users") if isinstance(content, Mapping) else content
    if not isinstance(listed, list) or not listed or not all(isinstance(one, Mapping) for one in listed):
        raise InputProblems(path.name, ["has no list of users: each needs start, end, limit and preferences"])
    return [user_of(one, number) for number, one in enumerate(listed, 1)]


def _yaml(text: str) -> Any:
    need("travellers")
    import yaml  # type: ignore[import-untyped]

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from None


def _toml(text: str) -> Any:
    import tomllib

    return tomllib.loads(text)


def _csv(text: str) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if key} for row in csv.DictReader(text.splitlines())]
