"""Labels of a query as codes of the domain; one that is not in the domain is refused, with the labels that may be meant."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from seqveil.errors import CallError
from seqveil.tables.calendar import MARK

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain

_SEARCHED = 200_000


class UnknownLabel(CallError):
    """A label of a query is not in the domain. `close` are labels that may be meant, the closest first."""

    def __init__(self, label: str, domain: Domain) -> None:
        self.label = label
        some = domain.labels(range(min(len(domain), _SEARCHED)))
        self.close = get_close_matches(str(label), some, n=3, cutoff=0.6)
        examples = f"its labels are {', '.join(map(repr, some[:3]))}{', …' if len(some) > 3 else ''}."
        meant = f"did you mean {' or '.join(map(repr, self.close))}?" if self.close else examples
        super().__init__(f"{label!r} is not in the domain of this release: {meant}")


def codes_of(labels: Sequence[str], domain: Domain) -> list[int]:
    """The codes of labels.

    >>> from seqveil.tables.domain import Domain
    >>> codes_of(["work", "hom"], Domain.of(["home", "work"]))
    Traceback (most recent call last):
    seqveil.release.labels.UnknownLabel: 'hom' is not in the domain of this release: did you mean 'home'?
    """
    codes = []
    for label in labels:
        code = domain.code(timed_label(label, domain) or label)
        if code is None:
            raise UnknownLabel(label, domain)
        codes.append(code)
    return codes


def timed_label(text: str, domain: Domain) -> str | None:
    """The label of a timed domain that a person means: as it is written, or a place and a time in a bin. None for anything else.

    A label of the domain is always taken as it is, also where it contains the word at.

    >>> from seqveil.tables.calendar import Calendar
    >>> from seqveil.tables.domain import Domain
    >>> hours = Domain.of(["Ely", "Home at 8"]).at_times(Calendar.parse("60m"))
    >>> [timed_label(text, hours) for text in ("Ely@08", "Ely at 8", "Ely@8:30", "Home at 8 at 9", "Home at 8", "Ely")]
    ['Ely@08', 'Ely@08', 'Ely@08', 'Home at 8@09', None, None]
    """
    if domain.calendar is None or not isinstance(text, str):
        return None
    if domain.code(text) is not None:
        return text
    if domain.untimed.code(text) is not None:
        return None
    for mark in (MARK, " at "):
        place, middle, time = text.rpartition(mark)
        bin_ = domain.calendar.named(time.strip()) if middle else None
        if bin_ is not None and domain.untimed.code(place.strip()) is not None:
            return f"{place.strip()}{MARK}{domain.calendar.names[bin_]}"
    return None


def refuse_no_query(query: object, example: str = "['A', 'B']") -> None:
    """A query is a list of labels."""
    if isinstance(query, str) or not query:
        raise CallError(f"{query!r} is not a query: give a list with at least one label, for example {example}.")
