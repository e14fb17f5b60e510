"""How often a unit of privacy counts at most for one n-gram, where noise is Gaussian: its noise grows with the root of that."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt

from seqveil.tables.units import Unit
from seqveil.wall import Measure

FEW = 64
"""Up to so many labels, records repeat themselves: labels are categories, or activities in loops."""

USUAL, OF_FEW = 1, 5
"""The cap for n-grams of records, over more labels than that and over so few."""


@dataclass(frozen=True, slots=True)
class Caps:
    """Caps for single labels and for windows of two labels and more; None where there is none, as in pure ε."""

    labels: int | None
    windows: int | None

    @classmethod
    def of(cls, given: int | None, measure: Measure, labels: int, unit: Unit) -> Caps:
        """From what was asked for, or by rule: for users it grows with the root of their records, which may repeat each other.

        Single labels count twice as often: those in the middle of a record are in two pairs.

        >>> from seqveil.tables.units import Record, User
        >>> Caps.of(None, "zcdp", 175, Record()), Caps.of(None, "zcdp", 17, User(30))
        (Caps(labels=2, windows=1), Caps(labels=60, windows=30))
        >>> Caps.of(None, "pure", 175, Record())
        Caps(labels=None, windows=None)
        """
        if measure == "pure":
            return cls(None, None)
        usual = USUAL if labels > FEW else OF_FEW
        windows = ceil(usual * sqrt(unit.sequences)) if given is None else given
        return cls(2 * windows, windows)

    @staticmethod
    def gain(cap: int | None, windows: int, unit: Unit) -> float:
        """Sensitivity in L2 by that in L1, for a unit with so many windows per record."""
        most = windows * unit.sequences
        return 1.0 if cap is None else sqrt(min(cap, most) / most)
