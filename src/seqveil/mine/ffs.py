"""`ffs`: frequent strings of one length, grown from short prefixes level by level [McSherry 2010], as in [Chen 2012, §6.2.2]."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from seqveil.errors import CallError
from seqveil.mine.asking import DEVIATIONS, check_deviations, check_domain, check_patterns, deviations_for
from seqveil.mine.prefixes import top_prefixes
from seqveil.parameters import described, unfit
from seqveil.release.patterns import PatternRelease
from seqveil.surface import parameter
from seqveil.tables.domain import Domain
from seqveil.tables.granularity import Granularities
from seqveil.tables.units import Record, Unit, User
from seqveil.trees.growth import build_noisy_prefix_tree
from seqveil.trees.sublevels import Sublevel
from seqveil.wall import Plan, Prefixes, Wall


@dataclass(frozen=True)
class FrequentStrings:
    """The `top` most frequent strings of `length` labels, under two assumptions: all frequent strings have this length, and
    records are such strings, so that a prefix of a record is all of it.

    >>> FrequentStrings(length=3, top=20).name
    'ffs'
    >>> FrequentStrings(length=0)
    Traceback (most recent call last):
    seqveil.errors.CallError: length=0: strings need at least 1 label; 3 is usual.
    """

    kind: ClassVar[str] = "sequences"
    units: ClassVar[tuple[type[Unit], ...]] = (Record, User)
    version: ClassVar[str] = "1"
    paper: ClassVar[str] = "McSherry, Mahajan, SIGCOMM 2010"

    length: int = described(3, "Length of the strings, in labels.")
    top: int = described(60, "Number of strings to release.")
    deviations: float | None = described(None, DEVIATIONS)

    def __post_init__(self) -> None:
        if self.length < 1:
            raise unfit("strings need at least 1 label; 3 is usual.", length=self.length)
        check_deviations(self.deviations)
        check_patterns(self.top, self.length, self.length, self.length)

    @property
    def name(self) -> str:
        """The name of the method, as in `--method`."""
        return "ffs"

    def parameters(self) -> dict[str, Any]:
        """The public parameters, ready for a manifest."""
        return asdict(self)

    def _question(self, epsilon: int, labels: int, unit: Unit) -> Sublevel:
        if epsilon < self.length:
            raise CallError(
                f"ε is too small to be divided over {self.length} levels: give more ε or a smaller {parameter('length')}."
            )
        influence = Prefixes().influence(unit)
        return Sublevel.of(epsilon // self.length, influence, deviations_for(labels, self.deviations))

    def precheck(self, epsilon: int, domain: Domain, unit: Unit) -> None:
        """Refuse what cannot be mined before anything is spent."""
        check_domain(domain, self.top, self.length, self.length)
        self._question(epsilon, len(domain), unit)

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None) -> Plan:
        """The stages and their ε, and what noise will do to counts."""
        self.precheck(epsilon, domain, unit)
        prediction = f"every string: {self._question(epsilon, len(domain), unit).prediction}"
        return Plan([("strings", epsilon, f"every string through {self.length} levels")], [prediction])

    def run(self, wall: Wall) -> PatternRelease:
        """Grow `length` levels; the strings of the last one are the answer."""
        labels = len(wall.domain)
        fine = Granularities.of(labels, [])
        levels = [[self._question(wall.epsilon, labels, wall.unit)]] * self.length
        with wall.stage("strings"):
            tree = build_noisy_prefix_tree(wall.tree(Prefixes(fine), wall.remaining), fine, levels)
        patterns = top_prefixes(tree, self.length, self.length, self.top)
        about = f"records that begin with the {self.length} labels"
        return PatternRelease(wall.domain, patterns=patterns, kind="prefix", about=about)
