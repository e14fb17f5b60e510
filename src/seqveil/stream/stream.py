"""A stream of private answers: feed an event, get an answer.

The raw events and the noise stay behind the wall, in a `Continual`; this side sees released values only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from seqveil.errors import RunFailed
from seqveil.stream.answers import Answer, Answers, Combiner, LabelAnswer
from seqveil.tables.units import UserDay
from seqveil.wall.continual import ONE_PROCESS, Continual, ContinualQuestion, Owner, Promise
from seqveil.wall.process import Owned


class Stream(Owned):
    """An open stream. The unit of privacy is one event, unless another was asked for: `promise.neighbours` says which.

    Where it is a user's day, events are triples (user, day, event), and events of a user beyond their daily number are null.

    Opened by the functions of `seqveil.stream`. Threads may share it; each call is answered as a whole, in the order in
    which the calls get their turn. A forked process, a copy and a pickle of it are refused.
    """

    _what, _instead = "stream", ONE_PROCESS

    def __init__(self, question: ContinualQuestion, combiner: Combiner, continual: Continual, promise: Promise) -> None:
        self._question, self._continual = question, continual
        self._answers = Answers(question.statistic, combiner, question.law(promise.guarantee)).of
        self._answering = False
        self.promise = promise

    @property
    def position(self) -> int:
        """How many events have a place."""
        return self._continual.position

    @property
    def length(self) -> int:
        """The most events that are answered."""
        return self._question.length

    @property
    def closed_until(self) -> int:
        """Positions up to this one that are still to come are not answered (after a power failure)."""
        return self._continual.closed_until

    def again(self) -> Iterator[Any]:
        """The answers given before this stream was opened from its state file; the very same ones.

        They are given once: an iterator that is left half way is continued by the next.
        """
        while (answers := self._next_again()) is not None:
            yield from answers

    def resume(self, refeed: bool = False) -> None:
        """Go through what was answered before. Lost events become null, unless they are going to be fed again."""
        while self._next_again() is not None:
            pass
        if not refeed:
            with self._turn():
                self._continual.skip_closed(self._answers)

    def feed(self, event: object) -> Any:
        """The answer after one more event; None where there is none. Of counts per label `feed_many` gives all answers."""
        return next(iter(self.feed_many([event])), None)

    def feed_many(self, events: Sequence[object]) -> list[Any]:
        """The answers after several events (an `Answer` each, or a `LabelAnswer` per label), stored before any is returned."""
        # Events become numbers before the turn: whatever code of theirs runs for it does not run in the middle of an answer.
        owners, events = self._apart(events)
        values = self._question.statistic.numbers(events)
        with self._turn():
            return [answer for answers in self._continual.take(values, self._answers, owners) for answer in answers]

    def pass_over(self, events: Sequence[object]) -> None:
        """After a restart, where the unit is a user's day: all events that have a place, in their order.

        So are those that a power failure lost and that are not fed again: they may have been answered, and count for their day.
        """
        owners, events = self._apart(events)
        if owners is not None:
            self._continual.pass_over(self._question.statistic.numbers(events), owners)

    def _apart(self, events: Sequence[object]) -> tuple[list[Owner] | None, Sequence[object]]:
        """Owners and events; what is no triple is nobody's, and null."""
        if not isinstance(self._question.unit, UserDay):
            return None, events
        whole = [event if isinstance(event, tuple) and len(event) == 3 else (None, None, None) for event in events]
        return [(user, day) for user, day, _ in whole], [event for _, _, event in whole]

    def over(self, events: Iterable[object]) -> Iterator[Any]:
        """An answer after each event of an iterable, as it arrives."""
        for event in events:
            yield from self.feed_many([event])

    def close(self) -> None:
        """Make everything durable and release the state file. Does nothing in a forked process."""
        if self._owned_here:
            with self._turn():
                self._continual.close()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """From the draw to the answer: not to be entered again from within, as a signal handler could."""
        with self._continual.turn():
            if self._answering:
                raise RunFailed("this stream is computing an answer: a signal handler cannot use it now.")
            self._answering = True
            try:
                yield
            finally:
                self._answering = False

    def _next_again(self) -> list[Answer] | list[LabelAnswer] | None:
        with self._turn():
            return self._continual.replay(self._answers)
