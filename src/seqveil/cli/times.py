"""Queries about places and times as people type them: "Central at 8", "Central before Harbour", "Central" at any time.

Labels win: what is a label of the domain, or several of them, is taken as such, whatever words are in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqveil.errors import CallError
from seqveil.notation import from_text
from seqveil.release.labels import timed_label

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain

BEFORE = " before "


def meant(piece: str, domain: Domain) -> str | None:
    """The label that a piece of a query is: one of the domain, a place at a time, or a place; None where it is none.

    >>> from seqveil.tables.calendar import Calendar
    >>> from seqveil.tables.domain import Domain
    >>> hours = Domain.of(["West Ham", "Ely"]).at_times(Calendar.parse("60m"))
    >>> meant("West Ham at 8:30", hours), meant('"West Ham"', hours), meant("Ham", hours)
    ('West Ham@08', 'West Ham', None)
    """
    text = piece.strip()
    if text.startswith('"') and text.endswith('"') and len(text) > 1:
        try:
            quoted = from_text(text)
        except CallError:  # several labels with quotes of their own: not one piece
            return None
        text = quoted[0] if len(quoted) == 1 else text
    if domain.code(text) is not None:
        return text
    return timed_label(text, domain) or (text if domain.untimed.code(text) is not None else None)


def of_times(text: str, domain: Domain) -> tuple[list[str], bool] | None:
    """The labels that a query names, and whether it asks for one before the other; None where it is an ordinary query.

    >>> from seqveil.tables.calendar import Calendar
    >>> from seqveil.tables.domain import Domain
    >>> hours = Domain.of(["West Ham", "Ely", "Day before May"]).at_times(Calendar.parse("60m"))
    >>> of_times("West Ham at 8 before Ely at 9", hours), of_times("Day before May", hours)
    ((['West Ham@08', 'Ely@09'], True), (['Day before May'], False))
    >>> of_times("Ely@08 Ely@09", hours), of_times("Ely Ely", hours), of_times("Atlantis at 8", hours)
    (None, (['Ely', 'Ely'], False), None)
    """
    if domain.calendar is None:
        return None
    whole = meant(text, domain)
    if whole is not None:
        return [whole], False
    pieces = [meant(piece, domain) for piece in text.split(BEFORE)]
    if len(pieces) > 1 and None not in pieces:
        return [piece for piece in pieces if piece is not None], True
    words = from_text(text)
    if all(domain.code(word) is not None for word in words):
        return None
    labels = [meant(word, domain) for word in words]
    return None if None in labels or not labels else ([label for label in labels if label is not None], False)
