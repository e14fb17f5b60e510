"""Weights: labels that nobody has listed, with the weight that units give them. For `Wall.discover`, which alone may be asked so.

Law: weights plus discrete Gaussian noise, and nothing about a label below the threshold of δ (wall/threshold.py). Clip: a unit
gives weight to at most `most` of its labels. With t of them it gives each ⌊GRID/√t⌋: so it moves the weights by at most GRID in
L2, since t·⌊GRID/√t⌋² ≤ GRID²; and by at most √most·GRID in L1, which nobody needs. Proof: docs/mechanisms/discover.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np

from seqveil.engines.protocol import Uniform, Weighed, label_engine_of
from seqveil.tables.units import Unit
from seqveil.wall.questions.units import records_of

GRID = 1 << 16
"""Steps in a weight of 1: with 1,000 labels a share of the weight is rounded down by less than 1 in 2,000."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of every label that occurs, where a unit gives weight to at most `most` of its labels."""

    most: int
    name: str = "weights of labels"

    def square(self, unit: Unit) -> int:
        """The squared L2 sensitivity. A user is weighed as a whole, however many records of theirs may be used."""
        records_of(unit, self.name)
        return GRID**2

    def shares(self) -> list[int]:
        """What a unit gives to each of its 1, 2, …, `most` labels: GRID/√t, rounded down.

        >>> Weights(4).shares() == [GRID, 46340, 37837, GRID // 2]
        True
        """
        return [isqrt(GRID**2 // t) for t in range(1, self.most + 1)]

    def weigh(self, table: Any, unit: Unit, uniform: Uniform) -> Weighed:
        """The exact weights; the wall verifies them (`clip.weighed`)."""
        return label_engine_of(table).weights(table, np.array(self.shares(), np.int64), uniform)
