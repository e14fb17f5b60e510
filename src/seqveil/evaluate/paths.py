"""Paths that nobody took: steps and whole records of a release that the raw data do not have. INTERNAL: reads raw data.

Total variation hides them, since each is rare. A miner that turns every step that occurs into a rule does not.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from seqveil.evaluate.histogram import Histogram
from seqveil.tables.flat import Flat


def paths(raw: Flat, cut: Flat, synthetic: Flat, labels: int) -> dict[str, float]:
    """Shares of steps and records that only one side has.

    `false_steps`: synthetic steps that occur nowhere in the raw data. `missing_steps`: steps of the cut raw data that occur
    nowhere in the synthetic records. `unseen_records`: synthetic records that equal no cut raw record, `unseen` of them.

    Of three synthetic steps one, 1 to 0, was never taken, and 0 to 2 is missing; two of three records are new:

    >>> raw = Flat.of([[0, 1], [0, 1], [0, 2]])
    >>> paths(raw, raw, Flat.of([[0, 1], [0, 1, 0], [2]]), labels=3)
    {'false_steps': 0.3333333333333333, 'missing_steps': 0.3333333333333333, 'unseen_records': 0.6666666666666666, 'unseen': 2}
    """
    theirs = Histogram.of(synthetic.steps(labels))
    originals = set(_spelled(cut))
    unseen = sum(record not in originals for record in _spelled(synthetic))
    return {
        "false_steps": _absent(theirs, Histogram.of(raw.steps(labels))),
        "missing_steps": _absent(Histogram.of(cut.steps(labels)), theirs),
        "unseen_records": unseen / max(len(synthetic), 1),
        "unseen": unseen,
    }


def _absent(of: Histogram, among: Histogram) -> float:
    """The share of one histogram whose keys the other does not have."""
    return float(of.counts[~np.isin(of.keys, among.keys)].sum() / max(of.counts.sum(), 1))


def _spelled(flat: Flat) -> list[bytes]:
    """Every record as its bytes: equal records, equal bytes."""
    items, ends = flat.items.astype(np.int32).tobytes(), (4 * flat.offsets).tolist()
    return [items[begin:end] for begin, end in pairwise(ends)]
