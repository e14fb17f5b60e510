"""Draw trips from a fitted law: systematically by ends and length, then a first cell, then move by move."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqveil.models.gridtrips.fit import Trips, turning
from seqveil.models.gridtrips.messages import NONE, _walk
from seqveil.tables.flat import Flat

Ints = NDArray[np.int64]

SEED = 0x5EC7E11
"""Public: the same noisy answers give the same records. Nothing private rests on it."""


def drawn(law: Trips, share: float = 1.0) -> Flat:
    """As many trips as are expected, or a share of them."""
    random = np.random.default_rng(SEED)
    length, first, last = _numbers(law.expected * share, random)
    offsets = np.concatenate([[0], np.cumsum(length)]).astype(np.int64)
    start = _starts(law, length, first, last, random)
    public = (law.moves.cell, law.moves.direction, law.weight, turning(), law.beta)
    return Flat(_walk(*public, last, start, length, offsets, 0, random.random(int(offsets[-1]) + 1)), offsets)


def _numbers(expected: NDArray[np.float64], random: np.random.Generator) -> tuple[Ints, Ints, Ints]:
    """Length, first and last block of every trip. Running totals are rounded, so that every sum is right to within one."""
    most, _, blocks = expected.shape
    cells = expected.transpose(1, 2, 0).ravel()
    whole = np.floor(np.cumsum(cells) + random.random()).astype(np.int64)
    each = np.repeat(np.arange(len(cells)), np.maximum(np.diff(whole, prepend=0), 0))
    pair, length = np.divmod(each, most)
    first, last = np.divmod(pair, blocks)
    return length + 1, first, last


def _starts(law: Trips, length: Ints, first: Ints, last: Ints, random: np.random.Generator) -> Ints:
    """A first cell for every trip: by its own weight, and by what can reach the end from there."""
    out = np.zeros(len(length), np.int64)
    for block in range(law.expected.shape[1]):
        cells, trips = np.flatnonzero(law.block == block), np.flatnonzero(first == block)
        for some in np.array_split(trips, len(trips) // 4096 + 1):
            ahead = law.beta[length[some, None] - 1, cells[None, :], NONE, last[some, None]]
            below = np.cumsum(law.first[cells] * ahead, axis=1)
            sought = random.random(len(some)) * below[:, -1]
            out[some] = cells[np.minimum((below <= sought[:, None]).sum(axis=1), len(cells) - 1)]
    return out
