"""`prefix-miner`: frequent substrings or prefixes from a private prefix tree [Bonomi thesis, §3.2]."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import ceil
from typing import Any, ClassVar, Literal

import numpy as np

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
from seqveil.mine.prefixes import estimated, top_prefixes
from seqveil.mine.prefixminer.strategies import Strategy, shares
from seqveil.mine.refinement import refine_leaves
from seqveil.parameters import described, unfit
from seqveil.release.patterns import PatternRelease
from seqveil.surface import parameter
from seqveil.tables.domain import Domain
from seqveil.tables.granularity import Granularities
from seqveil.tables.units import Record, Unit, User
from seqveil.trees.growth import build_noisy_prefix_tree
from seqveil.trees.isotonic import consistent_counts
from seqveil.trees.sublevels import Sublevel
from seqveil.trees.tree import LevelTree
from seqveil.wall import Plan, Prefixes, Wall


@dataclass(frozen=True)
class PrefixMiner:
    """The `top` most frequent patterns of `shortest` to `longest` labels, read off a private prefix tree [Bonomi 2013].

    Substrings occur as often as the prefixes that end with them, summed; prefixes have confidence intervals.

    >>> PrefixMiner(top=20).name
    'prefix-miner'
    >>> PrefixMiner(longest=12, h=10)
    Traceback (most recent call last):
    seqveil.errors.CallError: longest=12, h=10: a tree of 10 levels has no longer patterns; raise h or lower longest.
    """

    kind: ClassVar[str] = "sequences"
    units: ClassVar[tuple[type[Unit], ...]] = (Record, User)
    version: ClassVar[str] = "2"
    paper: ClassVar[str] = "Bonomi, Xiong, CIKM 2013"

    top: int = described(60, "Number of patterns to release.")
    shortest: int = described(2, "Shortest pattern, in labels.")
    longest: int = described(7, "Longest pattern, in labels.")
    h: int | None = described(None, f"Height of the prefix tree: only the first h labels of a record are used; {HEIGHT}")
    patterns: Literal["substring", "prefix"] = described(
        "substring", "What to mine: substrings (anywhere in a record) or prefixes (at its start, with confidence intervals)."
    )
    strategy: Strategy = described("linear", "How ε is divided over the levels of the tree.")
    q: int | None = described(None, "Level at which the hybrid strategy changes its rule; by default half the height.")
    deviations: float | None = described(None, DEVIATIONS)

    def __post_init__(self) -> None:
        check_patterns(self.top, self.shortest, self.longest, height_for(self.longest, self.h))
        check_kind(self.patterns)
        if self.strategy not in ("linear", "exponential", "adaptive", "hybrid"):
            raise unfit("choose linear, exponential, adaptive or hybrid.", strategy=self.strategy)
        if self.q is not None and self.q < 1:
            raise unfit("the first part of the hybrid strategy has at least 1 level; leave it out for half the height.", q=self.q)
        check_deviations(self.deviations)

    @property
    def name(self) -> str:
        """The name of the method, as in `--method`."""
        return "prefix-miner"

    def parameters(self) -> dict[str, Any]:
        """The public parameters, ready for a manifest."""
        return asdict(self)

    @property
    def _height(self) -> int:
        """Prefixes of at most `longest` labels need no deeper tree."""
        return height_for(self.longest, self.h) if self.patterns == "substring" else self.longest

    def _levels(self, epsilon: int, labels: int, unit: Unit) -> list[list[Sublevel]]:
        height = self._height
        q = ceil(height / 2) if self.q is None else self.q
        paid = [int(epsilon * share) for share in shares(self.strategy, height, q)]
        if min(paid) < 1:
            raise CallError(f"ε is too small to be divided over {height} levels: give more ε or a smaller {parameter('h')}.")
        influence = Prefixes().influence(unit)
        demand = deviations_for(labels, self.deviations)
        return [[Sublevel.of(amount, influence, demand)] for amount in paid]

    def precheck(self, epsilon: int, domain: Domain, unit: Unit) -> None:
        """Refuse what cannot be mined before anything is spent."""
        check_domain(domain, self.top, self.shortest, self.longest)
        refuse_flood(self._levels(epsilon, len(domain), unit), len(domain))

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None) -> Plan:
        """The stages and their ε, and what noise will do to counts."""
        self.precheck(epsilon, domain, unit)
        levels = self._levels(epsilon, len(domain), unit)
        predictions = [f"level {i}: {asked.prediction}" for i, (asked,) in enumerate(levels, 1) if i in (1, len(levels))]
        return Plan([("prefix tree", epsilon, f"every path through at most {len(levels)} levels")], predictions)

    def run(self, wall: Wall) -> PatternRelease:
        """Grow, make consistent, rank."""
        labels = len(wall.domain)
        fine = Granularities.of(labels, [])
        levels = self._levels(wall.epsilon, labels, wall.unit)
        with wall.stage("prefix tree"):
            private = wall.tree(Prefixes(fine), wall.remaining)
            tree = build_noisy_prefix_tree(private, fine, levels)
            value, scale = tree.noisy.astype(np.float64), tree.scale
            if self.strategy in ("adaptive", "hybrid"):
                value, scale = refine_leaves(private, tree, wall.epsilon, Prefixes().influence(wall.unit))
        with wall.stage("consistency"):
            consistent = consistent_counts(tree, value, scale)
        return patterns_of(wall.domain, consistent, self.patterns, self.shortest, self.longest, self.top, self._height)


def patterns_of(
    domain: Domain,
    tree: LevelTree,
    kind: Literal["substring", "prefix"],
    shortest: int,
    longest: int,
    top: int,
    h: int,
) -> PatternRelease:
    """The patterns of a tree: its best prefixes with confidence intervals, or its most frequent substrings without."""
    if kind == "prefix":
        best = top_prefixes(tree, shortest, longest, top)
        return PatternRelease(domain, patterns=best, kind="prefix", about="records that begin with the labels")
    substrings = estimated(*top_substrings(tree, shortest, longest, top))
    about = f"occurrences in the first {h:,} items of each record"
    return PatternRelease(domain, patterns=substrings, kind="substring", about=about)
