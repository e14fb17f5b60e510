"""The last step, done by each data holder: from positions to rows of its own file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import InputProblems
from seqveil.link.key import Key
from seqveil.link.pairs import Pairs


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """Pair n, counted from 1, is our row `rows[n - 1]`; only the other data holder can open the other side of it."""

    side: Literal["a", "b"]
    rows: NDArray[np.int64]


def open_pairs(pairs: Pairs, key: Key) -> Opened:
    """Our rows of all pairs; the key shows whether we are a or b.

    >>> pairs = Pairs(np.array([1, 2], np.int32), np.array([2, 1], np.int32), "aa", "bb", "", "a", False)
    >>> open_pairs(pairs, Key("bb", 9, np.array([7, 4]), "")).rows.tolist()
    [4, 7]
    """
    if key.vectors not in (pairs.vectors_a, pairs.vectors_b):
        sides = f"{pairs.vectors_a[:12]}… and {pairs.vectors_b[:12]}…"
        raise InputProblems(
            "the key",
            [f"belongs to the vectors {key.vectors[:12]}…, the pairs to {sides}: give the key written with the vectors you sent"],
        )
    ours = key.vectors == pairs.vectors_a
    own = pairs.a if ours else pairs.b
    if len(own) and own.max() > len(key.rows):
        raise InputProblems(
            "the pairs", [f"refer to position {own.max():,}, but {len(key.rows):,} vectors were sent: ask for them again"]
        )
    return Opened("a" if ours else "b", key.rows[own - 1])
