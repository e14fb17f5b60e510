"""One sequence per line: plain labels, the integer .dat of the 2012 programs, and SPMF."""

from __future__ import annotations

from pathlib import Path

import numba
import numpy as np
from numpy.typing import NDArray

from seqveil.sources.blocks import line_blocks
from seqveil.sources.layout import Layout
from seqveil.sources.tally import Tally
from seqveil.tables.domain import Domain, spmf_problem
from seqveil.tables.flat import Flat
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.spans import Spans, trim


@numba.njit(cache=True)
def _is_separator(byte, separator):  # type: ignore[no-untyped-def]
    """Whether a byte ends a token; separator -1 stands for any blank."""
    return byte == 10 or byte == separator or (separator < 0 and (byte == 32 or byte == 9 or byte == 13))


@numba.njit(cache=True)
def _count(data, separator):  # type: ignore[no-untyped-def]
    """Upper bounds for the numbers of tokens and of lines."""
    tokens, lines, inside = 0, 0, False
    for byte in data:
        if _is_separator(byte, separator):
            tokens += inside
            inside = False
            lines += byte == 10
        else:
            inside = True
    return tokens, lines


@numba.njit(cache=True)
def _split(data, separator, spmf, starts, ends, breaks):  # type: ignore[no-untyped-def]
    """Fills tokens and, for every record, the number of tokens up to its end. A line end always ends a record."""
    tokens, records, begin = 0, 0, 0
    comment, closed = False, False  # closed: nothing has come since the last -2 of this line
    for at in range(len(data)):
        byte = data[at]
        if not _is_separator(byte, separator):
            continue
        start, end = trim(data, begin, at)
        begin = at + 1
        if start < end and not comment:
            fresh = start == 0 or data[start - 1] == 10
            length = end - start
            if spmf and fresh and (data[start] == 35 or data[start] == 37 or data[start] == 64):
                comment = True
            elif spmf and length == 2 and data[start] == 45 and (data[start + 1] == 49 or data[start + 1] == 50):
                if data[start + 1] == 50:
                    breaks[records] = tokens
                    records += 1
                    closed = True
            else:
                starts[tokens], ends[tokens] = start, end
                tokens += 1
                closed = False
        if byte == 10:
            if not comment and not closed:
                breaks[records] = tokens
                records += 1
            comment, closed = False, False
    return tokens, records


def _records(data: NDArray[np.uint8], separator: int, spmf: bool) -> tuple[Spans, NDArray[np.int64]]:
    """The tokens of a block of lines, and where each record ends among them."""
    most, lines = _count(data, separator)
    starts, ends = np.empty(most, np.int64), np.empty(most, np.int64)
    breaks = np.empty(lines + (most if spmf else 0), np.int64)
    tokens, records = _split(data, separator, spmf, starts, ends, breaks)
    return Spans(data, starts[:tokens], ends[:tokens]), breaks[:records]


def line_separator(domain: Domain, delimiter: str | None = None) -> str:
    """What stands between two labels of a line: blanks, or a tab when a label of the domain contains a blank.

    >>> line_separator(Domain.of(["a", "b"])), line_separator(Domain.of(["West Ham"]))
    (' ', '\\t')
    """
    return delimiter or ("\t" if domain.has_blanks else " ")


def line_problems(path: Path, layout: Layout, domain: Domain) -> list[str]:
    """Labels that the format cannot carry; all of them are public."""
    problem = spmf_problem(domain) if layout.format == "spmf" else None
    return [f"{problem}: rename it, or use another format"] if problem else []


def read_lines(path: Path, layout: Layout, domain: Domain, tally: Tally) -> SequenceTable:
    """Every line a record; what is outside the domain and what is left empty is dropped."""
    separator = " " if layout.format in ("dat", "spmf") else line_separator(domain, layout.delimiter)
    parts = [
        lines_encoded(block, -1 if separator == " " else ord(separator), layout.format == "spmf", domain, tally)
        for block in line_blocks(path)
    ]
    tally.records = tally.rows
    items = np.concatenate([codes for codes, _ in parts]) if parts else np.empty(0, np.int32)
    lengths = np.concatenate([lengths for _, lengths in parts]) if parts else np.empty(0, np.int64)
    return SequenceTable(domain, Flat(items, np.append(0, np.cumsum(lengths))))


def lines_encoded(
    block: NDArray[np.uint8], separator: int, spmf: bool, domain: Domain, tally: Tally
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Codes and record lengths of one block, without empty records."""
    spans, breaks = _records(block, separator, spmf)
    codes = domain.find(spans)
    tally.rows += len(breaks)
    tally.items += len(codes)
    outside = codes < 0
    tally.note_outside(spans, outside)
    if domain.other is not None:
        codes[outside] = domain.other
    elif outside.any():
        kept = np.append(0, np.cumsum(~outside))
        codes, breaks = codes[~outside], kept[breaks]
    lengths = np.diff(breaks, prepend=0)
    return codes, lengths[lengths > 0]
