"""synthetic.txt.gz: one record per line. Labels are separated by blanks, or by tabs where a label holds a blank."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from seqveil.errors import ReleaseDamaged
from seqveil.tables.flat import Flat
from seqveil.tables.write.lines import write_lines

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain


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
    data = np.frombuffer(body, np.uint8)
    line_end = data == ord("\n")
    stops = np.flatnonzero(line_end | (data == ord("\t" if domain.has_blanks else " ")))
    starts = np.concatenate([[0], stops + 1])
    # Every piece carries its separator as a blank at its end, which encoding does not mind; an empty line is no label.
    pieces = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(stops), [None, pa.py_buffer(starts), pa.py_buffer(body.replace(b"\n", b" "))]
    )
    filled = stops > starts[:-1]
    codes = domain.encode(pieces)[filled]
    if (codes < 0).any():
        raise ReleaseDamaged("The artificial records hold a label that is not in the domain. Copy the release again.")
    offsets = np.concatenate([[0], np.cumsum(filled)[line_end[stops]]]).astype(np.int64)
    return Flat(codes, offsets)
