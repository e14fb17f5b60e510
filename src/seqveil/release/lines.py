"""synthetic.txt.gz: one record per line. Labels are separated by blanks, or by tabs where a label holds a blank."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seqveil.errors import ReleaseDamaged
from seqveil.tables.flat import Flat

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain

_STEP = 1 << 18


def separator(domain: Domain) -> str:
    """What stands between two labels of a line; labels never hold a tab."""
    return "\t" if domain.has_blanks else " "


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
    body = bytearray()
    for start in range(0, len(flat), _STEP):
        offsets = flat.offsets[start : start + _STEP + 1]
        labels = domain.strings(flat.items[offsets[0] : offsets[-1]]).cast(pa.string())
        rows = pa.ListArray.from_arrays(pa.array((offsets - offsets[0]).astype(np.int32)), labels)
        body += ("\n".join(pc.binary_join(rows, separator(domain)).to_pylist()) + "\n").encode()
    return bytes(body)


def lines_from(body: bytes, domain: Domain) -> Flat:
    """The records of a text that `lines_to` wrote."""
    if not body:
        return Flat.of([])
    lines = body.decode().removesuffix("\n").split("\n")
    words = [line.split(separator(domain)) if line else [] for line in lines]
    offsets = np.cumsum([0, *map(len, words)], dtype=np.int64)
    codes = domain.encode([word for row in words for word in row])
    if (codes < 0).any():
        raise ReleaseDamaged("The artificial records hold a label that is not in the domain. Copy the release again.")
    return Flat(codes, offsets)
