"""Data of the benchmarks: found through $SEQVEIL_DATA (benchmarks/README.md names the files). Nothing of it is committed."""

from __future__ import annotations

from pathlib import Path

from seqveil.errors import CallError
from seqveil.evaluate.bench.data import find as find_or_refuse


def find(name: str) -> Path | None:
    """The file, or None after printing what is missing and how to get it."""
    try:
        return find_or_refuse(name)
    except CallError as missing:
        print(f"skipped: {missing}")
        return None
