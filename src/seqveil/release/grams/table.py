"""GramTable: the released exploration tree as flat arrays."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError
from seqveil.release.limits import LEAST_THRESHOLD

UNSELECTED = LEAST_THRESHOLD
"""The threshold of an answer that is kept whatever it is."""


@dataclass(frozen=True, slots=True, eq=False)
class GramTable:
    """Gram k is `symbols[offsets[k]:offsets[k + 1]]`: codes of a Domain, where the code `len(domain)` is `&`, the end.

    Canonical order: by length, then lexicographically by codes. So a gram's prefix stands before it, at `parent`
    (-1 for a single symbol), and a gram is found by bisection. `count` is consistent and never negative. Where `measured`,
    the count was asked: `noisy` is the answer as it left the wall, `scale` its discrete Laplace scale (σ where noise is
    `gaussian`) and `threshold` what it had to reach to be kept (`UNSELECTED` when it is kept whatever it is). A scale of 0 is an
    exact answer: experiments have those. Elsewhere the count follows from shorter grams and those three mean nothing.

    >>> table = GramTable.of([[0], [1], [0, 1], [0, 2]], count=[5.0, 3.0, 4.0, 1.0])
    >>> len(table), table.parent.tolist(), table.gram(2)
    (4, [-1, -1, 0, 0], (0, 1))
    """

    symbols: NDArray[np.int32]
    offsets: NDArray[np.int64]
    parent: NDArray[np.int64]
    count: NDArray[np.float64]
    noisy: NDArray[np.int64]
    measured: NDArray[np.bool_]
    scale: NDArray[np.float64]
    threshold: NDArray[np.int64]
    gaussian: bool = False

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many symbols every gram has."""
        return np.diff(self.offsets)

    @property
    def last(self) -> NDArray[np.int32]:
        """The last symbol of every gram."""
        return self.symbols[self.offsets[1:] - 1]

    def gram(self, k: int) -> tuple[int, ...]:
        """The codes of gram k."""
        return tuple(self.symbols[self.offsets[k] : self.offsets[k + 1]].tolist())

    @classmethod
    def of(
        cls,
        grams: list[list[int]],
        count: list[float],
        noisy: list[int | None] | None = None,
        scale: float = 1.0,
        threshold: int = 0,
    ) -> GramTable:
        """From plain lists, for tests, examples and small models; every gram's prefix must stand before it."""
        where = {tuple(gram): k for k, gram in enumerate(grams)}
        asked = noisy if noisy is not None else [round(c) for c in count]
        measured = np.array([y is not None for y in asked], np.bool_)
        return cls(
            symbols=np.array([x for gram in grams for x in gram], np.int32),
            offsets=np.cumsum([0, *map(len, grams)], dtype=np.int64),
            parent=np.array([where[tuple(g[:-1])] if len(g) > 1 else -1 for g in grams], np.int64),
            count=np.array(count, np.float64),
            noisy=np.array([y or 0 for y in asked], np.int64),
            measured=measured,
            scale=np.where(measured, scale, 0.0),
            threshold=np.where(measured, threshold, 0).astype(np.int64),
        )

    def check(self, end: int) -> None:
        """Refuse arrays that are not a gram table over codes below `end` and the terminator `end`.

        >>> GramTable.of([[0], [7]], count=[1.0, 1.0]).check(end=2)
        Traceback (most recent call last):
        seqveil.errors.CallError: not a gram table: a symbol lies outside 0..2.
        """
        for problem, is_there in self._problems(end):
            if is_there:
                raise CallError(f"not a gram table: {problem}.")

    def _problems(self, end: int) -> list[tuple[str, bool | np.bool_]]:
        n = len(self)
        if self.offsets.ndim != 1 or n < 0 or self.offsets[0] != 0 or self.offsets[-1] != len(self.symbols):
            return [("the offsets do not span the symbols", True)]
        if any(len(getattr(self, f.name)) != n for f in fields(self)[2:] if f.name != "gaussian"):
            return [("the columns differ in length", True)]
        if n == 0:
            return []
        if (self.lengths < 1).any():
            return [("a gram is empty", True)]
        if (self.parent >= np.arange(n)).any() or ((self.parent < 0) != (self.lengths == 1)).any():
            return [("a parent does not come before its child", True)]
        last = self.last
        inner = np.ones(len(self.symbols), np.bool_)
        inner[self.offsets[1:] - 1] = False
        return [
            (f"a symbol lies outside 0..{end}", bool((self.symbols < 0).any() or (self.symbols > end).any())),
            ("'&' occurs before the end of a gram", bool((self.symbols[inner] == end).any())),
            ("'&' alone is a gram", bool(((self.lengths == 1) & (last == end)).any())),
            ("a gram does not continue its parent", not self._continues_parents()),
            ("the grams are not in canonical order", not self._canonical(last)),
            ("a count is negative or not a number", not ((self.count >= 0) & np.isfinite(self.count)).all()),
            ("an asked count has no scale", not (~self.measured | ((self.scale >= 0) & np.isfinite(self.scale))).all()),
            ("a kept answer lies below its threshold", bool((self.measured & (self.noisy < self.threshold)).any())),
        ]

    def _continues_parents(self) -> bool:
        """Whether every gram is its parent and one symbol more."""
        child = np.flatnonzero(self.parent >= 0)
        parent = self.parent[child]
        if (self.lengths[parent] != self.lengths[child] - 1).any():
            return False
        length = self.lengths[parent]
        step = np.arange(int(length.sum())) - np.repeat(np.cumsum(length) - length, length)
        ours = self.symbols[np.repeat(self.offsets[:-1][child], length) + step]
        theirs = self.symbols[np.repeat(self.offsets[:-1][parent], length) + step]
        return bool(np.array_equal(ours, theirs))

    def _canonical(self, last: NDArray[np.int32]) -> bool:
        """Whether (length, parent, last symbol) rises strictly, which is the canonical order when parents are in it."""
        length, parent = self.lengths, self.parent
        same_length = length[1:] == length[:-1]
        rises = (parent[1:] > parent[:-1]) | ((parent[1:] == parent[:-1]) & (last[1:] > last[:-1]))
        return bool(((length[1:] > length[:-1]) | (same_length & rises)).all())
