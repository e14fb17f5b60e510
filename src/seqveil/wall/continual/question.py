"""A continual question: a statistic over a public family of stretches of a stream, with its influence and its scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from seqveil.engines.protocol import Exact, stream_engine_of
from seqveil.errors import CallError
from seqveil.surface import parameter
from seqveil.tables.units import Event, Unit
from seqveil.wall.continual.statistics import Statistic
from seqveil.wall.continual.stretches import Stretches
from seqveil.wall.noise import Scale

MOST_EVENTS = 2**40
"""Longer streams could not be counted in int64 on every grid that is allowed."""


@dataclass(frozen=True, slots=True)
class ContinualQuestion:
    """Law: the exact value of every stretch, answered once, when it ends, plus discrete Laplace noise.

    Charge: ε for the whole declared stream. Sensitivity: `stretches.influence(statistic)` (stretches.py has the proof).
    Clip: events are put on their grid by the statistic, one by one, before a kernel of the engine sees them.
    """

    engine: ClassVar[str] = "local"
    """Events are computed where they arrive, and where their noise is."""

    statistic: Statistic
    stretches: Stretches

    def __post_init__(self) -> None:
        named = parameter("length", str(self.length))
        if not 1 <= self.length <= MOST_EVENTS:
            raise CallError(f"{named}: give the maximum number of events in the stream, from 1 to 2^40.")
        if max(map(abs, self.statistic.bounds(self.length))) >= 2**62:
            raise CallError(f"{named}: the values of so many events could exceed 64 bits; lower it or the bounds.")

    @property
    def length(self) -> int:
        """The most events that will be answered; public, declared beforehand."""
        return self.stretches.length

    def kernel(self) -> Exact:
        """What computes the exact values, one batch of events after the other."""
        return self.stretches.exact(self.statistic, stream_engine_of(self))

    def influence(self, unit: Unit) -> int:
        """The L1 distance that one unit can cause between two streams of released values."""
        if not isinstance(unit, Event):
            raise CallError(f"a stream protects one event, not {unit.name!r}: give unit=sv.Event().")
        return self.stretches.influence(self.statistic)

    def scale(self, epsilon: int) -> Scale:
        """The scale of the noise on every value, for ε in grains."""
        return Scale.of(self.influence(Event()), epsilon)
