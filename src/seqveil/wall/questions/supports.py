"""Supports: in how many records each of some public patterns occurs, gaps allowed.

Law: the support of every pattern plus discrete Laplace noise. Nothing is cut: a record may be of any length.

Charge: what is paid for it.

Sensitivity: some record contains all of n patterns (write them one after the other), so a record can move n supports by one
each, and a unit with m records m·n in all. In L2² a record moves them by n, and m records by m²·n. No bound below this is true
without cutting records. tests/wall/questions/test_supports_sensitivity.py enumerates it.

Itemsets over a SetTable are asked here as well: sets are sorted, and a sorted itemset is a subsequence of exactly the sets
that contain it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.protocol import Tally, engine_of
from seqveil.errors import CallError
from seqveil.tables.units import Unit
from seqveil.wall.questions.units import records_of, together


def checked(patterns: NDArray[np.integer]) -> None:
    """Refuse what is not a table of distinct patterns of one length: a repeated one would be counted twice."""
    if patterns.ndim != 2 or patterns.shape[0] < 1 or patterns.shape[1] < 1:
        raise CallError("patterns must be a table with one pattern of at least 1 item per row.")
    if patterns.min() < 0:
        raise CallError("patterns hold a negative code: give codes of the domain, which start at 0.")
    lines = patterns[:, 0] if patterns.shape[1] == 1 else patterns
    if len(np.unique(lines, axis=0)) != len(patterns):
        raise CallError("the table holds a pattern twice: give every pattern once.")


def within(patterns: NDArray[np.integer], domain_size: int) -> int:
    """How many patterns there are; refuses patterns outside the domain."""
    if patterns.max() >= domain_size:
        raise CallError(f"a pattern holds code {patterns.max()}: the domain has codes 0 to {domain_size - 1}.")
    return len(patterns)


@dataclass(frozen=True, slots=True, eq=False)
class Supports:
    """The supports of distinct patterns of one length, one per row of `patterns`, in whole records."""

    patterns: NDArray[np.integer]
    name: str = "supports"

    def __post_init__(self) -> None:
        checked(self.patterns)

    def slots(self, domain_size: int) -> int:
        return within(self.patterns, domain_size)

    def influence(self, unit: Unit) -> int:
        return records_of(unit, "supports") * len(self.patterns)

    def square(self, unit: Unit) -> int:
        return together(unit, "supports", len(self.patterns))

    def tally(self, table: Any, unit: Unit) -> Tally:
        return engine_of(table).supports(table, self.patterns)
