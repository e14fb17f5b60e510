"""Packages whose names are listed once, in the stub beside them, and loaded when they are first used.

A package with many names would list each of them three times: imported for type checkers, mapped to its module for lazy loading,
and in `__all__`. Here the stub `__init__.pyi` is the only list. Type checkers read it as it is, and `__init__.py` reads it once:

    from seqveil.lazily import listed

    __all__, __getattr__, __dir__ = listed(__name__, __file__)

A line of the stub is `from MODULE import NAME as NAME`; what is imported from the package itself is one of its modules.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def listed(package: str, file: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """`__all__`, `__getattr__` and `__dir__` of a package, from the stub beside its `__init__.py`."""
    homes = names_in(Path(file).with_suffix(".pyi").read_text(encoding="utf-8"))

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = homes[name]
        value = import_module(f"{package}.{name}") if home == package else getattr(import_module(home), name)
        setattr(sys.modules[package], name, value)  # the next use does not come here
        return value

    return sorted(homes), load, lambda: sorted(homes)


def names_in(stub: str) -> dict[str, str]:
    """The names that a stub lists, each with the module it comes from.

    >>> names_in("from seqveil import errors as errors\\nfrom seqveil.tables.domain import Domain as Domain")
    {'errors': 'seqveil', 'Domain': 'seqveil.tables.domain'}
    """
    return {
        name.name: line.module
        for line in ast.parse(stub).body
        if isinstance(line, ast.ImportFrom) and line.module
        for name in line.names
        if name.asname == name.name
    }
