"""How far apart two vectors may lie and still match: squared distances as exact integers, in units of 1 / scale².

A kind is *sound* when no name within t edits is ever farther away: then matching loses no true pair.

- `sqrt_k` ([Bonomi thesis, Lemma 4.6], sound): √k · t.
- `lengths` (ours, sound, for all names alike): t · √(Σ_q min(k_q, 2)), where k_q grams of the base have length q. One edit
  breaks at most q occurrences of q-grams and makes at most q, so the counts of q-grams change by at most 2q in sum and
  by at most q in any one. Divided by q: by at most 2 in sum and 1 in any one, so the sum of their squares is at most
  2 · 1, and at most k_q · 1. Sum over the lengths; t edits by the triangle inequality.
- `neighbours` (ours, sound, personal): r₁ + (t - 1) · √(Σ_q min(k_q, 2)), where r₁ is the exact largest distance from the name
  to any string one edit away.
- `personal` ([Bonomi thesis, Alg. 6], NOT sound: docs/soundness.md, 'Record linkage').
- a number: that distance for all names; it guarantees nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError
from seqveil.link.base import Base
from seqveil.link.neighbours import farthest_neighbour
from seqveil.link.personal import personal_th
from seqveil.numbers import ratio
from seqveil.surface import parameter
from seqveil.tables.flat import Flat

Kind = Literal["neighbours", "lengths", "sqrt_k", "personal", "number"]
KINDS: tuple[str, ...] = get_args(Kind)
FROM_EDITS = tuple(kind for kind in KINDS if kind != "number")
SOUND: tuple[str, ...] = ("neighbours", "lengths", "sqrt_k")
PERSONAL: tuple[str, ...] = ("neighbours", "personal")
MOST_EDITS = 100
_MOST_DISTANCE = 10**6
_FARTHEST = 2**62 - 1
"""Beyond all squared distances, which are below 2⁵³, and still a 64-bit integer."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """One of the kinds above, for names within `edits` edits; `distance` is the number of kind "number".

    >>> Threshold.parse("neighbours", 1)
    Threshold(kind='neighbours', edits=1, distance=None)
    >>> Threshold.parse("1.5", None).distance
    Fraction(3, 2)
    >>> Threshold.parse("far", 1)
    Traceback (most recent call last):
    seqveil.errors.CallError: unknown threshold 'far': choose neighbours, lengths, sqrt_k, personal or a number like 1.5.
    """

    kind: Kind
    edits: int | None
    distance: Fraction | None = None

    @classmethod
    def parse(cls, text: str, edits: int | None) -> Threshold:
        """From what people type."""
        if edits is not None and not 0 <= edits <= MOST_EDITS:
            raise CallError(f"{parameter('edits', str(edits))}: give a whole number from 0 to {MOST_EDITS}; 1 or 2 is usual.")
        kind = text.strip().replace("-", "_")
        if kind in FROM_EDITS:
            if edits is None:
                raise CallError(
                    f"the threshold {text!r} depends on the number of edits: add {parameter('edits', '1')}, or 0 for equal names."
                )
            return cls(kind, edits)  # type: ignore[arg-type]
        try:
            distance = ratio(text)
        except ValueError:
            choices = "neighbours, lengths, sqrt_k, personal or a number like 1.5"
            raise CallError(f"unknown threshold {text[:40]!r}: choose {choices}.") from None
        if not 0 <= distance <= _MOST_DISTANCE:
            raise CallError(
                f"the threshold {text[:40]!r} is out of range: give a distance from 0 to {_MOST_DISTANCE:,}, such as 1.5."
            )
        return cls("number", edits, distance)

    @property
    def sound(self) -> bool:
        """Whether no name within the edits can be missed."""
        return self.kind in SOUND

    @property
    def personal(self) -> bool:
        """Whether every name has a reach of its own."""
        return self.kind in PERSONAL and self.edits != 0

    def reach(self, base: Base) -> int | None:
        """The largest squared distance of a match in units of 1 / scale², where it is the same for all names."""
        if self.distance is not None:
            return min(math.floor(self.distance**2 * base.scale**2), _FARTHEST)
        if self.edits == 0:
            return 0
        if self.personal or self.edits is None:
            return None
        return self.edits**2 * (one_edit(base) if self.kind == "lengths" else len(base) * base.scale**2)

    def reaches(self, base: Base, names: Flat) -> NDArray[np.int64]:
        """The same for each name."""
        same = self.reach(base)
        if same is not None:
            return np.full(len(names), same, np.int64)
        assert self.edits is not None
        if self.kind == "personal":
            return personal_th(base, names, self.edits)
        return _farther(farthest_neighbour(base, names), one_edit(base), self.edits - 1)


def one_edit(base: Base) -> int:
    """Σ_q min(k_q, 2) · scale²: no edit moves any name farther.

    >>> from seqveil.tables.names import Alphabet
    >>> one_edit(Base(Alphabet("aimps"), ("a", "i", "s", "si")))          # (2 + 1) · 2²
    12
    """
    return int(np.minimum(np.bincount(base.lengths), 2).sum()) * base.scale**2


def _farther(first: NDArray[np.int64], step: int, steps: int) -> NDArray[np.int64]:
    """(√first + steps · √step)², rounded down: squared distances are integers, so none lies between.

    >>> _farther(np.array([4, 2]), 9, 2).tolist()                         # (2 + 2 · 3)², ⌊(√2 + 6)²⌋ = ⌊54.97⌋
    [64, 54]
    """
    values, where = np.unique(first, return_inverse=True)
    far = [int(r) + steps**2 * step + math.isqrt(4 * steps**2 * int(r) * step) for r in values]
    return np.array(far, np.int64)[where]
