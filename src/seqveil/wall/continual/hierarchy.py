"""The hierarchy mechanism's layers as something to release: for experiments only.

[Bonomi thesis, Theorem 5.7] claims that a whole stream moves m·b in L1. That is false: the pile an event opened is handed on
to fresher events, so its effect never ends (docs/soundness.md, 'The hierarchy mechanism'; the test has the stream). What can be
proved is that each of m layers counts for at most b at any moment, hence m·b per released moment and R·m·b for R of them, R = T
without checkpoints. On the grid of 2^-(m-1) that is R·m·b·2^(m-1) steps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.protocol import Exact, StreamEngine
from seqveil.errors import CallError
from seqveil.surface import parameter
from seqveil.wall.continual.statistics import Lis, Statistic


@dataclass(frozen=True, slots=True)
class LayerCounts:
    """What each layer contributes, after every event; enough layers that their buckets could hold the stream.

    >>> LayerCounts(100, 4).layers, LayerCounts(100, 4).influence(Lis())
    (5, 32000)
    """

    length: int
    buckets: int

    @property
    def layers(self) -> int:
        """The least m with b(2^m − 1) ≥ T."""
        return (-(-self.length // self.buckets)).bit_length()

    @property
    def grid(self) -> int:
        """Steps in one whole event."""
        return 1 << (self.layers - 1)

    def touched(self, shortest: int) -> int:
        return self.length * self.layers

    def influence(self, statistic: Statistic) -> int:
        return self.length * self.layers * self.buckets * self.grid

    def square(self, statistic: Statistic, events: int) -> int:
        return (events * self.influence(statistic)) ** 2

    def ending(self, position: int, events: int) -> NDArray[np.int64]:
        return np.full(events, self.layers, np.int64)

    def exact(self, statistic: Statistic, engine: StreamEngine) -> Exact:
        if not isinstance(statistic, Lis):
            named, instead = parameter("method", "hierarchy"), parameter("method", "binary")
            raise CallError(f"{named} works for lis only, not for {statistic.name}: use {instead}.")
        return engine.layers(self.layers, self.buckets, statistic.strict)
