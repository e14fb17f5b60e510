"""`discover`: the labels that enough users have, where no list is public: the weighted Gaussian mechanism [Raman 2026]."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from seqveil.errors import CallError
from seqveil.parameters import described
from seqveil.release.discovery import LabelRelease
from seqveil.surface import parameter
from seqveil.tables.domain import Domain
from seqveil.tables.units import Record, Unit, User
from seqveil.wall import GRID, Measure, Plan, Wall, Weights

MOST = 10_000
"""Labels of one unit: the threshold is certified for each number of them up to this."""


@dataclass(frozen=True)
class Discover:
    """Labels that nobody has listed: each user (or record) gives weight to at most `most` of its labels, and labels whose noisy
    weight passes a threshold are released. The threshold hides, up to δ, what a single user alone has.

    >>> Discover(most=10).name
    'discover'
    >>> Discover(most=0)
    Traceback (most recent call last):
    seqveil.errors.CallError: most=0: give a whole number from 1 to 10,000; 30 is usual.
    """

    kind: ClassVar[str] = "labels"
    units: ClassVar[tuple[type[Unit], ...]] = (Record, User)
    measures: ClassVar[tuple[Measure, ...]] = ("zcdp",)
    version: ClassVar[str] = "1"
    paper: ClassVar[str] = "Raman, Dick, Joseph, ICLR 2026"

    most: int = described(30, "To how many of its labels a user (or record) gives weight; of more, so many are drawn at random.")

    def __post_init__(self) -> None:
        if not isinstance(self.most, int) or not 1 <= self.most <= MOST:
            raise CallError(f"{parameter('most', str(self.most))}: give a whole number from 1 to {MOST:,}; 30 is usual.")

    @property
    def name(self) -> str:
        """The name of the method."""
        return "discover"

    def parameters(self) -> dict[str, Any]:
        """The public parameters, ready for a manifest."""
        return asdict(self)

    def thresholds(self, delta: int) -> int:
        """The half of δ that the threshold may spend; the other half is for the conversion from ρ."""
        return delta // 2

    def precheck(self, epsilon: int, domain: Domain, unit: Unit, measure: Measure = "pure") -> None:
        """Refuse what cannot be discovered: without δ the labels that occur could not be hidden."""
        if measure == "pure":
            raise CallError(
                f"labels cannot be discovered with pure ε: add {parameter('delta', '1e-6')}, well below 1 divided by the number "
                f"of {unit.name}s. A part of it is the probability that a label of one {unit.name} alone is released."
            )

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None, *, measure: Measure = "pure") -> Plan:
        """One question, and how much weight a label needs."""
        self.precheck(epsilon, domain, unit, measure)
        return Plan([("labels", epsilon, "the weight of every label that occurs")])

    def run(self, wall: Wall) -> LabelRelease:
        """Ask once; what was found is the domain."""
        with wall.stage("labels"):
            sigma, threshold = wall.passing_law(question := Weights(self.most), amount := wall.remaining)
            domain, noisy = wall.discover(question, amount)
        return LabelRelease(domain, noisy=noisy, grid=GRID, sigma=sigma.value, threshold=threshold, most=self.most)
