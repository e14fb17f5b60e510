"""The miner that PFS² and the itemset methods share: budget shares, the two phases, and the release."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from seqveil.errors import CallError
from seqveil.mine.pfs2.language import Language
from seqveil.mine.pfs2.mining import Level, mine_by_samples, mine_cut
from seqveil.mine.pfs2.premining import Premined, kth_threshold, length_constraint, longest_frequent, noisy_lengths
from seqveil.parameters import unfit
from seqveil.release.patterns import PatternRelease, PatternTable, top_thresholds
from seqveil.surface import parameter
from seqveil.tables.units import Unit
from seqveil.wall import GRAINS, Plan, Wall, decimal

ACCURATE = 10
"""A support is called accurate from this many times its 95 % noise on."""

LEAST_EPSILON = 10**6
"""Grains; below this some share of a level could round to nothing."""


@dataclass(frozen=True, slots=True)
class Shares:
    """ε in grains by purpose: the paper's .025 / .025 / .05 / .45 / .45 of ε, the last with what rounding left.

    With `top` the threshold has to be asked for, and takes half of the .05.

    >>> Shares.of(1_000_000, top=True)
    Shares(size=25000, lengths=25000, threshold=25000, longest=25000, prune=450000, count=450000)
    """

    size: int
    lengths: int
    threshold: int
    longest: int
    prune: int
    count: int

    @classmethod
    def of(cls, epsilon: int, top: bool) -> Shares:
        if epsilon < LEAST_EPSILON:
            raise CallError(
                f"{parameter('epsilon', decimal(epsilon))}: too small to be divided over the levels of a miner; "
                f"give at least {decimal(LEAST_EPSILON)}."
            )
        fortieth = epsilon // 40
        longest = fortieth if top else 2 * fortieth
        prune = epsilon * 9 // 20
        threshold = fortieth if top else 0
        return cls(fortieth, fortieth, threshold, longest, prune, epsilon - 2 * fortieth - threshold - longest - prune)


@dataclass(frozen=True, slots=True)
class Miner:
    """Public parameters of a run; `samples` says whether secret samples prune candidates, `zeta` how far they relax."""

    language: Language
    support: float | None
    top: int | None
    l_most: int
    eta: float
    zeta: float | None
    search: Literal["sparse", "binary"]
    samples: bool

    def __post_init__(self) -> None:
        if (self.support is None) == (self.top is None):
            one, other = parameter("support"), parameter("top")
            what = f"neither {one} nor {other} was given" if self.support is None else f"{one} and {other} were both given"
            raise CallError(
                f"{what}: give either a share of the records "
                f"({parameter('support', '0.01')}) or a number of patterns ({parameter('top', '100')})."
            )
        if self.support is not None and not 0 < self.support <= 1:
            raise unfit("give a share of the records above 0 and at most 1, for example 0.01.", support=self.support)
        if self.top is not None and not 1 <= self.top <= 10_000:
            raise unfit("give a number of patterns from 1 to 10,000, for example 100.", top=self.top)
        if not 1 <= self.l_most <= 1000:
            raise unfit("give a number of items from 1 to 1000; 50 is usual.", l_most=self.l_most)
        if not 0 < self.eta < 1:
            raise unfit("the share of records that are not cut lies between 0 and 1; 0.85 is usual.", eta=self.eta)
        if self.zeta is not None and not 0 < self.zeta < 1:
            raise unfit("the relaxation lies between 0 and 1; 0.3 is usual.", zeta=self.zeta)
        if self.search not in ("sparse", "binary"):
            raise unfit("choose 'sparse' or 'binary'.", search=self.search)

    def run(self, wall: Wall) -> PatternRelease:
        """Both phases, and the release."""
        shares = Shares.of(wall.epsilon, self.top is not None)
        premined = self.premine(wall, shares)
        levels: list[Level] = []
        if premined.longest and self.samples:
            levels = mine_by_samples(wall, self.language, premined, shares.prune, shares.count, self.zeta)
        elif premined.longest:
            levels = mine_cut(wall, self.language, premined, shares.prune + shares.count)
        return self.release(wall, premined, levels)

    def premine(self, wall: Wall, shares: Shares) -> Premined:
        """Noisy size, l_max, threshold and L_f."""
        with wall.stage("size"):
            size = wall.size(shares.size)
        with wall.stage("length constraint"):
            l_max = length_constraint(noisy_lengths(wall, self.l_most, shares.lengths), size, self.eta)
        with wall.stage("threshold"):
            if self.support is not None:
                threshold = math.ceil(self.support * size)
            else:
                assert self.top is not None
                threshold = kth_threshold(wall, self.top, l_max, shares.threshold)
        threshold = max(threshold, 1)
        with wall.stage("longest frequent length"):
            longest = longest_frequent(wall, l_max, threshold, shares.longest, self.search)
        return Premined(size, l_max, threshold, longest)

    def release(self, wall: Wall, premined: Premined, levels: list[Level]) -> PatternRelease:
        """All levels in one table, the largest noisy support first; with `top` the best of them."""
        patterns = [tuple(line) for level in levels for line in level.patterns.tolist()]
        noisy = np.concatenate([np.zeros(0, np.int64), *(level.noisy for level in levels)])
        scale = np.concatenate([np.zeros(0), *(np.full(len(level.noisy), level.scale) for level in levels)])
        rows, least = top_thresholds(noisy, len(noisy) if self.top is None else self.top)
        table = PatternTable.of(
            [patterns[row] for row in rows.tolist()],
            noisy[rows],
            scale[rows],
            np.maximum(least, premined.threshold),
            count=np.minimum(noisy[rows], max(premined.size, 1)),
        )
        return PatternRelease(
            wall.domain,
            patterns=table,
            kind=self.language.kind,
            about=self.about(wall.unit, premined),
            size=max(premined.size, 0),
        )

    def about(self, unit: Unit, premined: Premined) -> str:
        """What the counts count, in words."""
        records = "records" if unit.sequences == 1 else f"records (at most {unit.sequences:,} per {unit.name})"
        how = "in any order" if self.language.kind == "itemset" else "in this order, with anything between"
        cut = "" if self.samples else f", after cutting records to {premined.l_max:,} items"
        return f"{records} that contain all labels {how}{cut}"

    def plan(self, epsilon: int, unit: Unit, records: int | None) -> Plan:
        """The stages and their ε, and from which number of records on mining makes sense."""
        shares = Shares.of(epsilon, self.top is not None)
        stages = [("size", shares.size, "the noisy number of records")]
        stages.append(("length constraint", shares.lengths, f"l_max, among 1..{self.l_most}"))
        if self.top is not None:
            stages.append(("threshold", shares.threshold, f"the support that about {self.top:,} patterns reach"))
        stages.append(("longest frequent length", shares.longest, "L_f, the number of levels"))
        if self.samples:
            stages.append(("sample parts", shares.prune, "which candidates are worth counting, one secret sample per level"))
            stages.append(("count", shares.count, "supports on all records, equally over the levels"))
        else:
            stages.append(("count", shares.prune + shares.count, "supports on cut records, equally over the levels"))
        predictions = [
            f"supports of n patterns of one length: noise within ±{3 * unit.sequences * GRAINS / shares.count:,.3g}·n·L (95 %), "
            "where L is the longest frequent length"
        ]
        if records is not None and self.support is not None:
            predictions.append(_enough(self.support, records, unit, shares))
        return Plan(stages, predictions, heavy=True)


def _enough(support: float, records: int, unit: Unit, shares: Shares) -> str:
    """How the supports of ten patterns on each of three levels would stand out from their noise, and what would make them."""
    noise, threshold = 3 * unit.sequences * 10 * 3 * GRAINS / shares.count, support * records
    return (
        f"with ten patterns on each of three levels, noise is within ±{noise:,.0f} records (95 %), and the threshold is "
        f"{threshold:,.0f} records; for supports within ±{100 // ACCURATE} % of it, about "
        f"{math.ceil(ACCURATE * noise / support):,} records are needed"
    )
