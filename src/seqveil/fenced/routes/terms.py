"""Terms: by what a trip is judged, and what it must keep, besides the limits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from seqveil.errors import CallError, InputProblems
from seqveil.surface import parameter

METHODS = ("exact", "scaled", "greedy")


@dataclass(frozen=True)
class Terms:
    """The parameters of `plan` that say what a good trip is. The defaults are those of [Bonomi thesis, ch. 6].

    >>> Terms(coverage=0.5).require("scaled")
    Traceback (most recent call last):
    seqveil.errors.CallError: coverage=0.5: only method=exact considers this; leave it out or use method=exact.
    """

    theta: float = 1.0
    epsilon: float = 0.5
    waiting: float = 0.0
    """What a unit of waiting for the others counts as, in units of travel: 0 (nothing) to 1 (the same)."""
    max_wait: float | None = None
    coverage: float = 0.0
    """The share of their own preferences that every traveller must get."""
    curve: float = 1.0
    """The power of everybody's degree of coverage that counts: below 1, the first part of it counts more than the last."""

    def require(self, method: str) -> None:
        """Refuse what is out of range, all of it at once, and what a method cannot consider."""
        if method not in METHODS:
            raise CallError(f"unknown method {method!r}: choose exact, scaled or greedy.")
        problems = list(self._problems(method))
        if len(problems) == 1:
            raise CallError(problems[0] + ".")
        if problems:
            raise InputProblems("parameters", problems)

    def _problems(self, method: str) -> Iterator[str]:
        if not 0 <= self.theta <= 1:
            yield f"{parameter('theta', f'{self.theta:g}')}: give a number from 0 (distance only) to 1 (profit only)"
        elif method == "greedy" and self.theta != 1:
            yield f"{parameter('method', 'greedy')} considers profit only: give {parameter('theta', '1')} or another method"
        if not 0 < self.epsilon < 1:
            yield f"{parameter('epsilon', f'{self.epsilon:g}')}: give the share of profit that may be lost, between 0 and 1"
        if not 0 <= self.waiting <= 1:
            yield f"{parameter('waiting', f'{self.waiting:g}')}: give a number from 0 (free) to 1 (counts as travel)"
        wait = self.max_wait
        if wait is not None and not (0 <= wait < math.inf):
            yield f"{parameter('max_wait', f'{wait:g}')}: give a number of at least 0, in the unit of the costs"
        if not 0 <= self.coverage <= 1:
            yield f"{parameter('coverage', f'{self.coverage:g}')}: give the share that everybody must get, from 0 to 1"
        if not 0 < self.curve <= 10:
            yield f"{parameter('curve', f'{self.curve:g}')}: give a number above 0, at most 10; 1 is the plain sum"
        if method != "exact":
            # The bounds of the approximations are about sums of profits, and about routes that may begin anywhere.
            exact = parameter("method", "exact")
            for name, value, usual in (("max_wait", wait, None), ("coverage", self.coverage, 0), ("curve", self.curve, 1)):
                if value != usual:
                    yield f"{parameter(name, f'{value:g}')}: only {exact} considers this; leave it out or use {exact}"

    @property
    def synchronised(self) -> bool:
        """Whether waiting matters."""
        return self.waiting > 0 or self.max_wait is not None
