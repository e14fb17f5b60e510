"""ItemsetNoise: noise on the count of every possible set, the baseline "Basic" of [Chen thesis, §4.4].

The only line that touches raw data is `wall.ask`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import Any, ClassVar

import numpy as np

from seqveil.release.grams import UNSELECTED
from seqveil.release.sets import SetCounts, SetRelease
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.units import Record, Unit, User
from seqveil.wall import GRAINS, AllItemsets, Plan, Wall


@dataclass(frozen=True, slots=True)
class ItemsetNoise:
    """Every itemset of a domain with at most 20 labels [Dwork 2006].

    >>> ItemsetNoise().name
    'itemset-noise'
    """

    kind: ClassVar[str] = "sets"
    units: ClassVar[tuple[type[Unit], ...]] = (Record, User)
    version: ClassVar[str] = "1"
    paper: ClassVar[str] = "Dwork, McSherry, Nissim, Smith, TCC 2006"
    name: ClassVar[str] = "itemset-noise"

    def parameters(self) -> dict[str, Any]:
        """There are none."""
        return {}

    def precheck(self, epsilon: int, domain: Domain, unit: Unit) -> None:
        """Refuse a domain whose itemsets cannot be written down."""
        AllItemsets().slots(len(domain))

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None) -> Plan:
        """One question; refuses a domain whose itemsets cannot be written down."""
        question = AllItemsets()
        itemsets = question.slots(len(domain))
        scale = question.influence(unit) * GRAINS / epsilon
        alpha = exp(-1 / scale)
        false = itemsets * alpha / (1 + alpha) * scale
        predictions = [
            f"noise on each of {itemsets:,} itemsets: within ±{3 * scale:,.0f} (95 %)",
            f"up to {false:,.0f} synthetic records come from noise alone",
        ]
        warnings = []
        if records is not None and false > records / 10:
            warnings.append(
                f"about {false:,.0f} synthetic records will come from noise alone, compared to {records:,} real ones. "
                "Use the method diffpart, a smaller domain or more ε."
            )
        return Plan([("itemsets", epsilon, f"all {itemsets:,} counts at once")], predictions, warnings)

    def run(self, wall: Wall) -> SetRelease:
        """Ask for every count; the answers are the release."""
        question = AllItemsets()
        question.slots(len(wall.domain))
        scale = question.influence(wall.unit) * GRAINS / wall.epsilon
        with wall.stage("itemsets"):
            noisy = wall.ask(question, wall.remaining)
        return SetRelease(
            wall.domain,
            sets=SetCounts(
                every_set(len(wall.domain)), noisy, np.full(len(noisy), scale), np.full(len(noisy), UNSELECTED, np.int64)
            ),
            complete=True,
        )


def every_set(labels: int) -> Flat:
    """The non-empty subsets of 0..labels-1; row s has the bits of s + 1.

    >>> [codes.tolist() for codes in every_set(2)]
    [[0], [1], [0, 1]]
    """
    member = (np.arange(1, 2**labels)[:, None] >> np.arange(labels)) & 1
    offsets = np.concatenate([[0], np.cumsum(member.sum(axis=1))]).astype(np.int64)
    return Flat(np.nonzero(member)[1].astype(np.int32), offsets)
