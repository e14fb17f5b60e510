"""SetCounts: itemsets with noisy counts, each set once. Public."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError
from seqveil.tables.flat import Flat

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class SetCounts:
    """Row k is the set `flat[k]` (ascending codes, not empty) and how many records *are* that set, with noise.

    `scale` is that of its discrete Laplace noise, `threshold` what its noisy count had to reach to be here.
    """

    flat: Flat
    noisy: Ints
    scale: Floats
    threshold: Ints

    @classmethod
    def of(cls, sets: Sequence[Sequence[int]], noisy: Sequence[int], scale: float, threshold: int) -> Self:
        """From plain lists, with one scale and threshold for all.

        >>> SetCounts.of([[0, 2], [1]], [40, 7], scale=2.0, threshold=5).copies.tolist()
        [40, 7]
        """
        n = len(sets)
        return cls.sorted(Flat.of(sets), np.array(noisy, np.int64), np.full(n, scale), np.full(n, threshold, np.int64))

    @classmethod
    def sorted(cls, flat: Flat, noisy: Ints, scale: Floats, threshold: Ints) -> Self:
        """Every set put in ascending order; rows stay where they are."""
        owner = np.repeat(np.arange(len(flat)), flat.lengths)
        items = flat.items[np.lexsort((flat.items, owner))]
        return cls(Flat(items, flat.offsets), noisy, scale, threshold)

    def __len__(self) -> int:
        return len(self.flat)

    @property
    def copies(self) -> Ints:
        """How often each set stands in the synthetic data."""
        return np.maximum(self.noisy, 0)

    def check(self, labels: int) -> None:
        """Raise unless this is a table of distinct sets over so many labels."""
        flat = self.flat
        steps = np.diff(flat.items.astype(np.int64), prepend=-1)
        steps[flat.offsets[:-1][flat.lengths > 0]] = 1
        whole = len({len(flat), len(self.noisy), len(self.scale), len(self.threshold)}) == 1
        inside = flat.items.min(initial=0) >= 0 and flat.items.max(initial=-1) < labels
        if not (whole and inside and (flat.lengths > 0).all() and (steps > 0).all() and (self.scale >= 0).all()):
            raise CallError("not a table of sets: its columns differ in length, or a set is empty, unordered or outside.")
