"""`ffs`: frequent strings, grown from short prefixes level by level [McSherry 2010], as in [Chen 2012, §6.2.2]."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from seqveil.errors import CallError
from seqveil.mine.asking import DEVIATIONS, check_deviations, check_domain, check_patterns, deviations_for
from seqveil.mine.prefixes import top_prefixes
from seqveil.parameters import described
from seqveil.release.patterns import PatternRelease
from seqveil.surface import parameter
from seqveil.tables.domain import Domain
from seqveil.tables.granularity import Granularities
from seqveil.tables.units import Record, Unit, User
from seqveil.trees.growth import build_noisy_prefix_tree
from seqveil.trees.heights import check_height
from seqveil.trees.sublevels import Sublevel
from seqveil.wall import Plan, Prefixes, Wall


@dataclass(frozen=True)
class FrequentStrings:
    """The `top` most frequent strings of `shortest` to `longest` labels, ranked together, under the assumption that records are
    such strings: what a record begins with is all that is counted of it.

    >>> FrequentStrings(longest=3, top=20).name
    'ffs'
    >>> FrequentStrings(longest=1)
    Traceback (most recent call last):
    seqveil.errors.CallError: shortest=2, longest=1: lengths must satisfy 1 ≤ shortest ≤ longest; 2 and 4 are usual.
    """

    kind: ClassVar[str] = "sequences"
    units: ClassVar[tuple[type[Unit], ...]] = (Record, User)
    version: ClassVar[str] = "2"
    paper: ClassVar[str] = "McSherry, Mahajan, SIGCOMM 2010"

    shortest: int = described(2, "Length of the shortest strings to release, in labels.")
    longest: int = described(4, "Length of the longest strings to release, in labels; ε is divided over this many levels.")
    top: int = described(60, "Number of strings to release.")
    deviations: float | None = described(None, DEVIATIONS)

    def __post_init__(self) -> None:
        check_height(4, longest=self.longest)
        check_deviations(self.deviations)
        check_patterns(self.top, self.shortest, self.longest, self.longest, usual=(2, 4))

    @property
    def name(self) -> str:
        """The name of the method, as in `--method`."""
        return "ffs"

    def parameters(self) -> dict[str, Any]:
        """The public parameters, ready for a manifest."""
        return asdict(self)

    def _question(self, epsilon: int, labels: int, unit: Unit) -> Sublevel:
        if epsilon < self.longest:
            raise CallError(
                f"ε is too small to be divided over {self.longest} levels: give more ε or a smaller {parameter('longest')}."
            )
        influence = Prefixes().influence(unit)
        return Sublevel.of(epsilon // self.longest, influence, deviations_for(labels, self.deviations))

    def precheck(self, epsilon: int, domain: Domain, unit: Unit) -> None:
        """Refuse what cannot be mined before anything is spent."""
        check_domain(domain, self.top, self.shortest, self.longest)
        self._question(epsilon, len(domain), unit)

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None) -> Plan:
        """The stages and their ε, and what noise will do to counts."""
        self.precheck(epsilon, domain, unit)
        prediction = f"every string: {self._question(epsilon, len(domain), unit).prediction}"
        return Plan([("strings", epsilon, f"every string through {self.longest} levels")], [prediction])

    def run(self, wall: Wall) -> PatternRelease:
        """Grow `longest` levels; the strings of the last ones, down to `shortest`, are the answer."""
        labels = len(wall.domain)
        fine = Granularities.of(labels, [])
        levels = [[self._question(wall.epsilon, labels, wall.unit)]] * self.longest
        with wall.stage("strings"):
            tree = build_noisy_prefix_tree(wall.tree(Prefixes(fine), wall.remaining), fine, levels)
        patterns = top_prefixes(tree, self.shortest, self.longest, self.top)
        about = "records that begin with these labels"
        return PatternRelease(wall.domain, patterns=patterns, kind="prefix", about=about)
