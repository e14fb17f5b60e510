"""The miner that PFS² and the itemset methods share: budget shares, the two phases, and the release."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from seqveil.bases.noise import noise_alone
from seqveil.errors import CallError
from seqveil.mine.pfs2.exploring import Clipping, Counted
from seqveil.mine.pfs2.language import Language
from seqveil.mine.pfs2.mining import Level, mine_by_samples, mine_cut
from seqveil.mine.pfs2.premining import Premined, kth_threshold, length_constraint, longest_frequent, noisy_lengths
from seqveil.parameters import unfit
from seqveil.release.patterns import PatternRelease, PatternTable, top_thresholds
from seqveil.surface import parameter
from seqveil.tables.units import Unit
from seqveil.wall import Measure, Plan, Wall, decimal

ACCURATE = 10
"""A support is called accurate from this many times its 95 % noise on."""

LEAST_EPSILON = 10**6
"""Grains; below this some share of a level could round to nothing."""

How = Literal["clip", "samples", "cut"]
"""Whole records clipped to B patterns; candidates pruned on secret samples [Xu 2015]; or all records cut, without samples."""


@dataclass(frozen=True, slots=True)
class Shares:
    """ε in grains by purpose: the paper's .025 / .025 / .05 / .45 / .45 of ε, the last with what rounding left.

    With `top` the threshold has to be asked for, and takes half of the .05. Clipped records need no lengths; there, .6 explores.

    >>> Shares.of(1_000_000, top=True)
    Shares(size=25000, lengths=25000, threshold=25000, longest=25000, prune=450000, count=450000)
    >>> Shares.of(1_000_000, top=False, clip=True)
    Shares(size=25000, lengths=0, threshold=0, longest=50000, prune=600000, count=325000)
    """

    size: int
    lengths: int
    threshold: int
    longest: int
    prune: int
    count: int

    @classmethod
    def of(cls, epsilon: int, top: bool, clip: bool = False) -> Shares:
        if epsilon < LEAST_EPSILON:
            raise CallError(
                f"{parameter('epsilon', decimal(epsilon))}: too small to be divided over the levels of a miner; "
                f"give at least {decimal(LEAST_EPSILON)}."
            )
        fortieth = epsilon // 40
        longest = fortieth if top else 2 * fortieth
        lengths = 0 if clip else fortieth
        prune = epsilon * 3 // 5 if clip else epsilon * 9 // 20
        threshold = fortieth if top else 0
        count = epsilon - fortieth - lengths - threshold - longest - prune
        return cls(fortieth, lengths, threshold, longest, prune, count)


@dataclass(frozen=True, slots=True)
class Miner:
    """Public parameters of a run; `zeta` says how far thresholds are relaxed, `clip` fixes B (None: it is asked for)."""

    language: Language
    support: float | None
    top: int | None
    l_most: int
    eta: float
    zeta: float | None
    search: Literal["sparse", "binary"]
    how: How
    clip: int | None = None

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
        if self.clip is not None and not 1 <= self.clip <= 1_000_000:
            raise unfit("a record counts for 1 to 1,000,000 patterns; leave it out to have it chosen.", clip=self.clip)
        if self.clip is not None and self.how != "clip":
            raise unfit("records are clipped with variant 'clip' only: leave it out.", clip=self.clip)

    def shares(self, epsilon: int) -> Shares:
        """ε by purpose."""
        return Shares.of(epsilon, self.top is not None, self.how == "clip")

    def run(self, wall: Wall) -> PatternRelease:
        """Both phases, and the release."""
        shares = self.shares(wall.epsilon)
        premined = self.premine(wall, shares)
        if self.how == "clip":
            return self.release(wall, premined, *self._clipped(wall, premined, shares))
        levels: list[Level] = []
        if premined.longest and self.how == "samples":
            levels = mine_by_samples(wall, self.language, premined, shares.prune, shares.count, self.zeta)
        elif premined.longest:
            levels = mine_cut(wall, self.language, premined, shares.prune + shares.count)
        patterns = [tuple(line) for level in levels for line in level.patterns.tolist()]
        noisy = np.concatenate([np.zeros(0, np.int64), *(level.noisy for level in levels)])
        scale = np.concatenate([np.zeros(0), *(np.full(len(level.noisy), level.scale) for level in levels)])
        cut = "" if self.how == "samples" else f", after cutting records to {premined.l_max:,} items"
        return self.release(wall, premined, patterns, noisy, scale, cut)

    def _clipped(
        self, wall: Wall, premined: Premined, shares: Shares
    ) -> tuple[list[tuple[int, ...]], NDArray[np.int64], NDArray[np.float64], str]:
        """What clipped records say: patterns, noisy supports, scales, and how records were clipped, in words."""
        assert self.zeta is not None
        clipping = Clipping(self.clip, self.zeta)
        supports, left = clipping.explore(wall, self.language, premined, shares.prune)
        if not supports:
            return [], np.zeros(0, np.int64), np.zeros(0), ""
        counted = clipping.count(wall, supports, premined, shares.count + left)
        return (
            counted.patterns,
            counted.noisy,
            np.full(len(counted.noisy), counted.noise.width),
            _in_words(counted, len(supports)),
        )

    def premine(self, wall: Wall, shares: Shares) -> Premined:
        """Noisy size, l_max, threshold and L_f."""
        with wall.stage("size"):
            size = wall.size(shares.size)
        l_max = self.l_most
        if shares.lengths:
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

    def release(
        self,
        wall: Wall,
        premined: Premined,
        patterns: list[tuple[int, ...]],
        noisy: NDArray[np.int64],
        scale: NDArray[np.float64],
        remark: str,
    ) -> PatternRelease:
        """All lengths in one table, the largest noisy support first; with `top` the best of them."""
        rows, least = top_thresholds(noisy, len(noisy) if self.top is None else self.top)
        table = PatternTable.of(
            [patterns[row] for row in rows.tolist()],
            noisy[rows],
            scale[rows],
            np.maximum(least, premined.threshold),
            count=np.minimum(noisy[rows], max(premined.size, 1)),
            gaussian=wall.measure == "zcdp",
        )
        return PatternRelease(
            wall.domain,
            patterns=table,
            kind=self.language.kind,
            about=self.about(wall.unit) + remark,
            size=max(premined.size, 0),
        )

    def about(self, unit: Unit) -> str:
        """What the counts count, in words."""
        records = "records" if unit.sequences == 1 else f"records (at most {unit.sequences:,} per {unit.name})"
        how = "in any order" if self.language.kind == "itemset" else "in this order, with anything between"
        return f"{records} that contain all labels {how}"

    def plan(self, epsilon: int, unit: Unit, records: int | None, measure: Measure = "pure") -> Plan:
        """The stages and their ε, or ρ, and from which number of records on mining makes sense."""
        if measure == "zcdp" and self.how != "clip":
            raise CallError(
                f"{parameter('delta')} is for {parameter('variant', 'clip')} only: the thresholds of the other variants are made "
                f"for pure ε. Leave {parameter('variant')} or {parameter('delta')} out."
            )
        shares = self.shares(epsilon)
        stages = [("size", shares.size, "the noisy number of records")]
        if shares.lengths:
            stages.append(("length constraint", shares.lengths, f"l_max, among 1..{self.l_most}"))
        if self.top is not None:
            stages.append(("threshold", shares.threshold, f"the support that about {self.top:,} patterns reach"))
        stages.append(("longest frequent length", shares.longest, "L_f, the number of levels"))
        if self.how == "clip":
            stages.append(("explore", shares.prune, "which patterns may be frequent, one length after the other"))
            stages.append(("count", shares.count, "supports of all patterns found, at once, with what exploring did not need"))
        elif self.how == "samples":
            stages.append(("sample parts", shares.prune, "which candidates are worth counting, one secret sample per level"))
            stages.append(("count", shares.count, "supports on all records, equally over the levels"))
        else:
            stages.append(("count", shares.prune + shares.count, "supports on cut records, equally over the levels"))
        noise = f"{_bar(measure, unit, shares.count):,.3g}"
        predictions = [
            f"noise on a support is within ±{noise}·{'√B' if measure == 'zcdp' else 'B'} (95 %), "
            "where one record counts for at most B patterns"
            if self.how == "clip"
            else f"supports of n patterns of one length: noise within ±{noise}·n·L (95 %), where L is the longest frequent length"
        ]
        if records is not None and self.support is not None:
            predictions.append(self._enough(self.support, records, unit, shares, measure))
        return Plan(stages, predictions, heavy=True)

    def _enough(self, support: float, records: int, unit: Unit, shares: Shares, measure: Measure) -> str:
        """How the supports of thirty patterns would stand out from their noise, and what would make them."""
        thirty_at_once = math.sqrt(30) if measure == "zcdp" else 30
        noise, threshold = thirty_at_once * _bar(measure, unit, shares.count), support * records
        thirty = "with records of at most thirty patterns" if self.how == "clip" else "with ten patterns on each of three levels"
        return (
            f"{thirty}, noise is within ±{noise:,.0f} records (95 %), and the threshold is {threshold:,.0f} records; "
            f"for supports within ±{100 // ACCURATE} % of it, about {math.ceil(ACCURATE * noise / support):,} records are needed"
        )


def _bar(measure: Measure, unit: Unit, amount: int) -> float:
    """What noise on a count that a record moves by 1 keeps to, with 95 %."""
    noise = noise_alone(measure, unit, amount)
    return (2 if noise.gaussian else 3) * noise.width


def _in_words(counted: Counted, asked: int) -> str:
    """How records were clipped: what a count, and its error bar, leaves out."""
    if counted.width >= asked:
        return ""
    records = "" if counted.clipped is None else f" (about {counted.clipped:,} contain more)"
    return (
        f"; a record counts for at most {counted.width:,} of the {asked:,} patterns asked about, the rarest first{records}, "
        "so counts may be too small"
    )
