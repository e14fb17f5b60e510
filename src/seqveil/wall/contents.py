"""The content of a table as bytes, for the ledger's keyed fingerprint: equal tables give equal bytes.

A fingerprint of a table in memory and one of the file it was read from are different: each is an alarm among its own kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from seqveil.tables.domain import Domain

_STEP = 1 << 20


def contents(table: Any) -> Iterator[bytes]:
    """Name, labels and arrays of a table, in the order of its fields.

    >>> from seqveil.tables.sequences import table_of
    >>> domain = Domain.of(["a", "b"])
    >>> one, same, other = (b"".join(contents(table_of([list(text)], domain))) for text in ("ab", "ab", "ba"))
    >>> one == same, one == other
    (True, False)
    """
    yield type(table).__name__.encode()
    for field in fields(table):
        value = getattr(table, field.name)
        yield f"\n{field.name} ".encode()
        if isinstance(value, Domain):
            yield value.digest.encode()
        elif is_dataclass(value):
            yield from contents(value)
        elif isinstance(value, np.ndarray):
            yield f"{value.dtype.str} {value.shape} ".encode()
            flat = np.ascontiguousarray(value).reshape(-1)
            yield from (flat[at : at + _STEP].tobytes() for at in range(0, len(flat), _STEP))
        else:
            yield repr(value).encode()
