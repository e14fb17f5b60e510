"""From a wall to counted itemsets: the stages that mining and publishing share, and how ε is divided over them.

The shares were chosen on six public data sets and one simulation, all at once (docs/results/itemsets.md).
"""

from __future__ import annotations

from dataclasses import dataclass

from seqveil.bases.counting import Counted, count_basis, count_candidates, fits_one_basis, nothing_counted
from seqveil.bases.every import FEW, count_every
from seqveil.bases.growing import asked_pairs, candidates
from seqveil.bases.live import Live, Threshold, asked_threshold, live_labels
from seqveil.bases.noise import noise_alone
from seqveil.errors import CallError
from seqveil.parameters import unfit
from seqveil.surface import parameter
from seqveil.tables.units import Unit
from seqveil.wall import Measure, Wall, decimal

LEAST_EPSILON = 10**6
"""Grains; below this some share could round to nothing."""

MOST_TOP = 10_000
"""More itemsets than this are not looked for."""


@dataclass(frozen=True, slots=True)
class Shares:
    """ε in grains by purpose; the count has what the others left.

    >>> Shares.of(1_000_000)
    Shares(size=20000, threshold=40000, labels=220000, pairs=300000, count=420000)
    """

    size: int
    threshold: int
    labels: int
    pairs: int
    count: int

    @classmethod
    def of(cls, epsilon: int) -> Shares:
        size, threshold, labels, pairs = (epsilon * percent // 100 for percent in (2, 4, 22, 30))
        return cls(size, threshold, labels, pairs, epsilon - size - threshold - labels - pairs)

    def stages(self, top: int) -> list[tuple[str, int, str]]:
        """The stages of a plan."""
        return [
            ("size", self.size, "the number of records"),
            ("threshold", self.threshold, f"the support that about {top:,} itemsets reach"),
            ("labels", self.labels, "counts of single labels: which ones can be in these itemsets"),
            ("pairs", self.pairs, "counts of pairs, unless all of these labels can be one basis"),
            ("count", self.count, "the bins of one or several bases, or clipped counts, with what pairs did not need"),
        ]


def predictions(shares: Shares, unit: Unit, records: int | None, measure: Measure = "pure") -> list[str]:
    """What noise will do to counts, before anything is known."""
    bar = 2 * (2.0 * 2**10) ** 0.5 * noise_alone(measure, unit, shares.pairs + shares.count).scale
    sentences = [f"if 12 labels are enough, the count of a pair of them has noise within ±{bar:,.3g} (95 %)"]
    if records is not None:
        sentences.append(f"that is {bar / max(records, 1):.2%} of {records:,} records")
    return sentences


def asked_first(wall: Wall, shares: Shares, top: int, longest: int) -> Threshold:
    """The size and θ."""
    return asked_threshold(wall, shares.size, shares.threshold, top, longest)


def measured(wall: Wall, shares: Shares, outset: Threshold, top: int, longest: int, all_labels: bool) -> tuple[Live, Counted]:
    """Live labels, and the itemsets of at most `longest` of them that may be among the `top` most frequent, all counted."""
    live = live_labels(wall, outset, shares.labels, all_labels)
    rest = shares.pairs + shares.count
    if not live.strong:
        return live, nothing_counted(wall)
    if fits_one_basis(wall, len(live.strong), live.threshold, rest):
        return live, count_basis(wall, live.strong, live.size, longest, rest)
    pairs, left = asked_pairs(wall, live, shares.pairs)
    likely = candidates(live, pairs, top, longest)
    return live, count_candidates(wall, likely, live.size, live.threshold, shares.count + left)


def measured_top(wall: Wall, shares: Shares, top: int, longest: int, few: int) -> tuple[int, Counted]:
    """The noisy number of records, and counted itemsets; of at most `few` labels all sets where θ is mostly noise."""
    outset = asked_first(wall, shares, top, longest)
    # What bins of all labels hold is guessed for discrete Laplace noise only.
    if outset.faint and len(wall.domain) <= few and wall.measure == "pure":
        rest = shares.labels + shares.pairs + shares.count
        return count_every(wall, outset.size, shares.size, top, longest, rest)
    live, counted = measured(wall, shares, outset, top, longest, all_labels=False)
    return live.size, counted


def check_epsilon(epsilon: int) -> None:
    """Refuse an ε that cannot be divided."""
    if epsilon < LEAST_EPSILON:
        raise CallError(
            f"{parameter('epsilon', decimal(epsilon))}: too small to be divided over the stages of bases; "
            f"give at least {decimal(LEAST_EPSILON)}."
        )


def check_top(top: int) -> None:
    """Refuse numbers of itemsets that make no sense."""
    if not 1 <= top <= MOST_TOP:
        raise unfit(f"give a number of itemsets from 1 to {MOST_TOP:,}, for example 100.", top=top)


def check_few(few: int) -> None:
    """Refuse numbers of labels that make no basis."""
    if not 0 <= few <= FEW:
        raise unfit(f"give a number of labels from 0 to {FEW}, the default; 0 counts all sets over no domain.", few=few)


def check_longest(longest: int) -> None:
    """Refuse sizes of itemsets that make no sense."""
    if not 1 <= longest <= 50:
        raise unfit("give a number of labels from 1 to 50; 12 is usual.", longest=longest)
