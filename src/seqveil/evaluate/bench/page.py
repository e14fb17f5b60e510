"""A results page: what was measured stands between two marks and is replaced by every bench; words outside them stay."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from seqveil.whole import write_whole

BEGIN, END = "<!-- measured: written by `seqveil bench`, do not edit -->", "<!-- /measured -->"


def keep_words(old: str, measured: str, title: str) -> str:
    """The page with a new measured part.

    >>> page = keep_words("", "| a |", "T")
    >>> print(keep_words(page + "My remark.", "| b |", "T").replace(BEGIN, "[").replace(END, "]"))
    # T
    <BLANKLINE>
    [
    | b |
    ]
    My remark.
    """
    if BEGIN not in old or END not in old:
        return f"{old.rstrip() or f'# {title}'}\n\n{BEGIN}\n{measured.strip()}\n{END}\n"
    before, _, rest = old.partition(BEGIN)
    return f"{before}{BEGIN}\n{measured.strip()}\n{END}{rest.partition(END)[2]}"


SEVERAL = "± is the half-width of the 95 % interval of the mean (Student's t)."


def write_page(path: Path, title: str, parts: list[str], command: str, machine: str, note: str = SEVERAL) -> None:
    """Write the tables of some benches to a page, with when and where they were measured."""
    when = datetime.now(UTC).date().isoformat()
    head = f"Measured {when} on {machine} with `{command}`. {note}"
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    write_whole(path, keep_words(old, "\n\n".join([head, *parts]), title).encode(), overwrite=True)
