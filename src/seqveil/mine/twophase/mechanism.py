"""`two-phase`: a prefix tree proposes candidates, fingerprints refine them [Bonomi thesis, §3.3]."""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar, Literal

from seqveil.errors import CallError
from seqveil.mine.asking import (
    DEVIATIONS,
    HEIGHT,
    check_deviations,
    check_domain,
    check_kind,
    check_patterns,
    deviations_for,
    height_for,
    refuse_flood,
)
from seqveil.mine.endings import top_substrings
from seqveil.mine.prefixminer.mechanism import patterns_of
from seqveil.mine.twophase.growth import FirstPhase
from seqveil.mine.twophase.longest import most_frequent
from seqveil.mine.twophase.model import fitting_order, sample_model
from seqveil.mine.twophase.sample import PublicSample
from seqveil.parameters import described, unfit
from seqveil.release.patterns import PatternRelease, PatternTable
from seqveil.surface import parameter
from seqveil.tables.domain import Domain
from seqveil.tables.units import Record, Unit, User
from seqveil.trees.sublevels import Sublevel
from seqveil.wall import GRAINS, Fingerprints, LengthQuantile, Plan, Prefixes, Wall

AUTO_SHARE = Fraction(3, 100)
"""What choosing l′ costs."""

COVER = Fraction(85, 100)
"""The share of records that l′ shall cover."""


