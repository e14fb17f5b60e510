"""The tape: everything that crosses the wall in one run, so that a run on a neighbour can be made to hear the same.

`Recorder` lets the wall answer as it does and writes down what was asked, what was answered, and the law of the answer given
the data. `Replayer` holds the same mechanism before another table, compares every question with the tape, and hands out the
recorded answer whatever that table says; it notes the law given *its* data. If a mechanism is what it should be, a function
of noisy answers, it cannot tell the two runs apart, and the difference of the laws is the exact privacy loss of that run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.audit.laws import Law, Scored, Unknown
from seqveil.wall.noise import Law as NoiseLaw
from seqveil.wall.noise import Noise, Scale, Sigma


class Diverged(Exception):
    """The replayed run asked something that the recorded run did not ask."""


def plain(thing: Any) -> Any:
    """A public parameter in a shape that can be compared, whatever it is made of.

    >>> plain(np.array([1, 2])) == plain(np.array([1, 2])), plain(np.array([1.0])) == plain(np.array([1]))
    (True, False)
    """
    if isinstance(thing, np.ndarray):
        return ("array", str(thing.dtype), thing.shape, tuple(thing.ravel().tolist()))
    if is_dataclass(thing) and not isinstance(thing, type):
        return (type(thing).__name__, *((f.name, plain(getattr(thing, f.name))) for f in fields(thing)))
    if isinstance(thing, list | tuple):
        return tuple(plain(part) for part in thing)
    if isinstance(thing, dict):
        return tuple((key, plain(value)) for key, value in thing.items())
    if thing is None or isinstance(thing, int | float | str | bytes | bool | Fraction):
        return thing
    return type(thing).__name__  # an address or an order of a set would differ from run to run


@dataclass(frozen=True, slots=True, eq=False)
class Ask:
    """One question as a mechanism put it. `payer` is the wall or tree that paid, `made` what it got to go on with."""

    payer: int
    method: str
    question: Any
    nodes: NDArray[np.int64]
    paid: NDArray[np.int64]
    offspring: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None  # children and their parents
    opens: tuple[int, ...] = ()  # trees and walls that this question opened

    @property
    def public(self) -> Any:
        return plain((self.payer, self.method, self.question, self.nodes, self.paid, self.opens))


@dataclass(frozen=True, slots=True, eq=False)
class Crossing:
    """One noisy answer: where it was given, everything public about it, the answer, and its law."""

    place: str
    public: Any
    answer: Any
    law: Law
    ask: int  # the number of the question it belongs to


@dataclass(frozen=True, slots=True)
class Draw:
    """One call of the noise source."""

    law: str
    noise: NoiseLaw | Fraction
    size: int


@dataclass
class Recorder:
    """A run under observation."""

    asks: list[Ask] = field(default_factory=list)
    crossings: list[Crossing] = field(default_factory=list)
    stages: list[str] = field(default_factory=list)
    budgets: dict[int, int] = field(default_factory=dict)  # ε of every wall and tree
    draws: list[Draw] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)  # what is wrong with the draws themselves
    parts: list[tuple[int, NDArray[np.int64]]] = field(default_factory=list)
    contents: list[list[Counter[Any]]] = field(default_factory=list)  # what lies in each part, whenever parts were made
    guarded: int = 0  # seams that are open: a draw outside all of them is unexplained
    source: Noise | None = None

    def cross(self, place: str, public: Any, law: Law, answer: Callable[[], Any]) -> Any:
        """An answer leaves; `answer` makes it."""
        answered = answer()
        self.crossings.append(Crossing(place, plain(public), answered, law, len(self.asks)))
        return answered

    def noise(self, inner: Noise) -> WatchedNoise:
        self.source = inner
        return WatchedNoise(inner, self)

    def drawn(self, law: str, noise: NoiseLaw | Fraction, size: int) -> None:
        self.draws.append(Draw(law, noise, size))
        if not self.guarded:
            self.cross("a draw of its own", (law, noise, size), Unknown(law), lambda: None)

    def asked(self, ask: Ask) -> None:
        self.asks.append(ask)

    def fault(self, text: str) -> None:
        if text not in self.faults:
            self.faults.append(text)


@dataclass
class Replayer(Recorder):
    """A run that hears the answers of another one. `unit` says where the unit sits that one of the two lacks."""

    tape: Recorder = field(default_factory=Recorder)
    joins: int = 0  # the part that a new unit falls into
    leaves: int = 0  # the position of a unit that is missing here
    owns: int = 1  # how many records it has at most, each of which may have a draw of its own

    def cross(self, place: str, public: Any, law: Law, answer: Callable[[], Any]) -> Any:
        at = len(self.crossings)
        if at >= len(self.tape.crossings):
            raise Diverged(f"one question more than on the tape: {place} {_short(public)}")
        recorded = self.tape.crossings[at]
        if (recorded.place, recorded.public) != (place, plain(public)):
            raise Diverged(
                f"question {at + 1} was {recorded.place} {_short(recorded.public)}, here {place} {_short(plain(public))}"
            )
        self.crossings.append(Crossing(place, recorded.public, recorded.answer, law, len(self.asks)))
        return recorded.answer

    def noise(self, inner: Noise) -> WatchedNoise:
        return EchoingNoise(inner, self)

    def drawn(self, law: str, noise: NoiseLaw | Fraction, size: int) -> None:
        pass


def _short(thing: Any) -> str:
    text = str(thing)
    return text if len(text) <= 200 else text[:200] + "…"


class WatchedNoise:
    """Noise that writes down what was drawn, never the values: those are in the answers."""

    def __init__(self, inner: Noise, session: Recorder) -> None:
        self._inner, self._session = inner, session
        self.private, self.kind = inner.private, inner.kind

    def laplace(self, scale: Scale, size: int) -> NDArray[np.int64]:
        self._session.drawn("laplace", scale, size)
        return self._whole(self._inner.laplace(scale, size))

    def gaussian(self, sigma: Sigma, size: int) -> NDArray[np.int64]:
        self._session.drawn("gaussian", sigma, size)
        return self._whole(self._inner.gaussian(sigma, size))

    def _whole(self, drawn: NDArray[np.int64]) -> NDArray[np.int64]:
        if drawn.dtype != np.int64:
            self._session.fault(f"noise of type {drawn.dtype}: noise on counts must be whole numbers")
        return drawn

    def beyond(self, law: NoiseLaw, threshold: int, size: int) -> NDArray[np.int64]:
        self._session.drawn("beyond", law, size)
        return self._inner.beyond(law, threshold, size)

    def passing(self, law: NoiseLaw, threshold: int, slots: int) -> int:
        self._session.drawn("passing", law, slots)
        return self._inner.passing(law, threshold, slots)

    def distinct(self, k: int, n: int) -> NDArray[Any]:
        return self._inner.distinct(k, n)

    def below(self, n: int, size: int) -> NDArray[Any]:
        part = self._inner.below(n, size)
        self._session.parts.append((n, part))
        return part

    def exponential(self, scores: NDArray[np.int64], rate: Fraction) -> int:
        public, law = (len(scores), Fraction(rate)), Scored(np.asarray(scores, np.int64), Fraction(rate))
        chosen: int = self._session.cross("choice", public, law, lambda: self._inner.exponential(scores, rate))
        return chosen

    def ladder(self, widths: NDArray[np.int64], scale: Scale) -> int:
        self._session.drawn("ladder", scale, 1)
        return self._inner.ladder(widths, scale)

    def overlap(self, ones: int, zeros: int, chosen: int, rate: Fraction) -> int:
        self._session.drawn("overlap", rate, ones + zeros)
        return self._inner.overlap(ones, zeros, chosen, rate)


class EchoingNoise(WatchedNoise):
    """Silence, so that what the wall computes from it is exact; answers come from the tape."""

    _session: Replayer

    def laplace(self, scale: Scale, size: int) -> NDArray[np.int64]:
        return self._silence("laplace", scale, size)

    def _silence(self, name: str, law: NoiseLaw, size: int) -> NDArray[np.int64]:
        if not self._session.guarded:
            self._session.cross("a draw of its own", (name, law, size), Unknown(name), lambda: None)
        return np.zeros(size, np.int64)

    def gaussian(self, sigma: Sigma, size: int) -> NDArray[np.int64]:
        return self._silence("gaussian", sigma, size)

    def beyond(self, law: NoiseLaw, threshold: int, size: int) -> NDArray[np.int64]:
        return np.zeros(size, np.int64)

    def passing(self, law: NoiseLaw, threshold: int, slots: int) -> int:
        return 0

    def distinct(self, k: int, n: int) -> NDArray[Any]:
        return np.arange(k)

    def ladder(self, widths: NDArray[np.int64], scale: Scale) -> int:
        return 0

    def overlap(self, ones: int, zeros: int, chosen: int, rate: Fraction) -> int:
        return max(0, chosen - zeros)

    def below(self, n: int, size: int) -> NDArray[Any]:
        """Every unit that is in both tables falls where it fell on the tape; so does every record, where each has a draw."""
        session = self._session
        at = len(session.parts)
        if at >= len(session.tape.parts) or session.tape.parts[at][0] != n:
            raise Diverged(f"units were drawn into {n} parts or places, which the tape does not know")
        recorded = session.tape.parts[at][1]
        more = size - len(recorded)
        if abs(more) > session.owns:
            raise Diverged("draws for another number of units or records than one unit explains")
        if more > 0:
            part = np.append(recorded, (session.joins + np.arange(more)) * 0x9E3779B1 % n)
        else:
            part = np.delete(recorded, np.arange(session.leaves, session.leaves - more))
        session.parts.append((n, part))
        return part
