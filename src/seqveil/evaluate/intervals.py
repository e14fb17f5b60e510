"""Whether the error bars of n-grams hold: the share of its grams whose interval covers the true count. INTERNAL."""

from __future__ import annotations

from typing import Any

import numpy as np

from seqveil.evaluate.trie import occurrences
from seqveil.release.grams import GramRelease, GramTable
from seqveil.release.model import RecordRelease
from seqveil.tables.flat import Flat


def with_ends(flat: Flat, end: int) -> Flat:
    """Every record followed by the terminator.

    >>> [s.tolist() for s in with_ends(Flat.of([[0, 1], []]), end=2)]
    [[0, 1, 2], [2]]
    """
    offsets = flat.offsets + np.arange(len(flat) + 1)
    items = np.full(offsets[-1], end, np.int32)
    inside = np.ones(len(items), np.bool_)
    inside[offsets[1:] - 1] = False
    items[inside] = flat.items
    return Flat(items, offsets)


def covered(release: GramRelease | RecordRelease, cut: Flat) -> dict[str, Any]:
    """How many grams were asked, and the share whose 95 % interval covers the true count.

    The intervals are made so that each one covers with probability 95 % or more (docs/decisions/error-bars.md), so the share
    should be about 0.95 or above. Here home occurs 910 times, inside 900 ± 60, and home → work 600 times, outside 700 ± 60.

    >>> from seqveil.release.grams import GramRelease, GramTable
    >>> from seqveil.tables.domain import Domain
    >>> grams = GramTable.of([[0], [0, 1]], count=[900.0, 700.0], scale=20.0, threshold=50)
    >>> release = GramRelease(Domain.of(["home", "work"]), grams=grams, synthetic=Flat.of([]), l_max=2, n_max=2)
    >>> covered(release, Flat.of([[0, 1]] * 600 + [[0]] * 310))
    {'grams': 2, 'covered': 0.5}
    """
    grams, end = release.grams, len(release.domain)
    rows = np.flatnonzero(grams.measured if isinstance(grams, GramTable) else grams.counted.measured)
    if not len(rows):
        return {"grams": 0, "covered": None}
    queries = Flat(grams.symbols, grams.offsets).take(rows)
    truth = occurrences(with_ends(cut, end), queries, end + 1)
    if isinstance(release, RecordRelease):
        low, high = release.grams.counted.intervals(rows)
    else:
        answers = release.answers(rows.tolist())
        low, high = (np.array([getattr(a, bound) for a in answers], np.int64) for bound in ("low", "high"))
    return {"grams": len(rows), "covered": float(((low <= truth) & (truth <= high)).mean())}
