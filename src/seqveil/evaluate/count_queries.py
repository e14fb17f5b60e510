"""The count-query workload of [Chen 2012, §6.2.1], as docs/soundness.md, 'How n-gram utility is measured' reads it. INTERNAL."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqveil.evaluate.trie import occurrences
from seqveil.tables.flat import Flat

SIZES = (4, 8, 12, 16, 20)
"""The maximal query sizes of [Chen 2012]."""

SANITY = 0.001
"""The sanity bound s, as a share of the number of records."""


def random_queries(labels: int, largest: int, number: int = 10_000, seed: int = 0) -> Flat:
    """Queries with a size uniform in 1..largest and items uniform over the domain.

    >>> queries = random_queries(17, 4, number=1000)
    >>> len(queries), int(queries.lengths.min()), int(queries.lengths.max())
    (1000, 1, 4)
    """
    random = np.random.default_rng([seed, largest])
    lengths = random.integers(1, largest + 1, number)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Flat(random.integers(0, labels, offsets[-1]).astype(np.int32), offsets)


def workload(labels: int, sizes: tuple[int, ...] = SIZES, number: int = 10_000, seed: int = 0) -> Flat:
    """The random queries of every maximal size, one after the other: `number` of each.

    >>> len(workload(17)), len(workload(17, sizes=(4,), number=10))
    (50000, 10)
    """
    parts = [random_queries(labels, largest, number, seed) for largest in sizes]
    lengths = np.concatenate([part.lengths for part in parts])
    return Flat(np.concatenate([part.items for part in parts]), np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64))


def relative_error(
    estimate: NDArray[np.integer], truth: NDArray[np.integer], records: int, over: NDArray[np.integer] | None = None
) -> NDArray[np.float64]:
    """|Q̃ − Q| / max(Q, s) with s = 0.1 % of the records [Chen 2012, §6.2.1]; `over` is the Q below the line, if another one.

    >>> relative_error(np.array([8, 0]), np.array([10, 0]), records=1000).tolist()
    [0.2, 0.0]
    """
    below = truth if over is None else over
    return np.asarray(np.abs(estimate - truth) / np.maximum(np.maximum(below, SANITY * records), 1e-12))


def per_size(errors: NDArray[np.float64], sizes: tuple[int, ...] = SIZES) -> dict[int, float]:
    """Mean error per maximal size of a workload.

    >>> per_size(np.array([0.0, 1.0, 0.5, 0.5]), sizes=(4, 8))
    {4: 0.5, 8: 0.5}
    """
    return {size: float(part.mean()) for size, part in zip(sizes, np.split(errors, len(sizes)), strict=True)}


def count_error(synthetic: Flat, raw: Flat, labels: int, sizes: tuple[int, ...] = SIZES, seed: int = 0) -> dict[int, float]:
    """Mean relative error per maximal query size [Chen 2012, §6.2.1]; `raw` is the full data ("F") or the truncated one ("T").

    One label, so the query of size n is a run of n: it occurs 200, 100, 0, 0 times in truth and half as often in the copy,
    which makes errors of ½, ½, 0, 0 for sizes 1 to 4; the mean over 10,000 random sizes is close to ¼.

    >>> truth, half = Flat.of([[0, 0]] * 100), Flat.of([[0, 0]] * 50)
    >>> abs(count_error(half, truth, labels=1, sizes=(4,))[4] - 1 / 4) < 0.01
    True
    """
    queries = workload(labels, sizes, seed=seed)
    errors = relative_error(occurrences(synthetic, queries, labels), occurrences(raw, queries, labels), len(raw))
    return per_size(errors, sizes)
