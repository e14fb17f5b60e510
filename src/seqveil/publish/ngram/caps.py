"""How often a unit of privacy counts at most at a node of the tree, where noise is Gaussian: it grows with the root of that."""

from __future__ import annotations

from math import ceil, sqrt

from seqveil.tables.units import Unit

FEW = 64
"""Up to so many labels, records repeat themselves: labels are categories, or activities in loops."""

USUAL, OF_FEW = 2, 5
"""What a cap leaves out at a label is missing from all longer n-grams that begin there: a label that returns counts twice."""


def usual_cap(labels: int, unit: Unit) -> int:
    """The cap over so many labels; for users it grows with the root of their records, which may repeat each other.

    >>> from seqveil.tables.units import Record, User
    >>> usual_cap(175, Record()), usual_cap(17, Record()), usual_cap(175, User(30))
    (2, 5, 11)
    """
    return ceil((USUAL if labels > FEW else OF_FEW) * sqrt(unit.sequences))
