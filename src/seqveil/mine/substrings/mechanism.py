"""`substrings`: the most frequent substrings, however long, after [Bernardini 2025] and [Guo 2026]."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar, Literal

from seqveil.errors import CallError
from seqveil.mine.asking import check_domain
from seqveil.mine.substrings.bounds import ask_bound
from seqveil.mine.substrings.predictions import candidates
from seqveil.mine.substrings.search import Search, String
from seqveil.mine.sums import largest_sums
from seqveil.parameters import described, unfit
from seqveil.release.patterns import PatternRelease, PatternTable
from seqveil.tables.domain import Domain
from seqveil.tables.trie import Trie
from seqveil.tables.units import Record, Unit, User
from seqveil.wall import GRAINS, Matches, Plan, Wall, holdings

LEAST = 1000
"""Grains that must be there to be divided over all questions."""


@dataclass(frozen=True)
class Substrings:
    """The `top` most frequent substrings of at least `shortest` labels, without a bound on their length other than l_max.

    >>> Substrings(shortest=8, top=20).name
    'substrings'
    >>> Substrings(count="pages")
    Traceback (most recent call last):
    seqveil.errors.CallError: count='pages': choose 'occurrences' or 'documents'.
    """

    kind: ClassVar[str] = "sequences"
    units: ClassVar[tuple[type[Unit], ...]] = (Record, User)
    version: ClassVar[str] = "1"
    paper: ClassVar[str] = "Bernardini, Bille, Gørtz, Steiner, PODS 2025"

    top: int = described(100, "Number of patterns to release.")
    shortest: int = described(2, "Length of the shortest patterns to release, in labels.")
    longest: int | None = described(None, "Length of the longest patterns to release; by default l_max.")
    l_max: int = described(100, "Labels of each record that are looked at: its first ones.")
    count: Literal["occurrences", "documents"] = described(
        "occurrences", "What to count: every occurrence of a pattern, or the records that contain it."
    )
    first: float = described(0.67, "Share of ε for the search for candidates; the rest counts them.")
    wider: float = described(2.0, "Candidates to count, as a multiple of top.")

    def __post_init__(self) -> None:
        if not 1 <= self.top <= 10_000:
            raise unfit("ask for 1 to 10,000 patterns; 100 is usual.", top=self.top)
        if not 1 <= self.l_max <= 100_000:
            raise unfit("records keep 1 to 100,000 labels; 100 is usual.", l_max=self.l_max)
        if not 1 <= self.shortest <= self._longest <= self.l_max:
            raise unfit(
                "lengths must satisfy 1 ≤ shortest ≤ longest ≤ l_max; 2, l_max and 100 are usual.",
                shortest=self.shortest,
                longest=self._longest,
                l_max=self.l_max,
            )
        if self.count not in ("occurrences", "documents"):
            raise unfit("choose 'occurrences' or 'documents'.", count=self.count)
        if not 0.05 <= self.first <= 0.95:
            raise unfit("the search gets between 0.05 and 0.95 of ε; 0.67 is usual.", first=self.first)
        if not 1 <= self.wider <= 100:
            raise unfit("give a number of at least 1; 2 is usual.", wider=self.wider)

    @property
    def name(self) -> str:
        """The name of the method, as in `--method`."""
        return "substrings"

    def parameters(self) -> dict[str, Any]:
        """The public parameters, ready for a manifest."""
        return asdict(self)

    @property
    def _longest(self) -> int:
        return self.l_max if self.longest is None else self.longest

    @property
    def _once(self) -> bool:
        return self.count == "documents"

    def _bill(self, epsilon: int) -> tuple[int, int]:
        """Grains of the search and of the counts; the counts get what the search leaves, too."""
        one = int(epsilon * Fraction(str(self.first)))
        return one, epsilon - one

    def precheck(self, epsilon: int, domain: Domain, unit: Unit) -> None:
        """Refuse what cannot be mined before anything is spent."""
        check_domain(domain, self.top, self.shortest, self._longest)
        if epsilon < LEAST:
            raise CallError("ε is too small to be divided over all lengths: give more ε.")

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None) -> Plan:
        """The stages and their ε, and what noise will do to counts."""
        self.precheck(epsilon, domain, unit)
        one, two = self._bill(epsilon)
        stages = [
            ("candidates", one, f"strings of 1, 2, 4, … up to {self._longest} labels, as long as some are frequent"),
            ("counts", two, f"counts of at most {self._candidates()} candidates"),
        ]
        each = 3 * unit.sequences * GRAINS / two
        most = self.l_max - self.shortest + 1
        noise = f"noise within ±{each:,.0f} (95 %) for each pattern that a record may count for, at most {most} of them"
        return Plan(stages, [f"patterns that begin no longer candidate: {noise}"])

    def _candidates(self) -> int:
        return ceil(self.wider * self.top)

    def run(self, wall: Wall) -> PatternRelease:
        """Search, then count."""
        one, two = self._bill(wall.epsilon)
        search = Search(self.top, self.shortest, self._longest, self.l_max, self._once)
        left = search.run(wall, one)
        strings = candidates(search.levels, self.shortest, self._longest, self._candidates(), self._once)
        return self._counted(wall, strings, search.worth(), two + left)

    def _counted(self, wall: Wall, strings: list[String], worth: float | None, epsilon: int) -> PatternRelease:
        """Fresh counts of the candidates, and the best of them."""
        if not strings:
            nothing = PatternTable.of([], [], 0.0)
            return PatternRelease(wall.domain, patterns=nothing, kind="substring", about=self._about(self.l_max))
        trie = Trie.of(strings, len(wall.domain))
        with wall.stage("counts"):
            most = holdings(trie, self.l_max, self._once)
            bound, paid = ask_bound(wall, trie, self.l_max, self._once, most, worth, epsilon, 1.0)
            asked = Matches(trie, self.l_max, bound.most, self._once)
            answers = wall.ask(asked, paid)
        holds = trie.along() if self._once else trie.below()
        best = largest_sums(strings, holds, answers, asked.influence(wall.unit) * GRAINS / paid, self.top)
        return PatternRelease(wall.domain, patterns=best, kind="substring", about=self._about(bound.most))

    def _about(self, most: int) -> str:
        """What a count counts, in words."""
        where = f"the first {self.l_max:,} labels of each record"
        if self._once:
            return f"records that contain the pattern in {where}, each record counting for at most {most:,} paths of patterns"
        return f"occurrences in {where}, each record counting at most {most:,} of its positions"
