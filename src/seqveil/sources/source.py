"""Source: one description of an input, for the command line, Python, files of parameters and whatever comes next.

A source names the data, the public domain, the reader and how rows are laid out. It is read in two steps. `description` looks at
the format alone and raises everything that is wrong with it, all at once; that costs nothing. `read` reads the rows, and never
raises for what stands in one: that would tell whose row it was. In between, `specimen` sends simulated rows in the same format
through the same reader, so that what can fail without the rows fails before anything is spent.

>>> from seqveil.tables.domain import Domain
>>> import polars as pl
>>> log = pl.DataFrame({"card": ["a", "b", "a"], "station": ["Ely", "Ely", "Ware"]})
>>> trips = Source(log, Domain.of(["Ely"]), user="card", item="station", outside="other")
>>> trips.kind, trips.description, trips.domain.labels([0, 1])
('sequences', 'data frame (arrow)', ['Ely', 'other'])
>>> [record.tolist() for record in trips.read().flat]
[[0, 1], [0]]
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from seqveil.errors import CallError
from seqveil.sources.formats import FRAME, formats, infer, infer_log
from seqveil.sources.layout import Layout, option
from seqveil.surface import parameter

if TYPE_CHECKING:
    from seqveil.kinds import Kind
    from seqveil.sources.spool import Spool
    from seqveil.tables.domain import Domain


class Reading(NamedTuple):
    """An input whose format was inspected and found right: the format in words, and the function that reads the rows."""

    description: str
    read: Callable[[], Any]


def readable() -> dict[str, Kind]:
    """The kinds of data that a source can be, by the name of their reader."""
    from seqveil.kinds import KINDS

    return {name: kind for name, kind in KINDS.items() if "inspect" in kind.readers}


_COLUMNS = ("user", "time", "item", "origin", "destination")
_TEXTS = [one.name for one in fields(Layout) if one.name not in ("header", "max_events")]


def _as_text(name: str, value: object) -> str | None:
    """The text of a parameter; without a header a column has a number, which may be given as one.

    >>> _as_text("item", 2), _as_text("item", None)
    ('2', None)
    """
    if value is None or isinstance(value, str):
        return value
    if name in _COLUMNS and type(value) is int:
        return str(value)
    allowed = "the name of a column, or its number where there is no header" if name in _COLUMNS else "a text in quotes"
    raise CallError(f"{parameter(name, f'{value!r:.60}')} is not text: give {allowed}.")


def _several(data: Any) -> Any:
    """Paths in a list, which are one input; whatever else it is stays as it is.

    >>> _several(["a.csv"]), _several(["a.csv", "b.csv"]), _several([["home", "work"]])
    ('a.csv', ('a.csv', 'b.csv'), [['home', 'work']])
    """
    if not isinstance(data, list | tuple) or not data or not all(isinstance(one, str | Path) for one in data):
        return data if not isinstance(data, tuple) else list(data)
    return data[0] if len(data) == 1 else tuple(data)


def _warn_of_column(column: str) -> None:
    """Names of columns are public. What labels they hold is not, if they are of the data to be protected."""
    warnings.warn(
        f"the labels of the domain were taken from a column named {column!r}, and the data have a column of that name: labels "
        "that come from the data to be protected void the guarantee. Give a public list, or use sv.discover_domain(…).",
        stacklevel=4,
    )


def _timed(domain: Domain, time_bins: str, timezone: str) -> Domain:
    """The domain at the declared times. One that has these times already stays as it is: a file of bins is read once."""
    from seqveil.tables.calendar import Calendar

    stands = domain.calendar
    if stands is not None and stands.spec == time_bins:
        return domain
    calendar = Calendar.parse(time_bins, timezone)
    if stands is None:
        return domain.at_times(calendar)
    if stands != calendar:
        raise CallError(f"{parameter('time_bins', time_bins)} are other bins than those of the domain: leave it out.")
    return domain


@dataclass(frozen=True, eq=False, repr=False)
class Source(Layout):
    """What is read, over which labels, and how. Nothing is opened before it is needed, and a pipe is read only once.

    Its repr names the input and says nothing that depends on the data.
    """

    data: Any = field(
        metadata={
            "help": "A path of a file or folder, a list of paths, - for standard input, a data frame, a networkx or scipy graph."
        }
    )
    domain: Domain = field(
        metadata={
            "help": "Public labels: a file with one per line, a column (stations.csv:station), a range 1..17, or a list a,b,c."
        }
    )
    reader: str = option("sequences", "How rows become records: sequences, sets, relational or graph.")
    order_is_public: bool = option(False, "The order of the graph's vertices was chosen without looking at its edges.")

    def __post_init__(self) -> None:
        domain: object = self.domain
        if not hasattr(domain, "with_other"):
            advice = "for example sv.Domain.parse('stations.txt') or sv.Domain.of(labels)"
            given = f"{domain!r:.60}" if isinstance(domain, str) else type(domain).__name__
            raise CallError(f"{parameter('domain', given)} is not a Domain: give one, {advice}.")
        if self.reader not in readable():
            raise CallError(f"{parameter('reader', repr(self.reader))} is unknown: use one of {', '.join(readable())}.")
        object.__setattr__(self, "data", _several(self.data))
        for name in _TEXTS:
            object.__setattr__(self, name, _as_text(name, getattr(self, name)))
        if self.outside == "other":  # here and nowhere else: whoever asks for the domain gets the one that the table will be over
            object.__setattr__(self, "domain", self.domain.with_other())
        if self.time_bins is not None:
            object.__setattr__(self, "domain", _timed(self.domain, self.time_bins, self.timezone))
        if (
            not self.is_file
            and self.domain.column in (self.item, self.origin, self.destination)
            and self.domain.column is not None
        ):
            _warn_of_column(self.domain.column)

    def __repr__(self) -> str:
        return f"Source({self.name}, {self.reader})"

    @property
    def kind(self) -> str:
        """The kind of table that is read."""
        return readable()[self.reader].held_as

    @property
    def name(self) -> str:
        """What the input is called in messages."""
        from seqveil.sources.folder import named

        return named(self.data) if self.is_file else "the data frame"

    @property
    def rows(self) -> str:
        """What the table of formats calls the reader: sets are read from whatever holds sequences."""
        return readable()[self.reader].formats or self.reader

    @property
    def is_file(self) -> bool:
        """Whether the data are paths, or standard input, and not an object in memory."""
        return isinstance(self.data, str | Path | tuple)

    @cached_property
    def file(self) -> Spool:
        """The file, opened once: from then on everybody reads the same bytes."""
        from seqveil.sources.spool import spooled

        if not self.is_file:
            raise CallError(f"{self.name} is not a file: read it, and give the table to the vault.")
        if self.files:
            from seqveil.sources.folder import joined

            return joined(self.data, self.rows, self.layout(self.decided_format or ""))
        return spooled(self.data)

    @cached_property
    def files(self) -> list[Path]:
        """The files of a folder or a list; none where the data are one file. InputProblems where they are not of one format."""
        from seqveil.sources.folder import is_folder, members

        return members(self.data, self.rows) if is_folder(self.data) else []

    @property
    def _path(self) -> str | Path:
        """The name that tells the format."""
        from seqveil.sources.folder import name_of

        return name_of(self.data, self.files) if self.files else self.data

    @property
    def decided_format(self) -> str | None:
        """The format: as given, or as the file's name says; None when it says nothing."""
        if not self.is_file:
            return FRAME if hasattr(self.data, "__arrow_c_stream__") else None
        if self.format is not None or "events" not in formats(self.rows):
            return self.format or infer(self._path, self.rows)
        return infer_log(self._path, columns=self.has_columns, events=self.has_events)

    @property
    def has_columns(self) -> bool:
        """Whether a column was named."""
        return any(getattr(self, role) for role in _COLUMNS) or self.session != "none"

    @property
    def has_events(self) -> bool:
        """Whether a JSON line is one row of a table, and holds no list."""
        return self.time is not None or self.journeys

    def layout(self, format: str) -> Layout:
        """How rows are read, with the format decided."""
        given = {one.name: getattr(self, one.name) for one in fields(Layout)}
        return Layout(**given | {"format": format})

    @cached_property
    def reading(self) -> Reading:
        """The inspected input; raises InputProblems with everything that is wrong with its format."""
        reading: Reading = readable()[self.reader].reader("inspect")(self)
        return reading

    def inspect(self) -> Reading:
        """Look at the format now, and raise everything that is wrong with it."""
        return self.reading

    @property
    def description(self) -> str:
        """How the input is read, in words."""
        return self.reading.description

    def read(self) -> Any:
        """The table of all rows, over `domain`."""
        return self.reading.read()

    def specimen(self) -> Any:
        """The table of a few simulated rows in the same format, read by the same reader.

        The format of the input itself is inspected first: what is wrong with it is raised while that costs nothing.
        """
        from seqveil.sources.specimen import specimen_of

        self.inspect()
        return replace(self, data=specimen_of(self)).read()

    def chunks(self) -> Iterator[bytes]:
        """All bytes of the file, as they lie in it."""
        return self.file.chunks()

    def stating(self, public_because: str | None) -> Source:
        """The same input, over a domain that says why it is public."""
        domain, reading = replace(self.domain, public_because=public_because), self.reading
        stated = replace(self, data=self.file if self.is_file else self.data, domain=domain)
        # The format is not inspected again, which may be a pass over the whole file: the labels are the same.
        stated.__dict__["reading"] = Reading(reading.description, lambda: replace(reading.read(), domain=stated.domain))
        return stated
