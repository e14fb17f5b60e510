"""A stream of private answers: feed an event, get an answer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from types import TracebackType
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import RunFailed
from seqveil.wall.continual.continual import ONE_PROCESS, Continual
from seqveil.wall.continual.question import ContinualQuestion
from seqveil.wall.continual.released import Released
from seqveil.wall.journal.promise import Promise
from seqveil.wall.noise import Scale
from seqveil.wall.process import Owned

Number = int | float | Decimal


class Answer(NamedTuple):
    """What may be shown after one event.

    `value` is cut to what is possible in public (a count of 5 events lies in 0..5), `noisy` is not and has the noise's mean
    of zero. With probability of at least 95 % the noise is at most `within`; what a decomposition overestimates is not in it.
    """

    position: int
    value: Number
    noisy: Number
    within: Number


class Combiner(Protocol):
    """Turns released values into answers: right of the wall, from public numbers only."""

    @property
    def grid(self) -> int:
        """Steps in one unit of the statistic."""
        ...

    def combine(self, released: Released) -> Sequence[tuple[int, int]]:
        """For each event the noisy value and how many draws are in it; nothing where positions are closed."""
        ...

    def covers(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many events the answer at each position is about."""
        ...


class StreamMechanism(Protocol):
    """Public parameters of a stream: what to ask the wall, and how to combine what it tells."""

    @property
    def question(self) -> ContinualQuestion: ...

    @property
    def experimental(self) -> str | None:
        """Why it may only be run as an experiment, if so."""
        ...

    def parameters(self) -> dict[str, Any]: ...

    def combiner(self) -> Combiner: ...


FINE = 256.0
"""From here on the law of a sum, in units of the scale, hardly changes any more."""


@lru_cache(maxsize=1024)
def noise95(scale: Scale, draws: int) -> int:
    """A bound that the sum of so many discrete Laplace draws keeps with probability of at least 95 %.

    The law of the sum is the Fourier transform of ((1 − q)² / (1 − 2q cos ω + q²))^draws; scales beyond FINE are stretched.

    >>> noise95(Scale(1.0), 1), noise95(Scale(20.0), 1), noise95(Scale(20.0), 10), noise95(Scale(2e6), 1)
    (3, 60, 177, 6000000)
    """
    s = min(scale.value, FINE)
    q = math.exp(-1 / s)
    points = 1 << math.ceil(math.log2(s * (12 + 8 * math.sqrt(draws)) + 16))
    cosine = np.cos(2 * np.pi * np.arange(points) / points)
    law = np.fft.fft(((1 - q) ** 2 / (1 - 2 * q * cosine + q * q)) ** draws).real / points
    within = law[0] + np.concatenate([[0.0], 2 * np.cumsum(law[1 : points // 2])])
    bound = int(np.argmax(within >= 0.95))
    return bound if s == scale.value else math.ceil((bound + 1) * scale.value / s)


class Stream(Owned):
    """An open stream. The unit is one event: neighbours replace one event by another at the same position.

    Made by `seqveil.stream.lis`, `.count` and `.sum`. Threads may share it; each call is answered as a whole, in the order in
    which the calls get their turn. A forked process, a copy and a pickle of it are refused.
    """

    _what, _instead = "stream", ONE_PROCESS

    def __init__(self, mechanism: StreamMechanism, continual: Continual, promise: Promise) -> None:
        self._question = mechanism.question
        self._combiner = mechanism.combiner()
        self._continual = continual
        self._scale = Scale(promise.scale)
        self._answering = False
        self.promise = promise
        self.warnings: list[str] = []
        """What the ledger wants the holder to hear."""

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
        """Positions up to this one that are still to come are not answered (after a power loss)."""
        return self._continual.closed_until

    def again(self) -> Iterator[Answer]:
        """The answers given before this stream was opened from its state file; the very same ones.

        They are told once: an iterator that is left half way is continued by the next.
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

    def feed(self, event: object) -> Answer | None:
        """The answer after one more event; None where the position is closed."""
        return next(iter(self.feed_many([event])), None)

    def feed_many(self, events: Sequence[object]) -> list[Answer]:
        """The answers after each of several events, stored together before any of them is returned."""
        # Events become numbers before the turn: whatever code of theirs runs for it does not run in the middle of an answer.
        values = self._question.statistic.numbers(events)
        with self._turn():
            return [answer for answers in self._continual.take(values, self._answers) for answer in answers]

    def over(self, events: Iterable[object]) -> Iterator[Answer]:
        """An answer after each event of an iterable, as it arrives."""
        for event in events:
            yield from self.feed_many([event])

    def close(self) -> None:
        """Make everything durable and let go of the state file. Does nothing in a forked process."""
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
                raise RunFailed("this stream is in the middle of an answer: a signal handler cannot use it.")
            self._answering = True
            try:
                yield
            finally:
                self._answering = False

    def _next_again(self) -> list[Answer] | None:
        with self._turn():
            return self._continual.replay(self._answers)

    def _answers(self, released: Released) -> list[Answer]:
        pairs = self._combiner.combine(released)
        if released.closed:
            return []
        noisy, draws = np.array(pairs, np.int64).reshape(-1, 2).T
        positions = np.arange(released.first, released.first + len(released))
        # What a stretch can hold grows in proportion to its events, whatever the statistic.
        least, most = (bound * self._combiner.grid for bound in self._question.statistic.bounds(1))
        events = self._combiner.covers(positions)
        cut = np.clip(noisy, least * events, most * events)
        within = {count: self._shown([noise95(self._scale, count)])[0] for count in set(draws.tolist())}
        columns = (positions.tolist(), self._shown(cut.tolist()), self._shown(noisy.tolist()), map(within.get, draws.tolist()))
        return list(map(Answer._make, zip(*columns, strict=True)))

    def _shown(self, values: list[int]) -> list[Any]:
        grid = self._combiner.grid
        return self._question.statistic.shown(values) if grid == 1 else [float(Fraction(value, grid)) for value in values]
