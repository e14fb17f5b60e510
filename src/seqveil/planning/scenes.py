"""Simulated tables of a stated size, and the real mechanism run on them.

A table of more than `most` records is simulated smaller, with ε larger by the same factor c. Counts shrink by c and so does the
scale of every noise, which is proportional to 1/ε, and with it every threshold that follows from noise: relative errors, and what
passes a threshold, stay the same. What does not stay the same: rounding to whole counts; the sampling error of synthetic records,
which is larger in a small table, so that shapes are predicted a little worse than they come out; and false patterns. Noise is a
whole number: once its scale is below one record it is mostly zero, and of the many patterns that nobody has hardly any passes its
threshold. DiffPart, which tests whole sets, is predicted too well by that, and plans say so. Tests compare both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError
from seqveil.kinds import kind as kind_named
from seqveil.kinds.kind import load
from seqveil.planning.outcome import Outcome, outcome_of
from seqveil.planning.patience import LimitedNoise, Patience
from seqveil.planning.target import Target
from seqveil.planning.truth import Truth
from seqveil.simulate.records import POPULATIONS, Population, resampled
from seqveil.tables.domain import Domain
from seqveil.tables.units import Unit, User
from seqveil.wall.budget import GRAINS, MOST_EPSILON
from seqveil.wall.measures.zcdp import MOST_RHO, epsilon_of
from seqveil.wall.mechanism import guaranteed
from seqveil.wall.run import perform

SEED = 2026
"""The same call gives the same numbers: everything is drawn from this."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is simulated: at most so many records and items, so many times; and about so many seconds of processor time."""

    records: int
    items: int
    runs: int
    seconds: float = inf


THOROUGH = Extent(records=100_000, items=500_000, runs=2)
"""Of `seqveil plan`."""

QUICK = Extent(records=10_000, items=50_000, runs=1, seconds=2.0)
"""Of a dry run, which shall end within seconds."""


def simulates(kind: str) -> bool:
    """Whether tables of this kind can be simulated at all."""
    return kind_named(kind).simulated is not None


@dataclass(frozen=True)
class Setting:
    """What is public about the data: kind, domain, unit, a rough number of units and mean length; or a public sample of it.

    `per_user` is a rough mean number of records of a user. Where it is given, the simulated data are compared with what is left
    of them within the bound of the unit; without it, users have as many records as are used. Where records are `alike`, every one
    of them has the mean length, as journeys with an origin and a destination have two items. With `delta`, in parts of 10⁻¹⁸,
    runs are charged in zCDP.
    """

    kind: str
    domain: Domain
    unit: Unit
    size: int
    length: float
    sample: Any = None
    per_user: float | None = None
    alike: bool = False
    delta: int = 0

    def __post_init__(self) -> None:
        if self.sample is not None and (self.sample.domain != self.domain or not len(self.sample)):
            raise CallError("the public sample is empty, or has another domain than the plan: read it with the same domain.")

    @property
    def records(self) -> int:
        """The records of so many units: as stated, or the most that they contribute."""
        return self.unit.most_records(self.size) if self.per_user is None else round(self.size * self.per_user)

    @property
    def mean_length(self) -> float:
        """The mean length of the records, which a sample says itself."""
        return self.length if self.sample is None else len(self.sample.flat.items) / len(self.sample)

    def factor(self, extent: Extent) -> float:
        """How many times smaller the simulated table is."""
        return max(1.0, self.records / extent.records, self.records * self.mean_length / extent.items)

    def units(self, extent: Extent) -> int:
        """How many units are simulated."""
        return max(1, ceil(self.size / self.factor(extent)))

    def shrunk(self, extent: Extent) -> str | None:
        """What is to be said about a table that is simulated smaller than it is; None where it is not."""
        factor = self.factor(extent)
        if factor == 1:
            return None
        return (
            f"simulated with {self.units(extent):,} of {self.size:,} {self.unit.name}s and {self._larger(factor)} times "
            "larger; a release of all of them may contain more false patterns than the simulation shows"
        )

    def _larger(self, factor: float) -> str:
        """What is larger, so that noise is so many times smaller."""
        return f"ρ {factor**2:,.3g}" if self.delta else f"ε {factor:,.3g}"

    def scaled(self, mechanism: Any, epsilon: int, factor: float) -> int:
        """The ε with which noise is so many times smaller; with δ its ρ is the square of that times larger."""
        if not self.delta:
            return min(int(epsilon * factor), MOST_EPSILON * GRAINS)
        asked = guaranteed(mechanism, epsilon, self.delta)
        rho = min(int(asked.amount * factor**2), MOST_RHO * GRAINS)
        return min(epsilon_of(rho, self.delta - asked.thresholds), MOST_EPSILON * GRAINS)

    def table(self, who: Population | None, extent: Extent, seed: int) -> Any:
        """A simulated table; without a population, records of the sample."""
        units = self.units(extent)
        owners = None
        if isinstance(self.unit, User):
            own = self.unit.sequences if self.per_user is None else _records_of(units, self.per_user, seed)
            owners = np.repeat(np.arange(units), own)
        records = self.unit.most_records(units) if owners is None else len(owners)
        if who is None:
            return resampled(self.sample, records, owners, seed)
        simulate = load(str(kind_named(self.kind).simulated))
        who = replace(who, dispersion=None) if self.alike else who
        return simulate(who, self.domain, records, self.length, owners, seed)


