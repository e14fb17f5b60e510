"""The raw side of a stream: events go in, only noisy values come out.

Order of things for every batch: noise is drawn, events and noise are journalled, exact values are computed, noise is added.
What is returned may be shown at once. A value that went out is never computed with other noise: after a restart the
journal's noise is used again, and where the journal cannot be sure (closed positions), nothing is released.

All of it happens in one turn: one process, one thread at a time. An answer that was cut short (Ctrl-C, no memory, a signal
handler that raises whatever it likes) leaves nobody knowing which noise was used for what, so this object answers nothing
more; the journal knows. So an answer counts as cut short from before its draw until it is made.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import RunFailed
from seqveil.surface import parameter
from seqveil.tables.units import UserDay
from seqveil.wall.continual.bounding import DailyBound, Owner
from seqveil.wall.continual.pool import Pool
from seqveil.wall.continual.question import ContinualQuestion
from seqveil.wall.continual.released import Released
from seqveil.wall.journal.frames import ANSWERED, CLOSED
from seqveil.wall.journal.journal import Journal
from seqveil.wall.measures.guarantee import Guarantee
from seqveil.wall.noise import Noise
from seqveil.wall.process import Owned

Answer = TypeVar("Answer")

BATCH = 4096
"""Events per journal entry, at most."""

ONE_PROCESS = (
    "Continue it in the process that opened it; or close it there and open it again in this one, from its state file. "
    "A stream without a state file cannot move to another process."
)


class StreamFull(RunFailed):
    """The stream has had all the events it was declared with."""


class Continual(Owned):
    """Answers one continual question while the events arrive. Opened by `open_stream` only."""

    _what, _instead = "stream", ONE_PROCESS

    def __init__(self, question: ContinualQuestion, guarantee: Guarantee, noise: Noise, journal: Journal | None = None) -> None:
        self.__question = question
        self.__kernel = question.kernel()
        self.__kernel.feed(np.empty(0))  # loads and compiles it: what can fail without an event fails here
        self.__pool = Pool(noise, question.law(guarantee))
        self.__bound = DailyBound(question.unit.max_per_day) if isinstance(question.unit, UserDay) else None
        self.__journal = journal
        self.__stored = iter(()) if journal is None else journal.frames()
        self.__position = 0
        self.__lock = threading.RLock()
        self.__cut_short = False

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

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Alone with the stream, from the draw to the answer: another thread waits, another process is refused."""
        self._check_owner()  # before the lock: in a forked child it may be held by a thread that does not exist there
        with self.__lock:
            try:
                yield
            finally:
                self._check_owner()  # a signal handler may have forked in the middle of it

    def replay(self, answer: Callable[[Released], Answer]) -> Answer | None:
        """The next of what was released before, with the same noise; None when that was all. Goes before the first `feed`."""
        with self.turn(), self.__answering():
            if (frame := next(self.__stored, None)) is None:
                return None
            kind, values, draws = frame
            return answer(self.__release(values, draws, closed=kind == CLOSED))

    def feed(self, events: Sequence[object]) -> list[Released]:
        """Noisy values for the next events; they are journalled when this returns."""
        return self.take(self.__question.statistic.numbers(events), lambda released: released)

    def pass_over(self, values: NDArray[np.float64], owners: Sequence[Owner]) -> None:
        """After a restart: events that already have a place, lost ones too, count for their owners' days again."""
        with self.turn():
            if self.__bound is not None:
                self.__bound.bounded(owners, values)

    def take(
        self, values: NDArray[np.float64], answer: Callable[[Released], Answer], owners: Sequence[Owner] | None = None
    ) -> list[Answer]:
        """What `answer` makes of the noisy values for the next events, which are the numbers that the statistic makes of them.

        Where the unit is a user's day, `owners` says whose each of them is.
        """
        with self.turn():
            self.__check_whole()
            if len(values) > self.left:
                raise StreamFull(
                    f"the stream was declared with {parameter('length', str(self.__question.length))}, and that many events were "
                    f"answered: it has ended. For more, open a new stream with another {parameter('state')}; it is charged again."
                )
            lost = min(len(values), max(0, self.closed_until - self.__position))
            self.__check_next(values)
            values = self.__bounded(values, owners)
            with self.__answering():
                return list(map(answer, [*self.__answer(values[:lost], True), *self.__answer(values[lost:], False)]))

    def skip_closed(self, answer: Callable[[Released], Answer]) -> list[Answer]:
        """Fill the positions that are closed and still to come with null events."""
        with self.turn():
            self.__check_whole()
            values = np.full(max(0, self.closed_until - self.__position), np.nan)
            self.__check_next(values)
            # A bound per day does not take note of them: they may have been answered, and whose they were must be told yet.
            with self.__answering():
                return list(map(answer, self.__answer(values, closed=True)))

    def close(self) -> None:
        """Make everything durable and let go of the state file. A forked child has let go of it already."""
        if self._owned_here:
            with self.turn():
                if self.__journal is not None:
                    self.__journal.close()

    @contextmanager
    def __answering(self) -> Iterator[None]:
        """From before the draw until the answer is made: whatever ends it earlier leaves the answer cut short."""
        self.__check_whole()
        self.__cut_short = True
        yield
        self.__cut_short = False

    def __bounded(self, values: NDArray[np.float64], owners: Sequence[Owner] | None) -> NDArray[np.float64]:
        if self.__bound is None or not len(values):  # no event, nobody's: earlier ones may still be on their way
            return values
        self.__bound.check_seen(self.__position)
        return self.__bound.bounded([(None, None)] * len(values) if owners is None else owners, values)

    def __check_next(self, values: NDArray[np.float64]) -> None:
        """What the journal would refuse is refused before anything is drawn, so that it costs nothing."""
        if self.__journal is not None and len(values):
            self.__journal.check_next(self.__position + 1)

    def __check_whole(self) -> None:
        if self.__cut_short:
            if self.__journal is not None:
                self.__journal.check_usable()  # its own words, where that is why
            raise RunFailed(
                "an answer of this stream was interrupted, so it gives no more answers. Open it again from its state file: "
                "no answer is lost. Without a state file it has ended; its epsilon remains charged."
            )

    def __answer(self, values: NDArray[np.float64], closed: bool) -> list[Released]:
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
        if exact.shape != draws.shape:  # one draw for several values would reveal their differences
            raise RunFailed(
                "internal error: the noise of this stream does not match its values, so it gives no more answers. "
                "Please report this as a defect."
            )
        return Released(first, ending, exact + draws)

    def __ending(self, events: int) -> NDArray[np.int64]:
        return self.__question.ending(self.__position + 1, events)
