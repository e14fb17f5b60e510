"""LargestPart: which attribute of a partition of rows is cut next, by the exponential mechanism [Chen thesis, §4.3.2].

Law: of the public candidates of a partition (nodes of the taxonomy that could be cut) u is drawn with probability
∝ exp(ε · s(u) / m), where the score s(u) is the number of records in the largest sub-partition that the cut of u would
make (the thesis' "max").

Charge: ε on the path that leads to the partition, checked like every other question to a tree.

Sensitivity: a record lies in one sub-partition of every cut, so a record that is added raises that one count by 1 and their
maximum by 0 or 1; m records of one user by 0 to m. No score falls when data is added (the scores are monotone), so the usual
factor of two in the exponent is not needed. Let D' be D with one more unit, d(u) = s'(u) − s(u) in 0..m, and r = ε/m. Then
P'(u) / P(u) = exp(r·d(u)) · Σ exp(r·s) / Σ exp(r·s'): the first factor lies in [1, e^ε], the second in [e^−ε, 1].
Information gain and Gini index are not used: one record can move them by more.
tests/wall/questions/test_largest_part_sensitivity.py enumerates it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.protocol import Counter
from seqveil.tables.flat import Flat
from seqveil.wall.noise import Noise
from seqveil.wall.questions.partitions import EVERY


@dataclass(frozen=True, slots=True, eq=False)
class LargestPart:
    """`candidates[i]` are the nodes that the i-th partition asked could be cut at; its answer is one of them."""

    candidates: Flat
    name: str = "largest part"

    def answer(self, position: int, counter: Counter, node: int, rate: Fraction, noise: Noise) -> NDArray[np.int64]:
        chosen = noise.exponential(self.scores(position, counter, node), rate)
        return self.nodes(position)[chosen : chosen + 1]

    def scores(self, position: int, counter: Counter, node: int) -> NDArray[np.int64]:
        """The size of the node's largest sub-partition under the cut of each candidate."""
        nodes = self.nodes(position)
        split = np.stack([nodes, np.full(len(nodes), EVERY)], axis=1)
        parts = counter.children(np.full(len(nodes), node, np.int64), split)
        largest = np.zeros(len(nodes), np.int64)
        np.maximum.at(largest, parts.parent, parts.count)
        return largest

    def nodes(self, position: int) -> NDArray[np.int64]:
        """The candidates of one partition."""
        start, stop = self.candidates.offsets[position : position + 2]
        return self.candidates.items[start:stop].astype(np.int64)
