"""How hard to try: everything that decides how long an audit takes."""

from __future__ import annotations

from dataclasses import dataclass

from seqveil.errors import CallError


@dataclass(frozen=True, slots=True)
class Effort:
    """Numbers of attempts. Variants of a method after its plain form get a share of `replays`."""

    name: str
    bases: int  # data sets that units are added to
    seeds: int  # recordings with mixed chosen noise per pair of neighbours
    exhaustive: int  # small units tried, at most
    climbs: int  # steps of the guided search for a worse neighbour
    runs: int  # of each of two neighbours, for the statistical bound
    draws: int  # of every law of noise
    variants: bool  # whether every variant gets all of this, or a tenth


QUICK = Effort("quick", bases=3, seeds=1, exhaustive=40, climbs=60, runs=150, draws=20_000, variants=False)
FULL = Effort("full", bases=3, seeds=25, exhaustive=400, climbs=1500, runs=10_000, draws=1_000_000, variants=True)


def effort(name: str) -> Effort:
    """By its name on the command line."""
    known = {budget.name: budget for budget in (QUICK, FULL)}
    if name not in known:
        raise CallError(f"--budget {name!r}: choose quick (about 3 minutes for all methods) or full (hours).")
    return known[name]
