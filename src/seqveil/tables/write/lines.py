"""One sequence per line, and SPMF."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat

_RECORDS, _ITEMS = 1 << 16, 1 << 16
"""The most records and items that are spelled at once: as text they take some hundred times the memory of their codes."""


def parts(domain: Domain, flat: Flat) -> Iterator[tuple[Any, Any]]:
    """Arrow arrays of offsets and labels, many sequences at a time; a sequence is never divided."""
    start = 0
    while start < len(flat):
        full = int(np.searchsorted(flat.offsets, flat.offsets[start] + _ITEMS, "right")) - 1
        end = min(max(full, start + 1), start + _RECORDS, len(flat))
        offsets = flat.offsets[start : end + 1]
        yield pa.array((offsets - offsets[0]).astype(np.int32)), domain.strings(flat.items[offsets[0] : offsets[-1]])
        start = end


def label_lists(domain: Domain, flat: Flat) -> Iterator[list[list[str]]]:
    """The sequences as lists of labels, many at a time."""
    for offsets, labels in parts(domain, flat):
        texts = labels.to_pylist()
        yield [texts[a:b] for a, b in pairwise(offsets.to_pylist())]


def write_lines(file: IO[bytes], domain: Domain, flat: Flat) -> None:
    """Labels separated by a blank, or by a tab when a label of the domain contains a blank."""
    separator = _text("\t" if domain.has_blanks else " ")
    for offsets, labels in parts(domain, flat):
        lines = pc.binary_join(pa.ListArray.from_arrays(offsets, labels), separator)
        _write_joined(file, pc.binary_join_element_wise(lines, _text(""), _text("\n")))


def write_spmf(file: IO[bytes], domain: Domain, flat: Flat) -> None:
    """Every item an itemset of its own."""
    for offsets, labels in parts(domain, flat):
        closed = pc.binary_join_element_wise(labels, _text("-1 "), _text(" "))
        lines = pc.binary_join(pa.ListArray.from_arrays(offsets, closed), _text(""))
        _write_joined(file, pc.binary_join_element_wise(lines, _text("-2\n"), _text("")))


def _text(value: str) -> Any:
    return pa.scalar(value, pa.large_string())


def _write_joined(file: IO[bytes], lines: Any) -> None:
    """Writes all strings of an array, which lie one after the other in its buffer."""
    if len(lines):
        end = np.frombuffer(lines.buffers()[1], np.int64)[len(lines)]
        file.write(memoryview(lines.buffers()[2])[:end])
