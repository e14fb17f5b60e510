"""Supports in records cut to l_max items: what a sample says about candidates.

Law: every record is first transformed into at most l_max items by a rule that sees this record and the public candidates
alone, then supports are counted and get discrete Laplace noise.

Charge: what is paid for it.

Sensitivity: a record counts for the candidates that its transformed self contains.
- A sequence of l items over a labels has at most D_a(l, k) different k-subsequences, the number that the word 12…a12…a…
  of length l has [Chase 1976]; for a ≥ l this is the binomial (l over k).
- A set of l items out of a has (min(l, a) over k) subsets of k items.
- There are only |C| candidates.
The smallest of these is the bound. Only items that some candidate has can be part of one, so a is the number of those items.
tests/wall/questions/test_supports_sensitivity.py enumerates all of it on small alphabets.

Clip: the engine stops counting a record at the bound, whatever the transformation does, and `clip.tallied` verifies it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.protocol import Tally, engine_of
from seqveil.errors import CallError
from seqveil.tables.units import Unit
from seqveil.wall.questions.supports import checked, within
from seqveil.wall.questions.units import records_of, together


def most_subsequences(length: int, k: int, labels: int) -> int:
    """D_a(l, k): the most different k-subsequences that a sequence of `length` items over `labels` labels can have.

    The first item of a subsequence of 12…a12…a… is one of the first a letters, and a word of the same kind follows it:
    D(l, k) = Σ_{i=1..min(a, l)} D(l − i, k − 1).

    >>> most_subsequences(5, 3, 9), most_subsequences(8, 1, 3), most_subsequences(4, 2, 2), most_subsequences(3, 4, 2)
    (10, 3, 4, 0)
    """
    counts = [1] * (length + 1)
    for _ in range(k):
        running = [0]
        for value in counts:
            running.append(running[-1] + value)
        # running[i] = D(0) + … + D(i − 1); items l − a … l − 1 are what may follow
        counts = [running[n] - running[max(n - labels, 0)] for n in range(length + 1)]
    return counts[length]


@dataclass(frozen=True, slots=True, eq=False)
class ShrunkSupports:
    """Supports of candidate sequences in records shrunk to `l_max` items, or cut to them at random (`how="delete"`)."""

    patterns: NDArray[np.integer]
    l_max: int
    how: Literal["shrink", "delete"] = "shrink"
    name: str = "supports in shrunk records"

    def __post_init__(self) -> None:
        checked(self.patterns)
        if self.l_max < 1 or self.how not in ("shrink", "delete"):
            raise CallError(f"l_max = {self.l_max}, how = {self.how!r}: l_max is at least 1, how is 'shrink' or 'delete'.")

    @property
    def most(self) -> int:
        """The most candidates that one record can count for."""
        length = self.patterns.shape[1]
        return max(1, min(len(self.patterns), most_subsequences(self.l_max, length, len(np.unique(self.patterns)))))

    def slots(self, domain_size: int) -> int:
        return within(self.patterns, domain_size)

    def influence(self, unit: Unit) -> int:
        return records_of(unit, "supports") * self.most

    def square(self, unit: Unit) -> int:
        return together(unit, "supports", self.most)

    def tally(self, table: Any, unit: Unit) -> Tally:
        return engine_of(table).shrunk_supports(table, self.patterns, l_max=self.l_max, most=self.most, how=self.how)


@dataclass(frozen=True, slots=True, eq=False)
class TruncatedSupports:
    """Supports of candidate itemsets, ascending, in sets truncated to `l_max` items."""

    patterns: NDArray[np.integer]
    l_max: int
    name: str = "supports in truncated sets"

    def __post_init__(self) -> None:
        checked(self.patterns)
        if self.l_max < 1:
            raise CallError(f"l_max = {self.l_max}: sets must keep at least 1 item.")

    @property
    def most(self) -> int:
        """The most candidates that one set can count for."""
        items = min(self.l_max, len(np.unique(self.patterns)))
        return max(1, min(len(self.patterns), comb(items, self.patterns.shape[1])))

    def slots(self, domain_size: int) -> int:
        return within(self.patterns, domain_size)

    def influence(self, unit: Unit) -> int:
        return records_of(unit, "supports") * self.most

    def square(self, unit: Unit) -> int:
        return together(unit, "supports", self.most)

    def tally(self, table: Any, unit: Unit) -> Tally:
        return engine_of(table).truncated_supports(table, self.patterns, l_max=self.l_max, most=self.most)
