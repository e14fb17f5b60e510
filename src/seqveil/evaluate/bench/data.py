"""Where a bench's data lie, and how they are read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from seqveil.errors import CallError

if TYPE_CHECKING:
    from seqveil.tables.sequences import SequenceTable

OBSERVED = "observed"
"""The domain of a bench whose labels nobody published: those that occur. Benches make experiments, never releases."""


def folders(given: Path | None) -> list[Path]:
    """Where data are looked for: --data, $SEQVEIL_DATA, ../shared/data."""
    named = os.environ.get("SEQVEIL_DATA")
    return [given] if given else [*([Path(named)] if named else []), Path("../shared/data")]


def find(name: str, given: Path | None, get: str) -> Path:
    """The file, or an error that says which is missing and how to get it."""
    for folder in folders(given):
        if (folder / name).is_file():
            return folder / name
    looked = ", ".join(str(folder) for folder in folders(given))
    raise CallError(
        f"{name} is not in {looked}: {get or 'get it from its publisher'} and name its folder with --data DIR or SEQVEIL_DATA."
    )


def read(path: Path, domain: str) -> SequenceTable:
    """The table; labels that nobody published are read from the file itself."""
    from seqveil.sources import read_sequences
    from seqveil.tables.domain import Domain

    return read_sequences(path, domain=_observed(path) if domain == OBSERVED else Domain.parse(domain))


def _observed(path: Path):  # type: ignore[no-untyped-def]
    import gzip

    from seqveil.tables.domain import Domain

    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        labels = {label for line in file for label in line.split()}
    return Domain.of(sorted(labels), public_because="benches only: the labels that occur; an experiment promises nothing")
