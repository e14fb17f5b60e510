"""Labels as people type them into the query box: without quotes, too, where only one reading is possible."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqveil.errors import CallError
from seqveil.notation import from_text

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain

MOST_WORDS = 200
LONGEST = 12
"""Words of a label that is looked for without quotes."""


def labels_in(text: str, domain: Domain) -> list[str]:
    """The labels of a query.

    >>> from seqveil.tables.domain import Domain
    >>> stations = Domain.of(["West Ham", "Bank", "Ham", "West"])
    >>> labels_in('"West Ham" Bank', stations), labels_in("Bank", stations)
    (['West Ham', 'Bank'], ['Bank'])
    >>> labels_in("Mile End Bank", Domain.of(["Mile End", "Bank"]))
    ['Mile End', 'Bank']
    >>> labels_in("West Ham", stations)  # two readings: as it is written
    ['West', 'Ham']
    >>> labels_in("West Ham, Bank", stations), labels_in('"West Ham", Bank', stations)
    (['West Ham', 'Bank'], ['West Ham', 'Bank'])
    """
    listed = _between_commas(text, domain)
    try:
        written = from_text(text)
    except CallError:
        if listed:
            return listed
        raise
    if all(domain.code(label) is not None for label in written):
        return written
    readings = _readings(text.split(), domain) if '"' not in text and domain.has_blanks else []
    if readings:
        return readings[0] if len(readings) == 1 else written
    return listed or written


def _between_commas(text: str, domain: Domain) -> list[str]:
    """The labels of a list with commas, or none if it is no such list."""
    parts = [part.strip() for part in text.split(",")]
    labels = [part[1:-1] if len(part) > 1 and part[0] == part[-1] == '"' else part for part in parts]
    return labels if len(labels) > 1 and all(domain.code(label) is not None for label in labels) else []


def _readings(words: list[str], domain: Domain) -> list[list[str]]:
    """Up to two ways to read words as labels, each of one word or several."""
    if not 0 < len(words) <= MOST_WORDS:
        return []
    after: list[list[list[str]]] = [[] for _ in words] + [[[]]]
    for start in range(len(words) - 1, -1, -1):
        for end in range(start + 1, min(start + LONGEST, len(words)) + 1):
            label = " ".join(words[start:end])
            if after[end] and domain.code(label) is not None:
                after[start] += [[label, *rest] for rest in after[end]]
        after[start] = after[start][:2]
    return after[0]
