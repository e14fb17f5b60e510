"""A continual question: a statistic over a public family of stretches of a stream, with its influence and its scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.protocol import Exact, StreamEngine, stream_engine_of
from seqveil.errors import CallError
from seqveil.surface import parameter
from seqveil.tables.units import Event, Run, Unit, UserDay
from seqveil.wall.continual.blocks import MOST_EVENTS
from seqveil.wall.continual.statistics import Statistic
from seqveil.wall.continual.stretches import Stretches
from seqveil.wall.measures.guarantee import Guarantee
from seqveil.wall.noise import Law, Scale, Sigma

_ONE = Event()


class _WhenAsked:
    """The engine of a question, loaded when one of its kernels is asked for: blocks need none, and begin half a second sooner."""

    def __init__(self, question: ContinualQuestion) -> None:
        self._question = question

    def __getattr__(self, name: str) -> Any:
        return getattr(stream_engine_of(self._question), name)


@dataclass(frozen=True, slots=True)
class ContinualQuestion:
    """Law: the exact value of every stretch, answered once, when it ends, plus discrete Laplace noise; discrete Gaussian with δ.

    Charge: ε for the whole stream, or ρ. Sensitivity: `stretches.influence(statistic)` for an event (stretches.py has the proof),
    times the number of events that one unit may have; in L2 the root of `stretches.square`. Clip: events are put on their grid by
    the statistic, one by one, before a kernel sees them; events of a user beyond their daily number become null first
    (bounding.py).
    """

    engine: ClassVar[str] = "local"
    """Events are computed where they arrive, and where their noise is."""

    statistic: Statistic
    stretches: Stretches
    unit: Unit = _ONE

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
        return self.stretches.exact(self.statistic, cast(StreamEngine, _WhenAsked(self)))

    def influence(self, unit: Unit) -> int:
        """The L1 distance that one unit can cause between two streams of released values.

        Several events are replaced one after the other; each moves the values by at most what one event can.
        """
        return _events_of(unit) * self.stretches.influence(self.statistic)

    def square(self, unit: Unit) -> int:
        """The square of the L2 distance that one unit can cause between them."""
        return self.stretches.square(self.statistic, _events_of(unit))

    def ending(self, position: int, events: int) -> NDArray[np.int64]:
        """How many values are released with each of the events at position, position + 1, …"""
        return self.stretches.ending(position, events) * self.statistic.values

    def law(self, guarantee: Guarantee) -> Law:
        """The law of the noise on every value."""
        if guarantee.measure == "pure":
            return Scale.of(self.influence(self.unit), guarantee.amount)
        return Sigma.of(self.square(self.unit), guarantee.amount)


def _events_of(unit: Unit) -> int:
    """How many events of a stream a unit has, at most."""
    if not isinstance(unit, Event | Run | UserDay):
        raise CallError(f"a stream protects one event, not {unit.name!r}: give unit=sv.Event().")
    return unit.sequences
