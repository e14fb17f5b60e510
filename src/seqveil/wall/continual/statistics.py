"""What is computed over a stretch of a stream, and how far one event can move it.

A statistic turns events into numbers one by one (NaN is a null event, which holds its place), says how far the
replacement of one event, by another or by a null, can move its value on any stretch, and names its exact kernels.

`Lis` stands here: taking one event out lowers the length by 0 or 1, so two streams that differ in one event lie within 1 of
each other. `Count` and `Sum` stand in additive.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from seqveil.wall.continual.where import number

_PLAIN = frozenset({int, float, bool, str, np.bool_, *(np.dtype(code).type for code in "bhilqBHILQefd")})
"""Types that `float` turns into what `number` says, without any code of the event's own and without a warning."""


class Exact(Protocol):
    """An exact kernel: the values of all stretches that end with each of these events, in order."""

    def feed(self, values: Any) -> NDArray[np.int64]: ...


class Statistic(Protocol):
    """A statistic of a stretch of a stream; frozen, public."""

    name: ClassVar[str]

    @property
    def sensitivity(self) -> int:
        """How far one event can move the value of any stretch."""
        ...

    def describe(self) -> dict[str, Any]:
        """The public parameters."""
        ...

    def numbers(self, events: Sequence[object]) -> NDArray[np.float64]:
        """Events as numbers; NaN for null. Depends on each event alone, and never raises."""
        ...

    def bounds(self, events: int) -> tuple[int, int]:
        """The least and the largest value that a stretch of so many events can have; in proportion to the events."""
        ...

    def shown(self, values: list[int]) -> list[Any]:
        """Values in the units of the events."""
        ...

    def prefix(self) -> Exact: ...

    def window(self, width: int) -> Exact: ...

    def blocks(self, levels: int, every: bool) -> Exact: ...


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
    def sensitivity(self) -> int:
        return 1

    def describe(self) -> dict[str, Any]:
        return {"statistic": self.name, "strict": self.strict}

    def numbers(self, events: Sequence[object]) -> NDArray[np.float64]:
        return as_numbers(events)

    def bounds(self, events: int) -> tuple[int, int]:
        return 0, events

    def shown(self, values: list[int]) -> list[Any]:
        return values

    def prefix(self) -> Exact:
        from seqveil.engines.local.patience import PrefixLis

        return PrefixLis(self.strict)

    def window(self, width: int) -> Exact:
        from seqveil.engines.local.patience import WindowLis

        return WindowLis(width, self.strict)

    def blocks(self, levels: int, every: bool) -> Exact:
        from seqveil.engines.local.dyadic import LisBlocks

        return LisBlocks(levels, every, self.strict)
