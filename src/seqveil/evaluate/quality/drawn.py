"""Queries that somebody would ask: windows of the data themselves. INTERNAL: drawn from raw data.

Most uniform queries over a large domain occur nowhere, so their error says whether nothing stays nothing. A data-drawn query is
defined here, once: a size n uniform in 1..4, then a start uniform among the positions of the data cut to l_max at which n items
fit into the record; the query is those n items. So a query is drawn in proportion to how often it occurs, among those of its
size. Sizes that fit into no record are left out.
"""

from __future__ import annotations

import numpy as np

from seqveil.tables.flat import Flat

LARGEST = 4
"""The most items of a data-drawn query."""


def drawn_queries(cut: Flat, number: int = 10_000, seed: int = 0, largest: int = LARGEST) -> Flat:
    """`number` windows of the data, by the rule above.

    >>> [s.tolist() for s in drawn_queries(Flat.of([[4, 4], [4]]), number=3, seed=1)]
    [[4, 4], [4], [4]]
    """
    random = np.random.default_rng([seed, largest])
    left = np.repeat(cut.offsets[1:], cut.lengths) - np.arange(len(cut.items))  # items from here to the end of the record
    starts = [np.flatnonzero(left >= size) for size in range(1, largest + 1)]
    sizes = [size for size, places in enumerate(starts, 1) if len(places)]
    if not sizes:
        return Flat.of([])
    lengths = np.asarray(sizes)[random.integers(0, len(sizes), number)]
    at = np.zeros(number, np.int64)
    for size in sizes:
        which = np.flatnonzero(lengths == size)
        at[which] = starts[size - 1][random.integers(0, len(starts[size - 1]), len(which))]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    where = np.arange(offsets[-1]) + np.repeat(at - offsets[:-1], lengths)
    return Flat(cut.items[where], offsets)
