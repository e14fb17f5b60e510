"""Events that arrive one by one: a stream, answered while it runs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

from seqveil.kinds.kind import Kind

KIND = Kind(
    name="events",
    noun="a stream of events",
    table="seqveil.sources.events:EventStream",
    readers={"read": "seqveil.sources.events:EventStream"},
    units=("seqveil.tables.units:Event", "seqveil.tables.units:Run", "seqveil.tables.units:UserDay"),
    world="seqveil.kinds.events:EventWorld",
)

Events = tuple[float, ...]

VALUES = (math.nan, 0.0, 1.0, 3.0)
"""What an event may be in an exhaustive search; the first is a null event."""


class EventWorld:
    """Short streams, and the events by which one may differ from its neighbour.

    A stream is no table: it has a world of its own, with what its audit and its conformance suite need.
    """

    def every(self, length: int = 4) -> Iterator[Events]:
        """Every stream of so many events."""
        return product(VALUES, repeat=length)

    def odd(self) -> dict[str, list[object]]:
        """Streams that are odd but allowed."""
        return {
            "no events": [],
            "null events only": [None, "", math.nan],
            "numbers out of any bounds": [1e308, -1e308, math.inf, -math.inf],
            "text among numbers": ["1", "one", 1, b"1", object()],
        }

    def drifting(self, length: int, second: float) -> Events:
        """0, one event, then pairs (z + 1, z − ½) for ever: the effect of the one event never leaves a hierarchy of layers."""
        events = [0.0, second]
        while len(events) < length:
            z = len(events) // 2
            events += [z + 1.0, z - 0.5]
        return tuple(events[:length])
