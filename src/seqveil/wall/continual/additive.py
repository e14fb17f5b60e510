"""Counts and sums: statistics that add up over the parts of a stretch, on whole-number grids.

- `Count`: an event is counted or not, so it moves the count by at most 1.
- `Sum`: every event is put on a grid between lower and upper, so it moves the sum by at most (upper − lower)/resolution steps.
  A null event counts as the value between the bounds that is nearest to 0, so that it cannot move the sum further.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.protocol import Exact, StreamEngine
from seqveil.errors import CallError
from seqveil.numbers import exact, shown
from seqveil.surface import parameter
from seqveil.wall.continual.statistics import Behind, Events, as_numbers
from seqveil.wall.continual.where import Where

MOST_STEPS = 2**40
"""More steps between the bounds of a sum than this could leave int64 on a long stream."""


class _Total:
    """What counts and sums share: both add up whole numbers."""

    __slots__ = ()

    @property
    def values(self) -> int:
        return 1

    @property
    def shortest(self) -> int:
        return 1

    def grid(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        raise NotImplementedError

    def steps(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        return self.grid(values)[:, np.newaxis]

    def prefix(self, engine: StreamEngine) -> Exact:
        return Behind(self.grid, engine.prefix_total())

    def window(self, engine: StreamEngine, width: int) -> Exact:
        return Behind(self.grid, engine.window_total(width))

    def blocks(self, engine: StreamEngine, levels: int, every: bool) -> Exact:
        return Behind(self.grid, engine.block_total(levels, every))


@dataclass(frozen=True, slots=True)
class Count(_Total):
    """How many events satisfy a comparison; without one, how many are true (any number but 0).

    >>> Count(">= 5").numbers(["7", "4", "?"]).tolist()
    [1.0, 0.0, nan]
    """

    name: ClassVar[str] = "count"
    where: str | None = None

    def __post_init__(self) -> None:
        if self.where is not None:
            Where(self.where)

    @property
    def sensitivity(self) -> int:
        return 1

    @property
    def square(self) -> int:
        return 1

    def describe(self) -> dict[str, Any]:
        return {"statistic": self.name, "where": self.where}

    def numbers(self, events: Sequence[object]) -> NDArray[np.float64]:
        if self.where is None:
            values = as_numbers(events)
            return np.where(np.isnan(values), np.nan, (values != 0).astype(np.float64))
        where = Where(self.where)
        return np.array([np.nan if (counted := where.holds(event)) is None else float(counted) for event in events])

    def grid(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        return np.asarray(values == 1.0, np.int64)

    def bounds(self, events: Events) -> tuple[Events, Events]:
        return events * 0, events

    def shown(self, values: list[int]) -> list[Any]:
        return values


def _decimal(name: str, value: object) -> Decimal:
    try:
        exact(str(value))
    except ValueError:
        text = shown(value).strip("'")
        raise CallError(f"{parameter(name, text)}: give a number, for example {parameter(name, '10')}.") from None
    return Decimal(str(value).strip())


@dataclass(frozen=True, slots=True)
class Sum(_Total):
    """The sum of events, each cut to lower..upper and rounded to the nearest multiple of the resolution.

    >>> volts = Sum("220", "250", "0.1")
    >>> volts.sensitivity, volts.grid(np.array([230.04, 1000.0, np.nan])).tolist(), volts.shown([2300])
    (300, [2300, 2500, 2200], [Decimal('230.0')])
    >>> Sum("0", "1", "0.3")
    Traceback (most recent call last):
    seqveil.errors.CallError: resolution=0.3: lower=0 and upper=1 must be multiples of it, for example resolution=1.
    """

    name: ClassVar[str] = "sum"
    lower: str
    upper: str
    resolution: str = "1"

    def __post_init__(self) -> None:
        low, high, step = _decimal("lower", self.lower), _decimal("upper", self.upper), _decimal("resolution", self.resolution)
        named = parameter("resolution", self.resolution)
        if low >= high:
            raise CallError(f"{parameter('lower', self.lower)}, {parameter('upper', self.upper)}: lower must be below upper.")
        if step <= 0:
            raise CallError(f"{named}: give a number above 0, for example {parameter('resolution', '0.1')}.")
        if any((Fraction(bound) / Fraction(step)).denominator != 1 for bound in (low, high)):
            raise CallError(
                f"{named}: {parameter('lower', self.lower)} and {parameter('upper', self.upper)} must be multiples of it, "
                f"for example {parameter('resolution', str(_common(low, high)))}."
            )
        if max(abs(k) for k in self._ends) > MOST_STEPS:
            raise CallError(f"{named}: more than 2^40 steps between 0 and a bound; give a coarser one.")

    @property
    def _ends(self) -> tuple[int, int]:
        step = Fraction(Decimal(str(self.resolution)))
        return int(Fraction(Decimal(str(self.lower))) / step), int(Fraction(Decimal(str(self.upper))) / step)

    @property
    def sensitivity(self) -> int:
        low, high = self._ends
        return high - low

    @property
    def square(self) -> int:
        return self.sensitivity**2

    def describe(self) -> dict[str, Any]:
        named = {"lower": self.lower, "upper": self.upper, "resolution": self.resolution}
        return {"statistic": self.name, **{name: str(value) for name, value in named.items()}}

    def numbers(self, events: Sequence[object]) -> NDArray[np.float64]:
        return as_numbers(events)

    def grid(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        low, high = self._ends
        missing = min(max(low, 0), high)
        # Whatever floats do to a value, the last clip keeps it on the grid between the bounds: that is what privacy needs.
        near = np.clip(values, float(self.lower), float(self.upper)) / float(self.resolution)
        steps = np.rint(np.where(np.isnan(values), missing, near))
        return np.clip(steps.astype(np.int64), low, high)

    def bounds(self, events: Events) -> tuple[Events, Events]:
        low, high = self._ends
        return low * events, high * events

    def shown(self, values: list[int]) -> list[Any]:
        step = Decimal(str(self.resolution))
        return [value * step for value in values]


def _common(low: Decimal, high: Decimal) -> Decimal:
    """A resolution that both bounds are multiples of."""
    exponent = min(0, *(int(bound.normalize().as_tuple().exponent) for bound in (low, high)))
    return Decimal(1).scaleb(exponent)
