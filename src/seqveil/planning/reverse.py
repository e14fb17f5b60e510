"""The reverse question: which ε is needed for a target? By bisection over a ladder of values that people would write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from seqveil.planning.target import Target
from seqveil.wall.budget import LARGE_EPSILON, decimal, grains
from seqveil.wall.measures.delta import stated

STEPS = ("1", "1.2", "1.5", "2", "2.5", "3", "4", "5", "6", "8")
"""The rungs of every decade: each is at most 1.34 times the one before."""

LADDER = tuple(
    grains(epsilon)
    for power in range(-3, 2)
    for step in STEPS
    if (epsilon := Fraction(step) * Fraction(10) ** power) <= LARGE_EPSILON
)
"""From 0.001 to the largest ε that comes without a warning."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The ε that a target needs in every population, in grains; None where none of the ladder reaches it."""

    target: Target
    needed: Mapping[str, int | None]
    delta: int = 0

    @property
    def epsilon(self) -> int | None:
        """For the typical population."""
        return self.needed.get("typical", next(iter(self.needed.values())))

    @property
    def sentence(self) -> str:
        """For people.

        >>> print(Answer(Target(), {"flat": None, "typical": grains("0.5"), "skewed": grains("0.2")}).sentence)
        top 20 within 5%: ε = 0.5 in typical data; flat: not reachable below ε = 20.0, skewed: 0.2
        """
        others = [f"{name}: {_written(one)}" for name, one in self.needed.items() if name != "typical"]
        if "typical" not in self.needed:
            return f"{self.target}: {_said(self.epsilon)} in data like the sample{self._at}"
        return f"{self.target}: {_said(self.epsilon)} in typical data; {', '.join(others)}{self._at}"

    @property
    def _at(self) -> str:
        return f" (each at δ = {stated(self.delta)})" if self.delta else ""

    def to_dict(self) -> dict[str, Any]:
        """As a part of one JSON object."""
        return {
            "target": str(self.target),
            "epsilon": None if self.epsilon is None else decimal(self.epsilon),
            "populations": {name: None if one is None else decimal(one) for name, one in self.needed.items()},
            "searched_up_to": decimal(LADDER[-1]),
        }


def least(reaches: Callable[[int], bool], ladder: tuple[int, ...] = LADDER) -> int | None:
    """The least rung that reaches the target, if a rung that does is followed by rungs that do; None if the last does not.

    >>> least(lambda rung: rung >= 7, (1, 2, 4, 8, 16)), least(lambda rung: False, (1, 2))
    (8, None)
    """
    if not reaches(ladder[-1]):
        return None
    low, high = -1, len(ladder) - 1
    while high - low > 1:
        # Invariant: rung `high` reaches the target, rung `low` does not (there is none below the first).
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(ladder[middle]) else (middle, high)
    return ladder[high]


def _said(amount: int | None) -> str:
    return f"not reachable below ε = {decimal(LADDER[-1])}" if amount is None else f"ε = {decimal(amount)}"


def _written(amount: int | None) -> str:
    return _said(amount) if amount is None else decimal(amount)
