"""synthetic.txt.gz: one record per line. Labels are separated by blanks, or by tabs where a label holds a blank."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from seqveil.errors import ReleaseDamaged
from seqveil.release.limits import MOST_ITEMS, refuse_beyond
from seqveil.tables.flat import Flat
from seqveil.tables.write.lines import write_lines

if TYPE_CHECKING:
    from seqveil.release.saved import Saved
    from seqveil.tables.domain import Domain

_STEP = 1 << 24


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
    between = b"\t" if domain.has_blanks else b" "
    refuse_beyond("number of labels in the synthetic records", body.count(b"\n") + body.count(between), MOST_ITEMS)
    if body and not body.endswith(b"\n"):
        raise ReleaseDamaged("The synthetic records end in the middle of a line. Copy the release again.")
    codes, lengths = [], []
    for block in _blocks(body):
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


def _lines_of(block: bytes, between: bytes, domain: Domain) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The codes of a block of lines, and how many each line has."""
    data = np.frombuffer(block, np.uint8)
    line_end = data == ord("\n")
    stops = np.flatnonzero(line_end | (data == ord(between)))
    starts = np.concatenate([[0], stops + 1])
    # Every piece carries its separator as a blank at its end, which encoding does not mind; an empty line is no label.
    pieces = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(stops), [None, pa.py_buffer(starts), pa.py_buffer(block.replace(b"\n", b" "))]
    )
    filled = stops > starts[:-1]
    codes = domain.encode(pieces)[filled]
    if (codes < 0).any():
        raise ReleaseDamaged("The synthetic records hold a label that is not in the domain. Copy the release again.")
    return codes, np.diff(np.cumsum(filled)[line_end[stops]], prepend=0)
