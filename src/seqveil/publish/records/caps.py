"""How often a unit of privacy counts at most for one n-gram, where noise is Gaussian: its noise grows with the root of that."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt

from seqveil.tables.units import Unit
from seqveil.wall import Measure

FEW = 64
"""Up to so many labels, records repeat themselves: labels are categories, or activities in loops."""

USUAL, OF_FEW, ENOUGH = 1, 2, 2_500
"""The cap for n-grams of records over more labels than that, the least one over so few, and how much signal raises it by one."""


@dataclass(frozen=True, slots=True)
class Caps:
    """Caps for single labels and for windows of two labels and more; None where there is none, as in pure ε."""

    labels: int | None
    windows: int | None

    @classmethod
    def of(cls, given: int | None, measure: Measure, labels: int, unit: Unit, signal: float) -> Caps:
        """From what was asked for, or by rule: what a cap leaves out is a bias, what it saves is noise.

        Over few labels records repeat themselves, and the more of them there are (`signal`, in scales of noise), the less noise
        matters. For users the cap grows with the root of their records, which may repeat each other.

        Single labels count twice as often: those in the middle of a record are in two pairs.

        >>> from seqveil.tables.units import Record, User
        >>> Caps.of(None, "zcdp", 175, Record(), 9e4), Caps.of(None, "zcdp", 17, User(30), 1e4)
        (Caps(labels=2, windows=1), Caps(labels=44, windows=22))
        >>> Caps.of(None, "pure", 175, Record(), 9e4)
        Caps(labels=None, windows=None)
        """
        if measure == "pure":
            return NO_CAPS
        usual = USUAL if labels > FEW else max(OF_FEW, round(min(signal / ENOUGH, 1e6)))
        windows = ceil(usual * sqrt(unit.sequences)) if given is None else given
        return cls(2 * windows, windows)

    @staticmethod
    def gain(cap: int | None, windows: int, unit: Unit) -> float:
        """Sensitivity in L2 by that in L1, for a unit with so many windows per record."""
        most = windows * unit.sequences
        return 1.0 if cap is None else sqrt(min(cap, most) / most)


NO_CAPS = Caps(None, None)
"""As in pure ε, where noise follows from the sum of what a unit adds, however it is spread."""
