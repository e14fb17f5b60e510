"""How many records, or edges, one unit of privacy owns; units that own none are refused."""

from __future__ import annotations

from seqveil.errors import CallError
from seqveil.tables.units import Edge, Record, Unit, User


def records_of(unit: Unit, what: str) -> int:
    """How many records one unit owns at most.

    >>> records_of(User(max_sequences=3), "n-grams")
    3
    >>> records_of(Edge(), "n-grams")
    Traceback (most recent call last):
    seqveil.errors.CallError: n-grams protect a record or a user, not 'edge': give unit=sv.Record() or ...
    """
    if not isinstance(unit, Record | User):
        raise CallError(
            f"{what} protect a record or a user, not {unit.name!r}: give unit=sv.Record() or unit=sv.User(max_sequences=1)."
        )
    return unit.sequences


def together(unit: Unit, what: str, alone: int) -> int:
    """The squared L2 sensitivity for a unit of m records, each of which moves by `alone`, squared: the triangle inequality.

    >>> together(User(max_sequences=3), "n-grams", 2)
    18
    """
    return records_of(unit, what) ** 2 * alone


def edges_of(unit: Unit, what: str) -> int:
    """How many edges one unit stands for."""
    if not isinstance(unit, Edge):
        raise CallError(f"{what} protect edges, not {unit.name!r}: give unit=sv.Edge(k=1).")
    return unit.k
