"""The raw side of a stream: events go in, only noisy values come out.

Order of things for every batch: noise is drawn, events and noise are journalled, exact values are computed, noise is added.
What is returned may be shown at once. A value that went out is never computed with other noise: after a restart the
journal's noise is used again, and where the journal cannot be sure (closed positions), nothing is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import RunFailed
from seqveil.wall.continual.frames import ANSWERED, CLOSED
from seqveil.wall.continual.journal import Journal
from seqveil.wall.continual.pool import Pool
from seqveil.wall.continual.question import ContinualQuestion
from seqveil.wall.continual.released import Released
from seqveil.wall.noise import Noise

BATCH = 4096
"""Events per journal entry, at most."""


class StreamFull(RunFailed):
    """The stream has had all the events it was declared with."""


class Continual:
    """Answers one continual question while the events arrive. Opened by `open_stream` only."""

    def __init__(self, question: ContinualQuestion, epsilon: int, noise: Noise, journal: Journal | None = None) -> None:
        self.__question = question
        self.__kernel = question.stretches.exact(question.statistic)
        self.__pool = Pool(noise, question.scale(epsilon))
        self.__journal = journal
        self.__position = 0

    @property
    def position(self) -> int:
        """How many events have a place already."""
        return self.__position

    @property
    def closed_until(self) -> int:
        """Positions up to this one that are still to come will not be answered."""
        return 0 if self.__journal is None else min(self.__journal.closed_until, self.__question.length)

    @property
    def left(self) -> int:
        """How many more events may come."""
        return self.__question.length - self.__position

    def replay(self) -> Iterator[Released]:
        """What was released before, again and with the same noise; must be gone through before the first `feed`."""
        if self.__journal is None or self.__position:
            return
        for kind, values, draws in self.__journal.frames():
            yield self.__release(values, draws, closed=kind == CLOSED)

    def feed(self, events: Sequence[object]) -> list[Released]:
        """Noisy values for the next events; they are journalled when this returns."""
        if len(events) > self.left:
            raise StreamFull(
                f"the stream was declared with --length {self.__question.length:,}, and that many events have had their "
                "answers: no more are answered. For more, open a new stream with another --state; it is charged anew."
            )
        values = self.__question.statistic.numbers(events)
        lost = min(len(values), max(0, self.closed_until - self.__position))
        parts = [(values[:lost], True), (values[lost:], False)]
        return [released for part, closed in parts for released in self.__take(part, closed)]

    def skip_closed(self) -> list[Released]:
        """Fill the positions that are closed and still to come with null events."""
        return self.__take(np.full(max(0, self.closed_until - self.__position), np.nan), closed=True)

    def close(self) -> None:
        """Make everything durable and let go of the state file."""
        if self.__journal is not None:
            self.__journal.close()

    def __take(self, values: NDArray[np.float64], closed: bool) -> list[Released]:
        return [self.__journalled(values[at : at + BATCH], closed) for at in range(0, len(values), BATCH)]

    def __journalled(self, values: NDArray[np.float64], closed: bool) -> Released:
        draws = self.__pool.take(0 if closed else int(self.__ending(len(values)).sum()))
        if self.__journal is not None:
            self.__journal.append(CLOSED if closed else ANSWERED, self.__position + 1, values, draws)
        return self.__release(values, draws, closed)

    def __release(self, values: NDArray[np.float64], draws: NDArray[np.int64], closed: bool) -> Released:
        first, ending = self.__position + 1, self.__ending(len(values))
        exact = self.__kernel.feed(values)
        self.__position += len(values)
        if closed:
            return Released(first, np.zeros(len(values), np.int64), np.empty(0, np.int64), closed=True)
        return Released(first, ending, exact + draws)

    def __ending(self, events: int) -> NDArray[np.int64]:
        return self.__question.stretches.ending(self.__position + 1, events)
