"""How hard to try: everything that decides how long an audit takes."""

from __future__ import annotations

from dataclasses import dataclass

from seqveil.errors import CallError
from seqveil.surface import parameter


@dataclass(frozen=True, slots=True)
class Effort:
    """Numbers of attempts. A variant is another choice of a method's parameters."""

    name: str
    bases: int  # data sets that units are added to
    seeds: int  # recordings with mixed chosen noise per pair of neighbours
    stride: int  # of all pairs of worst neighbours, luck and direction, one in so many; of a hostile row's places, likewise
    exhaustive: int  # small units tried, at most
    climbs: int  # steps of the guided search for a worse neighbour
    runs: int  # of each of two neighbours, for the statistical bound
    draws: int  # of every law of noise
    lightly: int  # worst units tried on each variant after the plain form
    variants: bool  # whether variants get all of the above instead


QUICK = Effort("quick", bases=3, seeds=1, stride=1, exhaustive=40, climbs=60, runs=300, draws=20_000, lightly=5, variants=False)
SMOKE = Effort("smoke", bases=2, seeds=1, stride=3, exhaustive=6, climbs=8, runs=4, draws=20_000, lightly=3, variants=False)
"""Enough to catch nearly every planted bug, in about a second: for tests.

A stride of 3 still puts every worst unit, base, luck and direction to the test, each with some of the others: there are ten
lucks and directions, which three does not divide. Fewer than 94 runs cannot raise an alarm whatever they show
(`audit/bound.py: ALARM`), so a few do: that the attack itself works.
"""

FULL = Effort(
    "full", bases=3, seeds=12, stride=1, exhaustive=400, climbs=600, runs=1_500, draws=1_000_000, lightly=5, variants=True
)


def effort(name: str) -> Effort:
    """By its name on the command line."""
    budgets = {budget.name: budget for budget in (SMOKE, QUICK, FULL)}
    if name not in budgets:
        raise CallError(
            f"{parameter('budget', repr(name))}: choose quick (a minute or two for all methods) or full (20 to 40 minutes)."
        )
    return budgets[name]
