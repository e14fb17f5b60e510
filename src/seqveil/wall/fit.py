"""Whether a mechanism fits the data and the unit of privacy: decided from public facts, before anything is reserved.

A mechanism declares the kind of data that it works on and the units that it can protect. What it would make of anything else
is undefined: its questions find no columns, or their sensitivity is that of another unit. So a pair that does not fit is
refused here, with a sentence, and costs nothing.
"""

from __future__ import annotations

from typing import Any

from seqveil.errors import CallError
from seqveil.kinds import KINDS
from seqveil.surface import parameter
from seqveil.tables.units import Record, Unit, User


def refuse_misfit(mechanism: Any, kind: str, unit: Unit) -> None:
    """Refuse a mechanism that is not made for this kind of table, or cannot protect this unit.

    >>> from types import SimpleNamespace
    >>> from seqveil.tables.units import Edge, Record
    >>> der = SimpleNamespace(name="der", kind="graph", units=(Edge,), plan=None)
    >>> refuse_misfit(der, "graph", Edge())
    >>> refuse_misfit(der, "sequences", Record())
    Traceback (most recent call last):
    seqveil.errors.CallError: der works on a graph, but the data holds sequences: choose a method for sequences (`seqveil ...
    >>> refuse_misfit(der, "graph", Record())
    Traceback (most recent call last):
    seqveil.errors.CallError: der cannot protect the unit record: it protects edge. Change unit.
    """
    if isinstance(mechanism, type):
        raise CallError(f"{mechanism.__name__} is a class: give {mechanism.__name__}(…) with its parameters, not the class.")
    declared = getattr(mechanism, "kind", None), getattr(mechanism, "units", None)
    if None in declared or not hasattr(mechanism, "plan"):
        raise CallError(
            f"{type(mechanism).__name__} is not a mechanism: it does not declare the `kind` of data it works on and the `units` "
            "it protects; give a mechanism, for example sv.NGram(l_max=20)."
        )
    refuse_fenced(kind)
    if mechanism.kind != kind:
        raise CallError(
            f"{mechanism.name} works on {_noun(mechanism.kind)}, but the data holds {_noun(kind)}: choose a method for "
            f"{_noun(kind)} (`seqveil methods` lists them), or read the data as {mechanism.kind}."
        )
    protected = _protected(mechanism, kind)
    if not isinstance(unit, protected):
        names = " or ".join(one.name for one in protected) or "no unit"
        raise CallError(f"{mechanism.name} cannot protect the unit {unit.name}: it protects {names}. Change {parameter('unit')}.")


def default_unit(kind: str) -> Unit:
    """The unit of privacy where none is named: the first that a kind of data can protect.

    >>> default_unit("graph"), default_unit("sequences")
    (Edge(k=1), Record())
    """
    refuse_fenced(kind)
    return KINDS[kind].unit_classes()[0]() if kind in KINDS else Record()


def refuse_fenced(kind: str) -> None:
    """Refuse a kind of data that no release can protect, and say where it belongs."""
    if kind in KINDS and not KINDS[kind].units:
        raise CallError(f"{KINDS[kind].noun} cannot be released with differential privacy: {KINDS[kind].fenced}.")


def refuse_no_users(table: Any, unit: Unit) -> None:
    """Refuse to protect users where the table does not say which records belong to one; and records where it keeps none apart.

    >>> from seqveil.tables.unlisted import labels_of
    >>> refuse_no_users(labels_of([["a"], ["b"]], users=[7, 7]), Record())
    Traceback (most recent call last):
    seqveil.errors.CallError: the unit record cannot be protected: everything that a user has is one record of this table. ...
    """
    whole = KINDS[table.kind].unlisted if getattr(table, "kind", None) in KINDS else False
    if whole and not isinstance(unit, User) and table.users is not None:
        raise CallError(
            f"the unit {unit.name} cannot be protected: everything that a user has is one record of this table. Protect users, "
            f"or read the data without {parameter('user')}."
        )
    if isinstance(unit, User) and getattr(table, "users", None) is None:
        raise CallError(
            f"unit = {unit!r}: the table does not say which user owns each record. Read it with {parameter('user', 'COLUMN')}, "
            "or protect records with Record()."
        )


def _protected(mechanism: Any, kind: str) -> tuple[type[Unit], ...]:
    """The units that the mechanism declares, as far as tables of this kind have them."""
    units: tuple[type[Unit], ...] = tuple(mechanism.units)
    if kind not in KINDS:  # a kind of somebody else's package, who must know
        return units
    return tuple(one for one in units if one in KINDS[kind].unit_classes())


def _noun(kind: str) -> str:
    return KINDS[kind].noun if kind in KINDS else kind
