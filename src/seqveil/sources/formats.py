"""One table of file formats, for every reader: the name of each, the suffixes it goes by, and what it holds.

A reader is how rows become records: `sequences` (also for sets), `relational`, `graph`, `names`, `stream`. The same suffix may
stand for different formats of different readers: `.txt` holds a sequence per line, an edge per line, or a name per line.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Shape = Literal["lines", "separated", "objects", "frame"]
"""Lines without columns, text with separated columns, a JSON value per line, or a container that declares what is in it."""


@dataclass(frozen=True, slots=True)
class Format:
    """A line of the table: a name, its suffixes, and what a file of this format holds for each reader that reads it."""

    name: str
    shape: Shape
    suffixes: tuple[str, ...]
    words: dict[str, str]


FRAME = "arrow"
"""What a data frame in memory is called; no file has this format."""

FORMATS = (
    Format("lines", "lines", (".seq", ".lines", ".txt"), {"sequences": "one sequence per line", "stream": "one event per line"}),
    Format("dat", "lines", (".dat",), {"sequences": "integers, one sequence per line"}),
    Format("spmf", "lines", (".spmf",), {"sequences": "SPMF (-1 ends an itemset, -2 a sequence)"}),
    Format(
        "csv",
        "separated",
        (".csv",),
        {
            "sequences": "event log, comma-separated",
            "relational": "comma-separated table, one record per row",
            "graph": "edge list, comma-separated, with a header and two columns",
            "names": "comma-separated table, one name per row",
            "stream": "comma-separated, one event per row",
        },
    ),
    Format(
        "tsv",
        "separated",
        (".tsv", ".tab"),
        {
            "sequences": "event log, tab-separated",
            "relational": "tab-separated table, one record per row",
            "graph": "edge list, tab-separated, with a header and two columns",
            "names": "tab-separated table, one name per row",
            "stream": "tab-separated, one event per row",
        },
    ),
    Format("events", "separated", (), {"sequences": "event log, separated by blanks"}),
    Format(
        "parquet",
        "frame",
        (".parquet", ".pq"),
        {
            "sequences": "Parquet table",
            "relational": "Parquet table, one record per row",
            "names": "Parquet table, one name per row",
        },
    ),
    Format(
        "jsonl",
        "objects",
        (".jsonl", ".ndjson"),
        {"sequences": "JSON Lines, one sequence per line", "stream": "JSON Lines, one event per line"},
    ),
    Format("jsonl-events", "objects", (), {"sequences": "JSON Lines, one event per line"}),
    Format("xes", "frame", (".xes",), {"sequences": "XES log, one sequence per trace"}),
    Format("edges", "lines", (".edges", ".txt", ".el"), {"graph": "edge list, two vertices per line (SNAP)"}),
    Format("graphml", "frame", (".graphml",), {"graph": "GraphML"}),
    Format("txt", "lines", (".txt",), {"names": "one name per line"}),
    Format(FRAME, "frame", (), {"sequences": "data frame", "relational": "data frame, one record per row"}),
)


def formats(reader: str) -> list[str]:
    """The file formats of a reader, by name.

    >>> formats("graph"), formats("names")
    (['csv', 'tsv', 'edges', 'graphml'], ['csv', 'tsv', 'parquet', 'txt'])
    """
    return [format.name for format in FORMATS if reader in format.words and format.name != FRAME]


def shaped(shape: Shape) -> tuple[str, ...]:
    """The formats of a shape, by name.

    >>> shaped("separated")
    ('csv', 'tsv', 'events')
    """
    return tuple(format.name for format in FORMATS if format.shape == shape)


def suffixes(reader: str) -> list[str]:
    """The suffixes by which a reader knows a format.

    >>> suffixes("relational")
    ['.csv', '.tsv', '.tab', '.parquet', '.pq']
    """
    return [suffix for format in FORMATS if reader in format.words for suffix in format.suffixes]


def words(name: str, reader: str) -> str:
    """What a file of a format holds."""
    return next(format.words[reader] for format in FORMATS if format.name == name)


def infer(path: str | Path, reader: str) -> str | None:
    """The format that a file's name stands for, None when it stands for none; a final `.gz` does not count.

    >>> infer("msnbc.seq.gz", "sequences"), infer("roads.TXT", "graph"), infer("-", "graph")
    ('lines', 'edges', None)
    """
    name = Path(Path(path).name.lower())
    suffix = Path(name.stem).suffix if name.suffix == ".gz" else name.suffix
    return next((format.name for format in FORMATS if reader in format.words and suffix in format.suffixes), None)


def infer_log(path: str | Path, *, columns: bool, events: bool) -> str | None:
    """The format of a file of sequences; `columns`: any column was named; `events`: one that lists have not.

    >>> infer_log("trips.csv", columns=True, events=True), infer_log("checkins.txt.gz", columns=True, events=True)
    ('csv', 'events')
    >>> infer_log("a.jsonl", columns=True, events=True), infer_log("a.jsonl", columns=True, events=False)
    ('jsonl-events', 'jsonl')
    """
    name = infer(path, "sequences")
    if name in ("lines", "dat") and columns:
        return "events"
    return "jsonl-events" if name == "jsonl" and events else name
