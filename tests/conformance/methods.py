"""Every method of the registry with modest parameters, and small tables of its kind; a new method is tested by being listed."""

from __future__ import annotations

from typing import Any

from seqveil import registry
from seqveil.tables.units import Record, Unit, User
from strategies import table_of_codes

MODEST: dict[str, dict[str, Any]] = {
    "ngram": {"l_max": 4, "n_max": 3},
    "ngram-uniform": {"l_max": 4, "n_max": 3},
    "prefix": {"h": 3},
    "prefix-hybrid": {"h": 3, "fan_out": 2},
    "prefix-miner": {"h": 3, "longest": 3, "top": 5},
    "two-phase": {"h": 3, "longest": 3, "top": 5},
    "ffs": {"length": 2, "top": 5},
    "pfs2": {"top": 5, "l_most": 5},
    "itemsets": {"top": 5, "l_most": 5},
}
"""Parameters for tiny tables; a method that is not listed runs with its defaults."""

KINDS = ("sequences", "sets")
"""Kinds whose tables can be made from lists of codes."""

NAMES = [name for name, method in registry.methods().items() if method.kind in KINDS]

RECORDS = [[0, 1, 2, 1], [1, 2], [2], [0, 0, 1], [2, 1, 0]] * 30


def mechanism(name: str) -> Any:
    """The method with modest parameters."""
    return registry.make(name, MODEST.get(name, {}))


def table(name: str, records: list[list[int]], labels: int = 3, users: list[int] | None = None) -> Any:
    """A table of the method's kind."""
    sequences = table_of_codes(records, labels, users)
    if registry.method(name).kind == "sequences":
        return sequences
    from seqveil.tables.sets import SetTable

    return SetTable.of(sequences)


UNITS: list[Unit] = [Record(), User(max_sequences=2)]
