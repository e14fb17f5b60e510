"""Records over a timed domain: weak labels go to the records whose time they fit, and no record goes back in time.

Weak labels were drawn without regard to their neighbours, since the model does not tell them apart. But a label says when it
is, and that is public. So the labels that were drawn for first items are dealt out again among the first items that are weak,
the latest to the record whose other items are latest, and so for last items and for those in between. How often a label occurs
as a first, last or other item does not change. What still runs backwards is put in the order of time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqveil.models.records.expect import Matrix
from seqveil.tables.flat import Flat

_SEED = 2012
"""Labels of one bin are dealt out at random; chance has a fixed public seed, as in all drawing."""


ROUNDS = 5
"""How often rows and columns of trips are brought back to their sums."""


def possible(cells: Matrix, when: NDArray[np.integer]) -> Matrix:
    """Records per (steps, first, last) without those that would end before they begin: symbol s stands at bin when[s].

    Noise has put some there. Others of the same first and last symbols are drawn in their place. A symbol beyond `when` is OTHER,
    which may be at any time.

    >>> possible(np.array([[[8.0, 4.0], [4.0, 8.0]]]), np.array([0, 1]))[0, 1].tolist()
    [0.0, 12.0]
    """
    allowed = np.ones(cells.shape[1:], np.bool_)
    allowed[: len(when), : len(when)] = when[:, None] <= when[None, :]
    out = np.where(allowed, cells, np.float32(0))
    out = np.where(out.sum(axis=2, keepdims=True) > 0, out, cells)  # no record vanishes: those are put in the order of time later
    for _ in range(ROUNDS):
        for axis in (1, 2):
            sums, now = cells.sum(axis=axis, keepdims=True), out.sum(axis=axis, keepdims=True)
            out *= np.divide(sums, now, out=np.zeros_like(now), where=now > 0)
    return out


def dealt(flat: Flat, bins: int, weak: NDArray[np.bool_]) -> Flat:
    """The records with weak labels (`weak[label]`) dealt out again, class by class, by the times of the items beside them.

    Labels 0 and 1 are early and late, 2 and 3 another place early and late, which is weak:

    >>> [r.tolist() for r in dealt(Flat.of([[1, 2], [0, 3], [0, 2], [1, 3]]), 2, np.array([False, False, True, True]))]
    [[1, 3], [0, 2], [0, 2], [1, 3]]
    """
    items, chance = flat.items.copy(), np.random.default_rng(_SEED)
    starts, place = np.repeat(flat.offsets[:-1], flat.lengths), np.arange(len(items))
    stops = np.repeat(flat.offsets[1:], flat.lengths) - 1
    settled = ~weak[items]
    first, last = place == starts, place == stops
    for some in (first, last & ~first, ~first & ~last):
        slots = np.flatnonzero(some & ~settled)
        when = items % bins
        anchor, lots = _beside(when, settled, starts, stops)[slots], chance.permutation(len(slots))
        drawn = items[slots]
        items[slots[np.lexsort((lots, anchor))]] = drawn[np.lexsort((chance.permutation(len(slots)), drawn % bins))]
        settled[slots] = True
    return Flat(items, flat.offsets)


def _beside(when: NDArray, settled: NDArray[np.bool_], starts: NDArray, stops: NDArray) -> NDArray[np.float64]:
    """The time that the nearest known items of the record suggest for every item; its own where none is known."""
    place = np.arange(len(when))
    before = np.maximum.accumulate(np.where(settled, place, -1)) if len(when) else place
    after = np.minimum.accumulate(np.where(settled, place, len(when))[::-1])[::-1] if len(when) else place
    has_left, has_right = before >= starts, after <= stops
    left, right = np.where(has_left, before, place), np.where(has_right, after, place)
    share = (place - left) / np.maximum(right - left, 1)
    between = when[left] + (when[right] - when[left]) * share
    one = np.where(has_left, when[left], np.where(has_right, when[right], when))
    return np.where(has_left & has_right, between, one).astype(np.float64)
