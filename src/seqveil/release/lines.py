"""synthetic.txt.gz: one record per line. Labels are separated by blanks, or by tabs where a label holds a blank."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

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
    """The records of a text that `lines_to` wrote."""
    if not body:
        return Flat.of([])
    lines = body.decode().removesuffix("\n").split("\n")
    separator = "\t" if domain.has_blanks else " "
    words = [line.split(separator) if line else [] for line in lines]
    offsets = np.cumsum([0, *map(len, words)], dtype=np.int64)
    codes = domain.encode([word for row in words for word in row])
    if (codes < 0).any():
        raise ReleaseDamaged("The artificial records hold a label that is not in the domain. Copy the release again.")
    return Flat(codes, offsets)
