"""Put labels in place of OTHER: each weak label as often as its posterior says, first, last and inner items separately."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqveil.models.records.alphabet import Strong
from seqveil.models.records.apportion import apportioned
from seqveil.models.records.draw import SEED
from seqveil.tables.flat import Flat


def resolved(
    records: Flat,
    strong: Strong,
    first: NDArray[np.float64],
    last: NDArray[np.float64],
    inner: NDArray[np.float64],
    closed: float = 0.0,
) -> Flat:
    """Records of labels from records of symbols; so many of those with OTHER at both ends get the same label there."""
    if not len(records.items) or not strong.other:  # without OTHER every label is its own symbol
        return records
    items = np.append(strong.codes, -1).astype(np.int32)[records.items]
    random = np.random.default_rng(SEED)
    weak = strong.weak.astype(np.int32)
    begins, ends = records.offsets[:-1], records.offsets[1:] - 1
    alone = begins == ends

    def fill(at: NDArray[np.int64], weights: NDArray[np.float64]) -> None:
        labels = np.repeat(weak, apportioned(weights[weak] + 1e-9, len(at)))
        random.shuffle(labels)
        items[at] = labels

    fill(begins[items[begins] < 0], first)
    both = np.flatnonzero((items[ends] < 0) & ~alone & (records.items[begins] == records.items[ends]))
    same = both[random.permutation(len(both))[: round(closed)]]
    items[ends[same]] = items[begins[same]]
    fill(ends[(items[ends] < 0)], last)
    fill(np.flatnonzero(items < 0), inner)
    return Flat(items, records.offsets)
