"""What is computed over a stretch of a stream, and how far one event can move it.

A statistic turns events into numbers one by one (NaN is a null event, which holds its place), says how far the
replacement of one event, by another or by a null, can move its value on any stretch, and says which exact kernels of an engine
compute it.

`Lis` stands here: taking one event out lowers the length by 0 or 1, so two streams that differ in one event lie within 1 of
each other. `Count` and `Sum` stand in additive.py, `Matches` and `Bursts` in packings.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.protocol import Exact, StreamEngine
from seqveil.wall.continual.where import number

_PLAIN = frozenset({int, float, bool, str, np.bool_, *(np.dtype(code).type for code in "bhilqBHILQefd")})
"""Types that `float` turns into what `number` says, without any code of the event's own and without a warning."""


Events = TypeVar("Events", int, NDArray[np.int64])
"""A number of events, or several such numbers."""


class Statistic(Protocol):
    """A statistic of a stretch of a stream; frozen, public."""

    name: ClassVar[str]

    @property
    def values(self) -> int:
        """Of how many numbers the value of a stretch consists."""
        ...

    @property
    def sensitivity(self) -> int:
        """How far one event can move the value of any stretch, in L1."""
        ...

    @property
    def square(self) -> int:
        """The square of how far one event can move it in L2."""
        ...

    @property
    def shortest(self) -> int:
        """The fewest events of a stretch whose value depends on them; every shorter stretch has the value 0."""
        ...

    def describe(self) -> dict[str, Any]:
        """The public parameters."""
        ...

    def numbers(self, events: Sequence[object]) -> NDArray[np.float64]:
        """Events as numbers; NaN for null. Depends on each event alone, and never raises."""
        ...

    def bounds(self, events: Events) -> tuple[Events, Events]:
        """The least and the largest value that a stretch of so many events can have."""
        ...

    def shown(self, values: list[int]) -> list[Any]:
        """Values in the units of the events."""
        ...

    def prefix(self, engine: StreamEngine) -> Exact:
        """The kernel over everything so far."""
        ...

    def window(self, engine: StreamEngine, width: int) -> Exact:
        """The kernel over the last `width` events."""
        ...

    def blocks(self, engine: StreamEngine, levels: int, every: bool) -> Exact:
        """The kernel over dyadic blocks."""
        ...


def square_of(statistic: Statistic, touched: int, events: int) -> int:
    """The squared L2 distance that `events` events can make between released values, each event in at most `touched` of them.

    One event moves each of them by at most √(statistic.square); several are replaced one after the other, and distances add up.
    """
    return events**2 * touched * statistic.square


class Behind:
    """An exact kernel that is fed with what a function makes of the events."""

    def __init__(self, first: Callable[[NDArray[np.float64]], NDArray[np.int64]], kernel: Exact) -> None:
        self._first, self._kernel = first, kernel

    def feed(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        return self._kernel.feed(self._first(values))


def as_numbers(events: Sequence[object]) -> NDArray[np.float64]:
    """Finite numbers as they are, everything else as NaN."""
    if _PLAIN.issuperset(map(type, events)):
        try:
            # The usual case, all of them numbers, at the speed of C.
            values = np.array([float(event) for event in events])  # type: ignore[arg-type]
        except (ValueError, OverflowError):
            pass
        else:
            values[np.isinf(values)] = np.nan
            return values
    return np.array([np.nan if (value := number(event)) is None else value for event in events])


@dataclass(frozen=True, slots=True)
class Lis:
    """The length of the longest increasing subsequence; equal events may follow each other unless `strict`."""

    name: ClassVar[str] = "lis"
    strict: bool = False

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
        return 1

    def describe(self) -> dict[str, Any]:
        return {"statistic": self.name, "strict": self.strict}

    def numbers(self, events: Sequence[object]) -> NDArray[np.float64]:
        return as_numbers(events)

    def bounds(self, events: Events) -> tuple[Events, Events]:
        return events * 0, events

    def shown(self, values: list[int]) -> list[Any]:
        return values

    def prefix(self, engine: StreamEngine) -> Exact:
        return engine.prefix_lis(self.strict)

    def window(self, engine: StreamEngine, width: int) -> Exact:
        return engine.window_lis(width, self.strict)

    def blocks(self, engine: StreamEngine, levels: int, every: bool) -> Exact:
        return engine.block_lis(levels, every, self.strict)
