"""Layout: how the rows of an input are to be read. Public: what the data holder typed, the file's name and its header.

Every field carries one sentence of help, which the command line, the docstrings of the readers and the documentation show.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict

from seqveil.sources.formats import FRAME, shaped, words
from seqveil.sources.session import Session

if TYPE_CHECKING:
    from seqveil.sources.blocks import Begins

BY_LINE = shaped("lines")
"""Formats without columns."""

SEPARATED = shaped("separated")
"""Formats of separated text, with columns."""

ENDS = 2
"""Items of a journey: its origin and its destination."""


def option(default: Any, help: str, **limits: Any) -> Any:
    """A field with a default and a sentence of help; `limits` restrict its values (`min`)."""
    return field(default=default, metadata={"help": help, **limits})


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The public parameters of a reading. Readers get one whose format is decided."""

    format: str | None = option(None, "File format, if it cannot be inferred from the file name.")
    user: str | None = option(None, "Column that identifies the user.")
    time: str | None = option(None, "Column with the time: ISO 8601, or a number.")
    item: str | None = option(None, "Column with the item, a label of the domain.")
    origin: str | None = option(None, "For one journey per row: column with the place where it begins (with destination).")
    destination: str | None = option(None, "For one journey per row: column with the place where it ends (with origin).")
    session: str = option("none", "How to split a user's events into sequences: none, day, gap:30m, or a column.")
    timezone: str = option("UTC", "Time zone for timestamps without one, and for day boundaries.")
    outside: str = option("drop", "Items outside the domain: drop them, or replace them by one public label (other).")
    delimiter: str | None = option(None, "Column separator, if not the format's default.")
    header: bool = option(True, "The first line is a header; otherwise refer to columns by number.")
    time_unit: str = option("s", "Unit of numeric times: ns, us, ms, s, m, h or d.")
    time_format: str | None = option(None, "Pattern of the times, such as '%d/%m/%Y %H:%M', or text to sort them as text.")
    time_bins: str | None = option(
        None,
        "Time bins that items are counted in: 60m, 15m, 60m@04:00, hour-of-day, weekday, weekday-hour, or a file.",
    )
    max_events: int | None = option(None, "Most rows to use per user: the first ones in the file. Default: all.", min=1)

    def describe(self, gzip: bool = False) -> str:
        """The format in words, for people.

        >>> Layout(format="csv", delimiter=";").describe(gzip=True)
        "event log, separated by ';' (csv, gzip)"
        """
        text = words(str(self.format), "sequences") if not self.journeys else "one journey per row"
        if self.delimiter is not None and (self.format in SEPARATED or self.format == "lines"):
            content = text if self.journeys else "event log" if self.format in SEPARATED else "one sequence per line"
            text = f"{content}, separated by {self.delimiter!r}"
        return f"{text} ({self.format}{', gzip' if gzip else ''})"

    @property
    def cut(self) -> Session:
        """How a user's events are split into sequences."""
        return Session.parse(self.session)

    @property
    def journeys(self) -> bool:
        """Whether a row is a whole record of two items: where a journey begins and where it ends."""
        return self.origin is not None or self.destination is not None

    @property
    def separator(self) -> int:
        """The byte between two columns of separated text, -1 for any run of blanks."""
        usual = {"csv": ",", "tsv": "\t"}.get(str(self.format), " ")
        character = self.delimiter or usual
        return -1 if character == " " else ord(character)

    @property
    def begins(self) -> Begins:
        """What stands first in the file: a header only where one is declared."""
        if self.format in shaped("frame") and self.format != FRAME:
            return "frame"
        return "header" if self.format in SEPARATED and self.header else "record"

    @property
    def splits(self) -> bool:
        """Whether the delimiter can separate: a single ASCII character, and neither a quote nor a line end."""
        character = self.delimiter
        return character is None or (len(character) == 1 and character.isascii() and character not in '\n\r"')

    def columns(self) -> dict[str, str]:
        """The columns that were named, by the parameter that names them."""
        roles = {"user": self.user, "time": self.time, "item": self.item, "session": self.cut.column}
        roles |= {"origin": self.origin, "destination": self.destination}
        return {role: name for role, name in roles.items() if name is not None}


class Options(TypedDict, total=False):
    """The fields of a layout as keyword arguments; tests hold it equal to them."""

    format: str | None
    user: str | None
    time: str | None
    item: str | None
    origin: str | None
    destination: str | None
    session: str
    timezone: str
    outside: str
    delimiter: str | None
    header: bool
    time_unit: str
    time_format: str | None
    time_bins: str | None
    max_events: int | None
