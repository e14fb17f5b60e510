"""The door of the writers: the name's ending says the format."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, cast

from seqveil.errors import CallError
from seqveil.tables.domain import Domain, spmf_problem
from seqveil.tables.flat import Flat
from seqveil.tables.write.lines import write_lines, write_spmf
from seqveil.tables.write.markup import write_jsonl, write_xes
from seqveil.tables.write.rows import write_csv, write_parquet, write_tsv
from seqveil.whole import write_whole

Writer = Callable[[IO[bytes], Domain, Flat], None]

WRITERS: dict[str, Writer] = {
    ".txt": write_lines,
    ".seq": write_lines,
    ".dat": write_lines,
    ".spmf": write_spmf,
    ".csv": write_csv,
    ".tsv": write_tsv,
    ".parquet": write_parquet,
    ".jsonl": write_jsonl,
    ".xes": write_xes,
}
"""The writer of every ending."""

SPREADSHEETS = {".csv": write_csv, ".tsv": write_tsv}
"""Those that people open in a spreadsheet."""


def write_sequences(path: str | Path, domain: Domain, flat: Flat, overwrite: bool = True, raw_cells: bool = False) -> Path:
    """Writes the sequences whole, in the format that the name's ending says, packed when it ends in .gz; returns the path.

    In .csv and .tsv a label that a spreadsheet would run as a formula gets an apostrophe in front, unless `raw_cells`.
    """
    path = Path(path)
    ending = (Path(path.stem).suffix if path.suffix == ".gz" else path.suffix).lower()
    if ending not in WRITERS or (ending == ".parquet" and path.suffix == ".gz"):
        endings = ", ".join(WRITERS)
        raise CallError(f"{path.name}: unknown file ending: use one of {endings}, all but .parquet also with .gz.")
    writer = writer_for(ending, domain, raw_cells)

    def write(work: Path) -> None:
        with _opened(work, path.suffix == ".gz") as file:
            writer(file, domain, flat)

    return write_whole(path, write, overwrite=overwrite)


def writer_for(ending: str, domain: Domain, raw_cells: bool = False) -> Writer:
    """What writes the sequences in the format of an ending, part by part, to a file that is open for writing."""
    refuse_unspellable(ending, domain)
    return partial(SPREADSHEETS[ending], raw_cells=raw_cells) if ending in SPREADSHEETS else WRITERS[ending]


def refuse_unspellable(ending: str, domain: Domain) -> None:
    """Raises when the format cannot carry a label of the domain."""
    if ending == ".spmf" and (problem := spmf_problem(domain)):
        raise CallError(f"{problem}; write .txt or .csv instead.")
    if ending in (".spmf", ".dat") and domain.has_blanks:
        raise CallError(f"{ending} separates labels by blanks, but a label of the domain has one; write .csv instead.")


@contextmanager
def _opened(path: Path, archive: bool) -> Iterator[IO[bytes]]:
    """The file to write to. The archive carries no time and no name, so that equal records give equal bytes."""
    with path.open("wb") as raw:
        if not archive:
            yield raw
            return
        with gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
            yield cast("IO[bytes]", packed)
