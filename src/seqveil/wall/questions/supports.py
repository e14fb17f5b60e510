"""Supports: in how many records each of some public patterns occurs, gaps allowed.

Law: the support of every pattern plus discrete Laplace noise. Nothing is cut: a record may be of any length.

Charge: what is paid for it.

Sensitivity: some record contains all of n patterns (write them one after the other), so a record can move n supports by
one each, and a unit with m records m·n in all. No bound below this is true without cutting records.
tests/wall/questions/test_supports_sensitivity.py enumerates it.

Itemsets over a SetTable are asked here as well: sets are sorted, and a sorted itemset is a subsequence of exactly the sets
that contain it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError
from seqveil.tables.units import Record, Unit, User
from seqveil.wall.questions.protocol import Tally


def owned(unit: Unit) -> int:
    """How many records a unit owns; refuses units that own none."""
    if not isinstance(unit, Record | User):
        raise CallError(f"supports protect a record or a user, not {unit.name!r}: use Record() or User(max_sequences=m).")
    return unit.sequences


def checked(patterns: NDArray[np.integer]) -> None:
    """Refuse what is not a table of distinct patterns of one length: a repeated one would be counted twice."""
    if patterns.ndim != 2 or patterns.shape[0] < 1 or patterns.shape[1] < 1:
        raise CallError("patterns must be a table with one pattern of at least 1 item per line.")
    if patterns.min() < 0:
        raise CallError("patterns hold codes of the domain, which are at least 0.")
    lines = patterns[:, 0] if patterns.shape[1] == 1 else patterns
    if len(np.unique(lines, axis=0)) != len(patterns):
        raise CallError("a pattern stands in the table twice: give every pattern once.")


def within(patterns: NDArray[np.integer], domain_size: int) -> int:
    """How many patterns there are, after a look that all of them lie in the domain."""
    if patterns.max() >= domain_size:
        raise CallError(f"a pattern holds code {patterns.max()}; the domain has codes 0 to {domain_size - 1}.")
    return len(patterns)


def nonzero(counts: NDArray[np.int64]) -> Tally:
    """Dense counts as a tally."""
    index = np.flatnonzero(counts)
    return Tally(index, counts[index])


@dataclass(frozen=True, slots=True, eq=False)
class Supports:
    """The supports of distinct patterns of one length, one per line of `patterns`, in whole records."""

    patterns: NDArray[np.integer]
    name: str = "supports"

    def __post_init__(self) -> None:
        checked(self.patterns)

    def slots(self, domain_size: int) -> int:
        return within(self.patterns, domain_size)

    def influence(self, unit: Unit) -> int:
        return owned(unit) * len(self.patterns)

    def tally(self, table: Any, unit: Unit) -> Tally:
        from seqveil.engines.local.subsequences import supports

        return nonzero(supports(table.flat, self.patterns, len(table.domain)))
