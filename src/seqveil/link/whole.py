"""What the files of a linkage share: strict JSON in, and nothing is ever overwritten."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from seqveil.errors import CallError, InputProblems
from seqveil.release.regular import opened
from seqveil.release.schema import parse


def read_json(path: Path, most: int, follow: bool = False) -> dict[str, Any]:
    """The JSON object in a regular file of at most `most` bytes; a link is followed only where a person named it (`follow`)."""
    try:
        if path.is_dir():
            raise InputProblems(str(path), ["is a folder: give a file"])
        with opened(path, follow) as file:
            raw = file.read(most + 1)
    except OSError as error:
        raise InputProblems(str(path), [f"cannot be read: {error.strerror or 'the disk failed'}"]) from None
    if len(raw) > most:
        raise InputProblems(str(path), [f"is larger than {most:,} bytes, the most such a file can have"])
    try:
        data = parse(raw.decode("utf-8"))
    except ValueError:
        raise InputProblems(
            str(path), ["is not JSON: it was truncated, or is not the right file; copy it again, or give another"]
        ) from None
    if not isinstance(data, dict):
        raise InputProblems(str(path), ["is not a JSON object: give another file"])
    return data


def refuse_other_keys(source: str, data: dict[str, Any], kinds: dict[str, tuple[type, ...]]) -> None:
    """Exactly these keys, each of one of its types; all problems are reported together."""
    problems = [f"lacks the key {key!r}" for key in kinds if key not in data]
    problems += [f"has an unknown key {key[:40]!r}" for key in data if key not in kinds]
    problems += [
        f"has a value of the wrong type at {key!r}" for key in kinds if key in data and type(data[key]) not in kinds[key]
    ]
    if problems:
        raise InputProblems(source, problems)


def refuse_existing(target: Path, what: str) -> None:
    """Nothing is ever overwritten."""
    try:
        there = target.exists() or target.is_symlink()
    except OSError as error:
        raise CallError(f"{target} cannot be created ({error.strerror}): choose another {what}.") from None
    if there:
        raise CallError(f"{target} exists already: choose another {what}.")
