"""Matches of a pattern and bursts: how many fit into a stretch without sharing an event.

Both name a public family of short runs of events ("a b c, but for one edit"; "five alarms within an hour"). The value of a
stretch is the largest number of members of the family that lie in it and have no event in common. Take a largest choice and
replace one event, by another or by a null: at most one chosen member contains that event, and the others are still members. So
the value falls by at most 1, and, read backwards, rises by at most 1. Counting every occurrence would not do: one event lies in
four occurrences of 'a a a a'.

A member has at least `shortest` events, so shorter stretches have the value 0 whatever their events are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.protocol import Exact, StreamEngine
from seqveil.errors import CallError
from seqveil.notation import from_text
from seqveil.surface import parameter
from seqveil.wall.continual.additive import Count
from seqveil.wall.continual.statistics import Behind, Events
from seqveil.wall.continual.where import compared, text_of

MOST_SYMBOLS = 256
"""The kernel's work per event is symbols × (edits + 1)."""

MOST_HITS = 2**20
"""The kernel remembers so many positions."""


class _Packing:
    """What matches and bursts share: lengths of members first, then as many of them as fit."""

    __slots__ = ()

    @property
    def values(self) -> int:
        return 1

    @property
    def sensitivity(self) -> int:
        return 1

    @property
    def square(self) -> int:
        return 1

    @property
    def shortest(self) -> int:
        raise NotImplementedError

    def lengths(self, engine: StreamEngine) -> Exact:
        """The kernel that tells, after each event, how long the shortest member is that ends there."""
        raise NotImplementedError

    def bounds(self, events: Events) -> tuple[Events, Events]:
        return events * 0, events // self.shortest

    def shown(self, values: list[int]) -> list[Any]:
        return values

    def prefix(self, engine: StreamEngine) -> Exact:
        return Behind(self.lengths(engine).feed, engine.prefix_packing())

    def window(self, engine: StreamEngine, width: int) -> Exact:
        return Behind(self.lengths(engine).feed, engine.window_packing(width))

    def blocks(self, engine: StreamEngine, levels: int, every: bool) -> Exact:
        return Behind(self.lengths(engine).feed, engine.block_packing(levels, every))


@dataclass(frozen=True, slots=True)
class Matches(_Packing):
    """Runs of events that are the pattern, but for at most `edits` events inserted, left out or replaced.

    Labels are separated by blanks; one with a blank inside stands in double quotes. Numbers are compared as numbers.

    >>> Matches("open fail fail").numbers(["fail", "open", "shut", None]).tolist()
    [2.0, 1.0, 0.0, nan]
    >>> Matches("1 2 3", edits=1).shortest
    2
    """

    name: ClassVar[str] = "matches"
    pattern: str
    edits: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.pattern, str) or not 1 <= len(self._labels) <= MOST_SYMBOLS:
            raise CallError(
                f"{parameter('pattern', repr(self.pattern))}: give from 1 to {MOST_SYMBOLS} labels with blanks between them, "
                f"for example {parameter('pattern', repr('open fail fail'))}."
            )
        if not isinstance(self.edits, int) or isinstance(self.edits, bool) or not 0 <= self.edits < len(self._labels):
            raise CallError(
                f"{parameter('edits', str(self.edits))}: give a whole number from 0 to {len(self._labels) - 1}, below the number "
                f"of labels in {parameter('pattern')}: with more, no event at all would match."
            )

    @property
    def _labels(self) -> tuple[float | str, ...]:
        return _parsed(self.pattern)

    @property
    def _symbols(self) -> dict[float | str, int]:
        """Each label's number, from 1, in the order of the pattern."""
        return {label: at for at, label in enumerate(dict.fromkeys(self._labels), start=1)}

    @property
    def shortest(self) -> int:
        return len(self._labels) - self.edits

    def describe(self) -> dict[str, Any]:
        return {"statistic": self.name, "pattern": self.pattern, "edits": self.edits}

    def numbers(self, events: Sequence[object]) -> NDArray[np.float64]:
        symbols = self._symbols
        texts = [(event, text_of(event)) for event in events]
        return np.array([np.nan if text is None else symbols.get(compared(event, text), 0) for event, text in texts], np.float64)

    def lengths(self, engine: StreamEngine) -> Exact:
        symbols = self._symbols
        return engine.match_lengths(tuple(symbols[label] for label in self._labels), self.edits)


@lru_cache(maxsize=16)
def _parsed(pattern: str) -> tuple[float | str, ...]:
    return tuple(compared(label, label) for label in from_text(pattern))


@dataclass(frozen=True, slots=True)
class Bursts(_Packing):
    """Runs of at most `within` events of which `at_least` satisfy the comparison; without one, are true.

    >>> Bursts(at_least=5, within=24, where="> 100").numbers(["150", "7", "?"]).tolist()
    [1.0, 0.0, nan]
    """

    name: ClassVar[str] = "bursts"
    at_least: int
    within: int
    where: str | None = None

    def __post_init__(self) -> None:
        Count(self.where)
        for name, least, most in (("at_least", 1, MOST_HITS), ("within", self.at_least, None)):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < least or (most is not None and value > most):
                upto = "" if most is None else f" and at most {most:,}"
                why = f", {parameter('at_least')}" if name == "within" else ""
                raise CallError(f"{parameter(name, str(value))}: give a whole number of at least {least}{why}{upto}.")

    @property
    def shortest(self) -> int:
        return self.at_least

    def describe(self) -> dict[str, Any]:
        return {"statistic": self.name, "at_least": self.at_least, "within": self.within, "where": self.where}

    def numbers(self, events: Sequence[object]) -> NDArray[np.float64]:
        return Count(self.where).numbers(events)

    def lengths(self, engine: StreamEngine) -> Exact:
        return engine.burst_lengths(self.at_least, self.within)
