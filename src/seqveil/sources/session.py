"""Sessions: how one user's events are cut into sequences. A public parameter."""

from __future__ import annotations

import re
from dataclasses import dataclass

from seqveil.surface import parameter

_GAP = re.compile(r"gap:(\d{1,12}(?:\.\d{1,12})?)([smhd])", re.ASCII)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


@dataclass(frozen=True, slots=True)
class Session:
    """`none` (one sequence per user), `day`, `gap` (a pause longer than `gap` seconds splits), or `column`.

    >>> Session.parse("gap:30m")
    Session(kind='gap', gap=1800.0, column=None)
    >>> Session.parse("trip_id").column, Session.parse("column:day").column
    ('trip_id', 'day')
    """

    kind: str = "none"
    gap: float = 0.0
    column: str | None = None

    @classmethod
    def parse(cls, text: str) -> Session:
        """From what people type; raises ValueError with advice."""
        if text in ("none", "day"):
            return cls(text)
        if match := _GAP.fullmatch(text):
            return cls("gap", float(match[1]) * _SECONDS[match[2]])
        if text.startswith("gap:") or not text:
            raise ValueError(f"{parameter('session', repr(text))} is not a valid gap: write gap:30m, gap:2h, gap:90s or gap:1d")
        return cls("column", column=text.removeprefix("column:"))

    @property
    def needs_time(self) -> bool:
        """Whether events are cut by their times."""
        return self.kind in ("day", "gap")
