"""Running counts and sums under discrete Gaussian noise: after every step a weighted sum of all events so far is released.

With the coefficients c(k) of coefficients.py, step t releases y(t) = Σ_j c(t − j)·x(j), where x(j) is what the events of step j
add up to, plus noise of one width σ. One event moves the whole sequence y by at most Δ·‖c‖ in L2, so it is ρ-zCDP with
σ² = Δ²‖c‖²/(2ρ), also where later events depend on earlier answers (docs/mechanisms/square-root.md has the proof). Prefix sums
are computed from y alone.

Everything raw is a whole number: x, c and y, the last two in steps of 2^−BITS.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.protocol import Exact, StreamEngine
from seqveil.errors import CallError
from seqveil.surface import parameter
from seqveil.wall.continual.blocks import Additive, adds_up
from seqveil.wall.continual.coefficients import BITS, Coefficients, coefficients_of
from seqveil.wall.continual.gathering import Rows
from seqveil.wall.continual.statistics import Statistic

MOST_ANSWERS = 2**24
"""More answers would need more memory than is promised: two numbers each, on either side of the wall."""

MOST_TOTAL = 2**62 >> (BITS + 1)
"""No sum over a part of a stream may be larger: weighted sums then fit into 64 bits, with room for noise."""

_AT_ONCE = 1 << 19
"""Numbers that are looked up at once."""


@dataclass(frozen=True, slots=True)
class SquareRoot:
    """After every `every` events the weighted sum of all so far; there is room for `length` events.

    >>> SquareRoot(7, every=3).steps, SquareRoot(7, every=3).ending(1, 7).tolist()
    (2, [0, 0, 1, 0, 0, 1, 0])
    """

    length: int
    every: int = 1

    def __post_init__(self) -> None:
        named = parameter("every", str(self.every))
        if self.every > self.length:
            raise CallError(f"{named}: give at most the length, {self.length:,}: there would be no answer.")
        if self.steps > MOST_ANSWERS:
            least = -(-self.length // MOST_ANSWERS)
            raise CallError(
                f"{parameter('length', str(self.length))}: {parameter('method', 'sqrt')} gives at most {MOST_ANSWERS:,} answers; "
                f"answer less often, for example {parameter('every', str(least))}."
            )

    @property
    def steps(self) -> int:
        """How many answers there may be."""
        return self.length // self.every

    @property
    def coefficients(self) -> Coefficients:
        return coefficients_of(self.steps)

    def touched(self, shortest: int) -> int:
        return self.steps

    def influence(self, statistic: Statistic) -> int:
        raise CallError(
            f"{parameter('method', 'sqrt')} adds Gaussian noise, which needs δ: give {parameter('delta', '1e-6')}, or use "
            f"{parameter('method', 'blocks')}, which does without."
        )

    def square(self, statistic: Statistic, events: int) -> int:
        """Where `every` divides the number of events, or is as large as it, some stream attains this."""
        among = min(events, self.every)
        return statistic.square * among**2 * self.coefficients.square(-(-events // self.every))

    def ending(self, position: int, events: int) -> NDArray[np.int64]:
        return np.asarray(np.arange(position, position + events) % self.every == 0, np.int64)

    def exact(self, statistic: Statistic, engine: StreamEngine) -> Exact:
        if max(map(abs, statistic.bounds(self.length))) > MOST_TOTAL:
            raise CallError(
                f"{parameter('method', 'sqrt')}: a sum of {self.length:,} events could exceed 2^41 steps of the resolution; give "
                f"a coarser {parameter('resolution')} or a smaller {parameter('length')}."
            )
        return _WeightedTotals(self, adds_up(statistic))


class _WeightedTotals:
    """Exact weighted sums, from differences of prefix sums; several numbers where the statistic has several."""

    def __init__(self, root: SquareRoot, statistic: Additive) -> None:
        self._root, self._statistic = root, statistic
        self._position = 0
        self._total = np.zeros(statistic.values, np.int64)
        self._totals = Rows(statistic.values, np.int64)

    def feed(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        ends = np.flatnonzero(self._root.ending(self._position + 1, len(values)))
        totals = self._total + np.cumsum(self._statistic.steps(values), axis=0, dtype=np.int64)
        self._position += len(values)
        self._total = totals[-1] if len(totals) else self._total
        first = self._totals.steps + 1
        self._totals.append(totals[ends])
        steps = np.arange(first, first + len(ends))
        return np.concatenate([np.zeros(0, np.int64), *(self._weighted(part) for part in self._parts(steps))])

    def _weighted(self, steps: NDArray[np.int64]) -> NDArray[np.int64]:
        coefficients = self._root.coefficients
        within = -np.diff(self._totals.behind(steps, coefficients.lags), axis=1)  # what the events of each bin add up to
        return np.asarray(np.einsum("b,tbv->tv", coefficients.weights, within), np.int64).reshape(-1)

    def _parts(self, steps: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        size = max(1, _AT_ONCE // (len(self._root.coefficients.lags) * self._statistic.values))
        return [steps[at : at + size] for at in range(0, len(steps), size)]
