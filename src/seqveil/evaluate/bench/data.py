"""Where real data is found, for benches, benchmarks and tests, and how a bench reads it. Nothing of it is in this project."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from seqveil.errors import CallError
from seqveil.surface import parameter

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain
    from seqveil.tables.sequences import SequenceTable

OBSERVED = "observed"
"""The domain of a bench whose labels nobody published: those that occur. Benches make experiments, never releases."""


PUBLISHED = "get it from its publisher (benchmarks/README.md names it)"


def find(name: str, folder: Path | None = None, get: str = "") -> Path:
    """A data file in `folder`, else in $SEQVEIL_DATA; or an error that says what is missing and how to `get` it."""
    variable = os.environ.get("SEQVEIL_DATA")
    if folder is None and not variable:
        raise CallError(f"{name} is needed and no data folder is set: {get or PUBLISHED}, then set SEQVEIL_DATA to its folder.")
    path = (folder or Path(str(variable))) / name
    if not path.is_file():
        other = f"choose another folder with {parameter('data', 'DIR')}, or " if folder else ""
        raise CallError(f"{name} is not in {folder or f'SEQVEIL_DATA ({variable})'}: {other}{get or PUBLISHED}.")
    return path


def read(path: Path, domain: str) -> SequenceTable:
    """The table; labels that nobody published are read from the file itself."""
    from seqveil.sources import read_sequences
    from seqveil.tables.domain import Domain

    return read_sequences(path, domain=_observed(path) if domain == OBSERVED else Domain.parse(domain))


def _observed(path: Path) -> Domain:
    import gzip

    from seqveil.tables.domain import Domain

    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        labels = {label for line in file for label in line.split()}
    return Domain.of(sorted(labels), public_because="benchmark only: the labels that occur; an experiment has no guarantee")
