"""synthetic.txt.gz: one record per line. Labels are separated by blanks, or by tabs where a label holds a blank."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.errors import ReleaseDamaged
from seqveil.release.limits import MOST_ITEMS, refuse_beyond
from seqveil.tables.flat import Flat
from seqveil.tables.write.lines import write_lines

if TYPE_CHECKING:
    from seqveil.release.saved import Saved
    from seqveil.tables.domain import Domain

_END = ord("\n")
_STEP = 1 << 20
"""Bytes of text at a time: what is made of them stays in the processor's cache."""


def lines_to(domain: Domain, flat: Flat) -> bytes:
    """The records as text.

    >>> from seqveil.tables.domain import Domain
    >>> places = Domain.of(["home", "city hall"])
    >>> body = lines_to(places, Flat.of([[0, 1], [], [0]]))
    >>> body
    b'home\\tcity hall\\n\\nhome\\n'
    >>> [codes.tolist() for codes in lines_from(body, places)]
    [[0, 1], [], [0]]
    """
    body = BytesIO()
    write_lines(body, domain, flat)
    return body.getvalue()


def lines_from(body: bytes, domain: Domain) -> Flat:
    """The records of a text that `lines_to` wrote, found by their separators without a Python string per label."""
    between = ord("\t" if domain.has_blanks else " ")
    if body and not body.endswith(b"\n"):
        raise ReleaseDamaged("The synthetic records end in the middle of a line. Copy the release again.")
    codes, lengths, labels = [], [], 0
    for block in _blocks(body):
        labels += sum(_separators(block, between))
        refuse_beyond("number of labels in the synthetic records", labels, MOST_ITEMS)
        block_codes, block_lengths = _lines_of(block, between, domain)
        codes.append(block_codes)
        lengths.append(block_lengths)
    offsets = np.zeros(sum(map(len, lengths)) + 1, np.int64)
    np.cumsum(np.concatenate([np.zeros(0, np.int64), *lengths]), out=offsets[1:])
    return Flat(np.concatenate([np.zeros(0, np.int32), *codes]), offsets)


def saved_lines(saved: Saved) -> Flat:
    """The synthetic records of a saved release."""
    return lines_from(saved.text("synthetic.txt.gz"), saved.domain)


def _blocks(body: bytes) -> Iterator[bytes]:
    """Whole lines, many at a time, so that what is made of them stays small beside the text."""
    start = 0
    while start < len(body):
        end = body.rfind(b"\n", start, start + _STEP) + 1 or body.find(b"\n", start) + 1
        yield body[start:end]
        start = end


def _separators(text: bytes, between: int) -> tuple[int, int]:
    """How many line ends and separators there are; `bytes.count` is slow where they stand close together."""
    data = np.frombuffer(text, np.uint8)
    return int(np.count_nonzero(data == _END)), int(np.count_nonzero(data == between))


def _lines_of(block: bytes, between: int, domain: Domain) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The codes of a block of lines, and how many each line has."""
    from seqveil.tables.spans import Spans  # compiled kernels: only those who read records pay for loading them

    data = np.frombuffer(block, np.uint8)
    lines, inside = _separators(block, between)
    spans, lengths = np.empty((2, lines + inside), np.int64), np.zeros(lines, np.int64)
    number = _cut(data, between, spans[0], spans[1], lengths)
    codes = domain.find(Spans(data, spans[0, :number], spans[1, :number]))
    if (codes < 0).any():
        raise ReleaseDamaged("The synthetic records hold a label that is not in the domain. Copy the release again.")
    return codes, lengths


@njit(cache=True, nogil=True)
def _cut(data, between, starts, ends, lengths):  # type: ignore[no-untyped-def]
    """Where the labels of whole lines begin and end; how many they are. Of nothing between two separators there is no label."""
    number, line, begin = 0, 0, 0
    for i in range(len(data)):
        if data[i] == _END or data[i] == between:
            if i > begin:
                starts[number], ends[number] = begin, i
                number += 1
                lengths[line] += 1
            begin = i + 1
            line += data[i] == _END
    return number
