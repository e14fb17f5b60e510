"""Text cells of CSV and TSV, for spreadsheets that would run them.

A spreadsheet takes a cell that begins with =, +, - or @ for a formula, whoever wrote it. So such a text gets an apostrophe in
front, which spreadsheets take for "this is text". A text that begins with an apostrophe gets one more: taking one apostrophe
away gives the text back, always. Numbers stay numbers. Formats for programs (text lines, JSON Lines, Parquet, XES) are written as
they are, and so are cells with `raw_cells`.
"""

from __future__ import annotations

import re

UNSAFE = "^['=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]"
"""What a cell must not begin with; the last four are the wide forms, which some spreadsheets read alike."""

NUMBER = r"^[+-]?[0-9]+(\.[0-9]+)?$"
"""A number is no formula, and stays one."""

_UNSAFE, _NUMBER = re.compile(UNSAFE), re.compile(NUMBER.replace("$", r"\Z"))


def neutral(text: str) -> str:
    """The text as a cell that no spreadsheet runs.

    >>> [neutral(text) for text in ("=1+1", "-3", "-3+cmd", "'s-Hertogenbosch", "Ely")]
    ["'=1+1", '-3', "'-3+cmd", "''s-Hertogenbosch", 'Ely']
    """
    return f"'{text}" if _UNSAFE.match(text) and not _NUMBER.match(text) else text


def plain(cell: str) -> str:
    """The text of a cell that `neutral` made.

    >>> [plain(neutral(text)) for text in ("=1+1", "'s-Hertogenbosch", "''", "Ely", "")]
    ['=1+1', "'s-Hertogenbosch", "''", 'Ely', '']
    """
    return cell.removeprefix("'")
