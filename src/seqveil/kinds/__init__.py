"""Kinds of data: one object per kind, one small file each. Whatever differs between kinds is looked up here, by name.

A file in this folder with a `KIND` is a kind; there is no list to add it to.

>>> KINDS["graph"].noun
'a graph'
>>> kind("graph").unit_classes()
(<class 'seqveil.tables.units.Edge'>,)
>>> kind("pictures")
Traceback (most recent call last):
seqveil.errors.CallError: unknown kind of data 'pictures': choose one of ...
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

from seqveil.errors import CallError
from seqveil.kinds.kind import Kind

__all__ = ["KINDS", "Kind", "kind", "kinds_with"]


def _all() -> dict[str, Kind]:
    modules = (import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__))
    kinds = [module.KIND for module in modules if hasattr(module, "KIND")]
    return {one.name: one for one in sorted(kinds, key=lambda one: one.name)}


KINDS: dict[str, Kind] = _all()


def kind(name: str) -> Kind:
    """The kind of a name."""
    if name not in KINDS:
        raise CallError(f"unknown kind of data {name!r}: choose one of {', '.join(KINDS)}.")
    return KINDS[name]


def kinds_with(*, view: str | None = None, content: str | None = None, held_as: str | None = None) -> list[Kind]:
    """The kinds with a view of their own for a verb, whose releases may hold a content, or whose tables are of a kind.

    >>> [one.name for one in kinds_with(content="graph")], [one.name for one in kinds_with(held_as="sets")]
    (['graph'], ['relational', 'sets'])
    """
    return [
        one
        for one in KINDS.values()
        if (view is None or view in one.views)
        and (content is None or content in one.contents)
        and (held_as is None or one.held_as == held_as)
    ]
