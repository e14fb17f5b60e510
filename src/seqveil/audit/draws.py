"""A detector of noise that is used twice, in whatever process.

`Numbered` gives out the numbers 1, 2, 3, … for noise, each one once, and counts them in memory that forked processes share. So
what came out minus the exact value *is* the number of the draw that hides it. `Numbered.used` notes in the same memory which
value each draw hides and which draw each value is hidden by. Two things are never allowed:

- one draw for two values, or for two versions of one value: their difference is raw data;
- two draws for one value: their mean is nearer to the truth than one charge allows.

Telling the same again is allowed. The process that comes second is stopped with `UsedTwice`, and the others can see it.
"""

from __future__ import annotations

import mmap
from multiprocessing import get_context
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.wall.noise import Law, Scale, SecureNoise, Sigma
from seqveil.wall.noise.nothing import NoNoise

MOST = 1 << 16
"""Draws and values that one detector can tell apart."""


class UsedTwice(AssertionError):
    """Noise was used twice, or something that was never drawn was used as noise."""


class Numbered(NoNoise):
    """Noise in place of `SecureNoise`, for tests and audits; made before the processes that it watches are forked.

    >>> noise = Numbered()
    >>> draws = noise.laplace(Scale(1.0), 2)
    >>> noise.used(value=1, answer=10 + draws[0], exact=10)
    >>> noise.used(value=1, answer=10 + draws[0], exact=10)          # the same again
    >>> noise.used(value=2, answer=20 + draws[0], exact=20)
    Traceback (most recent call last):
    seqveil.audit.draws.UsedTwice: one draw of noise hides two values
    """

    kind = SecureNoise.kind

    def __init__(self) -> None:
        shared = np.frombuffer(mmap.mmap(-1, 8 * (2 + 4 * MOST)), np.int64)
        self._counts, rest = shared[:2], shared[2:].reshape(4, MOST)
        self._value_of, self._draw_of, self._answer_of, self._scale_of = rest[0], rest[1], rest[2], rest[3].view(np.float64)
        self._lock = get_context("fork").Lock()

    def laplace(self, scale: Scale, size: int) -> NDArray[np.int64]:
        return self._number(scale, size)

    def gaussian(self, sigma: Sigma, size: int) -> NDArray[np.int64]:
        return self._number(sigma, size)

    def _number(self, law: Law, size: int) -> NDArray[np.int64]:
        """The next numbers."""
        with self._lock:
            first = int(self._counts[0]) + 1
            self._counts[0] += size
            self._scale_of[first : first + size] = law.value
            return np.arange(first, first + size, dtype=np.int64)

    @property
    def caught(self) -> int:
        """How often any process was stopped."""
        return int(self._counts[1])

    @property
    def scales(self) -> set[float]:
        """At which scales noise was used."""
        return set(self._scale_of[self._value_of > 0].tolist())

    def used(self, value: int, answer: Any, exact: Any) -> None:
        """Note that value number `value` (from 1 on), which is `exact`, came out as `answer`."""
        draw = int(answer) - int(exact)
        with self._lock:
            wrong = self._wrong(value, draw, int(answer))
            if wrong is not None:
                self._counts[1] += 1
                raise UsedTwice(wrong)
            self._value_of[draw], self._draw_of[value], self._answer_of[value] = value, draw, answer

    def _wrong(self, value: int, draw: int, answer: int) -> str | None:
        if not 1 <= draw <= self._counts[0]:
            return "a value was released without a draw of noise"
        if self._value_of[draw] not in (0, value):
            return "one draw of noise hides two values"
        if self._draw_of[value] not in (0, draw):
            return "one value came out under two draws of noise"
        if self._draw_of[value] == draw and self._answer_of[value] != answer:
            return "one draw of noise hides two versions of a value"
        return None
