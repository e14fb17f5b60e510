"""`--config FILE`: parameters of a method from a small TOML file, one value per name."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from seqveil.errors import CallError, InputProblems

MOST_BYTES = 1 << 14
"""A file of parameters has some lines; Python's parser takes minutes for a dotted name of a hundred thousand parts."""

_SCALARS = (str, int, float, bool)


def read_config(path: Path) -> dict[str, Any]:
    """The parameters in a file; all that is wrong with it is told at once."""
    source = f"--config {path}"
    try:
        with path.open("rb") as file:
            raw = file.read(MOST_BYTES + 1)  # no more: the file may be a device that never ends
    except OSError as error:
        raise CallError(f"{source}: cannot be read ({error.strerror}): check the path.") from None
    if len(raw) > MOST_BYTES:
        raise CallError(f"{source}: is larger than {MOST_BYTES:,} bytes: give a small TOML file with lines such as l_max = 20.")
    try:
        found = tomllib.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        why = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "no UTF-8 text, or numbers or brackets without end"
        raise CallError(f"{source}: is not TOML ({why}): write lines such as l_max = 20.") from None
    if others := {name: value for name, value in found.items() if not isinstance(value, _SCALARS)}:
        raise InputProblems(source, [f"{name[:40]!r} is {_kind(value)}: {_ADVICE}" for name, value in others.items()])
    return found


_ADVICE = "write one value per name, such as l_max = 20, and no [headings]"


def _kind(value: object) -> str:
    return "a table" if isinstance(value, dict) else "a list" if isinstance(value, list) else "a date or time"