@dataclass(frozen=True)
class TwoPhase:
    """The `top` most frequent patterns of `shortest` to `longest` labels [Bonomi 2013], with confidence intervals.

    Phase 1 grows a private prefix tree, guided by a Markov model of a public sample (PT-Sample) or of its own noisy counts
    (PT-Dynamic), and proposes candidates. Phase 2 counts, at each of the best l′ symbols of every record, the longest candidate
    that ends there; how often a candidate occurs follows. Prefixes are read off the tree, which then gets all of ε.

    >>> TwoPhase().name, TwoPhase(top=0)
    Traceback (most recent call last):
    seqveil.errors.CallError: top=0: ask for at least 1 pattern; 60 is usual.
    """

    kind: ClassVar[str] = "sequences"
    units: ClassVar[tuple[type[Unit], ...]] = (Record, User)
    version: ClassVar[str] = "3"
    paper: ClassVar[str] = "Bonomi, Xiong, CIKM 2013"

    top: int = described(60, "Number of patterns to release.")
    shortest: int = described(2, "Shortest pattern, in labels.")
    longest: int = described(7, "Longest pattern, in labels.")
    h: int | None = described(
        None, f"Height of the prefix tree: only the first h labels of a record propose candidates; {HEIGHT}"
    )
    patterns: Literal["substring", "prefix"] = described(
        "substring", "What to mine: substrings (anywhere in a record) or prefixes (at its start, from the tree alone)."
    )
    first: float = described(0.85, "Share of ε for the prefix tree; the rest counts the candidates.")
    order: int = described(2, "Order of the Markov model that guides the tree.")
    alpha: float = described(4.0, "How much a subtree may exceed the average count before it gets less ε.")
    deviations: float | None = described(None, DEVIATIONS)
    adaptive: bool = described(True, "Ask about the leaves of the tree once more, with the ε that their paths have left.")
    wider: float = described(1.5, "Candidates to count, as a multiple of top.")
    l_prime: int | Literal["auto"] = described(
        "auto", "Symbols of each record in which candidates are counted; 'auto' chooses a number that covers 85 % of the records."
    )
    l_most: int = described(20, "Largest number that l_prime = 'auto' may choose.")
    sample: PublicSample | None = described(
        None, "Public records for the Markov model; they get no protection. By default the model follows the noisy counts."
    )

    def __post_init__(self) -> None:
        check_patterns(self.top, self.shortest, self.longest, height_for(self.longest, self.h))
        check_kind(self.patterns)
        if not 0.05 <= self.first <= 0.95:
            raise unfit("the first phase gets between 0.05 and 0.95 of ε; 0.85 is usual.", first=self.first)
        if self.order < 1:
            raise unfit("the order of the model is at least 1; 2 is usual.", order=self.order)
        if not 0 < self.alpha < 1e6:
            raise unfit("give a number above 0; 4 is usual.", alpha=self.alpha)
        check_deviations(self.deviations)
        if not 1 <= self.wider <= 100:
            raise unfit("give a number of at least 1; 1.5 is usual.", wider=self.wider)
        if self.l_prime != "auto" and not (isinstance(self.l_prime, int) and self.l_prime >= self.longest):
            raise unfit(f"give at least longest = {self.longest}, or 'auto'.", l_prime=self.l_prime)
        if self.l_most < self.longest:
            raise unfit(f"records must keep at least longest = {self.longest} symbols.", l_most=self.l_most)
        if self.sample is not None and not isinstance(self.sample, PublicSample):
            raise CallError(f"{parameter('sample')}: give a PublicSample, which says why its records are public.")

    @property
    def name(self) -> str:
        """The name of the method, as in `--method`."""
        return "two-phase"

    def parameters(self) -> dict[str, Any]:
        """The public parameters, ready for a manifest."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return {**values, "sample": None if self.sample is None else self.sample.describe()}

    @property
    def _height(self) -> int:
        """Prefixes of at most `longest` labels need no deeper tree."""
        return height_for(self.longest, self.h) if self.patterns == "substring" else self.longest

    def _bill(self, epsilon: int) -> tuple[int, int, int]:
        """Grains of the first phase, of choosing l′ and of the second phase."""
        if self.patterns == "prefix":
            return epsilon, 0, 0
        one = int(epsilon * Fraction(str(self.first)))
        choosing = int(epsilon * AUTO_SHARE) if self._asks_length else 0
        return one, choosing, epsilon - one - choosing

    @property
    def _asks_length(self) -> bool:
        """Whether l′ is asked for: with one possible answer its share goes to the second phase."""
        return self.l_prime == "auto" and self.l_most > self.longest

    def precheck(self, epsilon: int, domain: Domain, unit: Unit) -> None:
        """Refuse what cannot be mined before anything is spent."""
        check_domain(domain, self.top, self.shortest, self.longest)
        if self.sample is not None and self.sample.domain.digest != domain.digest:
            raise CallError(f"the public sample has another domain than the data: read both with the same {parameter('domain')}.")
        one, choosing, two = self._bill(epsilon)
        if one < self._height or (self.patterns == "substring" and (two < 1 or (self._asks_length and choosing < 1))):
            raise CallError(f"ε is too small to be divided over two phases and {self._height} levels: give more ε.")
        demand = deviations_for(len(domain), self.deviations)
        level = Sublevel.of(one // self._height, Prefixes().influence(unit), demand)
        refuse_flood([[level]] * self._height, len(domain))

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None) -> Plan:
        """The stages and their ε, and what noise will do to counts."""
        self.precheck(epsilon, domain, unit)
        one, choosing, two = self._bill(epsilon)
        stages = [("prefix tree", one, f"candidates from paths through at most {self._height} levels")]
        stages += [("choose l′", choosing, f"a length among {self.longest}..{self.l_most}")] if choosing else []
        stages += [("fingerprints", two, f"counts of {self._candidates()} candidates")] if two else []
        share = Sublevel.of(one // self._height, Prefixes().influence(unit), deviations_for(len(domain), self.deviations))
        predictions = [f"prefixes, if every level gets the same ε: {share.prediction}"]
        if two:
            symbols = self.l_most if self.l_prime == "auto" else self.l_prime
            noise = 3 * unit.sequences * (symbols - self.shortest + 1) * GRAINS / two
            predictions.append(f"patterns that no longer candidate ends with: noise within ±{noise:,.0f} (95 %) or less")
        return Plan(stages, predictions)

    def _candidates(self) -> int:
        return ceil(self.wider * self.top)

    def run(self, wall: Wall) -> PatternRelease:
        """Propose, then refine."""
        labels = len(wall.domain)
        one, choosing, two = self._bill(wall.epsilon)
        order = fitting_order(self.order, labels)
        settings = FirstPhase(
            labels=labels,
            influence=Prefixes().influence(wall.unit),
            epsilon=one,
            h=self._height,
            order=order,
            alpha=self.alpha,
            deviations=deviations_for(labels, self.deviations),
            adaptive=self.adaptive,
            model=None if self.sample is None else sample_model(self.sample.records, labels, order),
        )
        with wall.stage("prefix tree"):
            tree = settings.grow(wall.tree(Prefixes(), one))
        if self.patterns == "prefix":
            return patterns_of(wall.domain, tree, "prefix", self.shortest, self.longest, self.top, self._height)
        candidates, _ = top_substrings(tree, self.shortest, self.longest, self._candidates())
        return self._refined(wall, candidates, self._length(wall, choosing), two)

    def _length(self, wall: Wall, choosing: int) -> int:
        if self.l_prime != "auto":
            return int(self.l_prime)
        if not self._asks_length:
            return self.longest
        with wall.stage("choose l′"):
            return max(wall.quantile(LengthQuantile(self.l_most, COVER), choosing), self.longest)

    def _refined(self, wall: Wall, candidates: list[tuple[int, ...]], most: int, epsilon: int) -> PatternRelease:
        """The second phase: the candidates' counts once more, and the best of them."""
        about = f"occurrences in the best {most:,} symbols of each record"
        if not candidates:
            nothing = PatternTable.of([], [], 0.0)
            return PatternRelease(wall.domain, patterns=nothing, kind="substring", about=about)
        asked = Fingerprints(tuple(candidates), most)
        with wall.stage("fingerprints"):
            longest = wall.ask(asked, epsilon)
        best = most_frequent(candidates, longest, asked.influence(wall.unit) * GRAINS / epsilon, self.top)
        return PatternRelease(wall.domain, patterns=best, kind="substring", about=about)