def _records_of(users: int, mean: float, seed: int) -> NDArray[np.int64]:
    """Records of each user, at least one: as many as independent decisions to travel make (Poisson)."""
    return 1 + np.random.default_rng(seed).poisson(mean - 1, users)


class Scene:
    """One simulated table that releases of any ε are made from; `name` is that of its population."""

    def __init__(
        self, name: str, who: Population | None, setting: Setting, extent: Extent, seed: int, patience: Patience
    ) -> None:
        self.name, self._patience = name, patience
        self._who, self._setting, self._extent, self._seed = who, setting, extent, seed

    @cached_property
    def _table(self) -> Any:
        return self._setting.table(self._who, self._extent, self._seed)

    @cached_property
    def truth(self) -> Truth:
        """The exact counts of this table."""
        return Truth(self._table)

    @property
    def factor(self) -> float:
        """How many times larger the numbers of a table of the stated size are."""
        return self._setting.factor(self._extent)

    def released(self, mechanism: Any, epsilon: int) -> Any:
        """A seeded release of this table."""
        scaled, noise = self._setting.scaled(mechanism, epsilon, self.factor), LimitedNoise(self._seed, self._patience)
        return perform(mechanism, self._table, self._setting.unit, scaled, noise, delta=self._setting.delta)

    def outcome(self, mechanism: Any, epsilon: int, target: Target) -> Outcome:
        """How close a seeded release of this table comes to it."""
        return outcome_of(self.released(mechanism, epsilon), self.truth, target)


class Scenes:
    """All simulated tables of a plan, by population; each population is simulated `extent.runs` times.

    `outcome` raises `TimeUp` when the time of the extent, which begins now, is over.
    """

    def __init__(self, setting: Setting, extent: Extent) -> None:
        chosen: list[tuple[str, Population | None]] = [(one.name, one) for one in POPULATIONS]
        if setting.sample is not None:
            chosen = [("sample", None)]
        self.patience = Patience(extent.seconds)
        self._scenes = {
            name: [Scene(name, who, setting, extent, SEED + run, self.patience) for run in range(extent.runs)]
            for name, who in chosen
        }

    @property
    def names(self) -> list[str]:
        """The populations."""
        return list(self._scenes)

    def first(self, name: str) -> Scene:
        """The first table of a population."""
        return self._scenes[name][0]

    def outcome(self, name: str, mechanism: Any, epsilon: int, target: Target) -> Outcome:
        """The mean over the runs of one population."""
        measured = [scene.outcome(mechanism, epsilon, target) for scene in self._scenes[name]]
        return {key: float(np.mean([one[key] for one in measured])) for key in measured[0]}
