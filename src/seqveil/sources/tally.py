"""Tally: what a reader left out, and why. INTERNAL: only `seqveil check` shows it, to the data holder."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from seqveil.tables.spans import Spans

_EXAMPLES = 5


@dataclass(repr=False)
class Tally:
    """Exact counts of raw data. Its repr says nothing, so that a stray log line says nothing either.

    >>> Tally(rows=3)
    Tally(…)
    """

    rows: int = 0
    """Lines, table rows, JSON records or traces that were read."""
    broken_rows: int = 0
    """Rows that are not what the format says: an open quote, a line that is not JSON."""
    no_user: int = 0
    no_session: int = 0
    bad_time: int = 0
    no_item: int = 0
    outside_calendar: int = 0
    """Events that could be used, but whose time lies in no declared bin."""
    beyond_cap: int = 0
    """Events that could be used, but whose user had `max_events` events before them."""
    cut_off: int = 0
    """Journeys that could be used, but begin or end outside the domain."""
    outside: int = 0
    items: int = 0
    """Items that were read, before any was dropped."""
    records: int | None = None
    """Records that were read, where the format says what a record is: a line, a list, a trace."""
    users: int | None = None
    """Users that were seen, also those of whom nothing is left."""
    examples: list[str] = field(default_factory=list)
    """A few distinct values that are outside the domain."""

    def __repr__(self) -> str:
        return "Tally(…)"

    def note_outside(self, spans: Spans, rows: NDArray[np.bool_]) -> None:
        """Counts items outside the domain and remembers a few of them."""
        self.outside += int(rows.sum())
        if len(self.examples) < _EXAMPLES:
            for row in np.flatnonzero(rows)[:1000].tolist():
                text = spans.text(row, most=60)
                if text not in self.examples and len(self.examples) < _EXAMPLES:
                    self.examples.append(text)
