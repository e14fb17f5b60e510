"""Patterns with their supports, the best K of them, and the rule that breaks ties. INTERNAL where the data are raw."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

Pattern = tuple[int, ...]
Patterns = dict[Pattern, int]
"""Codes of a pattern to its support; the order is the ranking."""


def ranked(supports: Mapping[Pattern, int] | Iterable[tuple[Pattern, int]], k: int | None = None) -> Patterns:
    """The best k: larger support first, then shorter, then smaller codes, so that the ranking never depends on chance.

    >>> ranked({(1, 2): 3, (0, 1): 3, (0, 1, 2): 3, (2, 2): 9}, k=3)
    {(2, 2): 9, (0, 1): 3, (1, 2): 3}
    """
    pairs = supports.items() if isinstance(supports, Mapping) else supports
    return dict(sorted(pairs, key=lambda pair: (-pair[1], len(pair[0]), pair[0]))[:k])
