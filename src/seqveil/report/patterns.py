"""The strongest patterns of a release with their error bars; with raw data, the true count beside each gram."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from seqveil.notation import to_text
from seqveil.release.grams import GramRelease

if TYPE_CHECKING:
    from seqveil.tables.flat import Flat

MOST = 20


def strongest(release: Any, truth: Flat | None = None, most: int = MOST) -> dict[str, Any]:
    """The patterns with the largest answers, and where the axis of their picture ends; `words` are as `query` reads them.

    >>> from seqveil.release.grams import GramTable
    >>> from seqveil.tables.domain import Domain
    >>> from seqveil.tables.flat import Flat
    >>> grams = GramTable.of([[0], [1], [0, 1], [1, 2]], count=[900.0, 800.0, 700.0, 60.0], scale=20.0, threshold=50)
    >>> held = GramRelease(Domain.of(["home", "work"]), grams=grams, synthetic=Flat.of([]), l_max=5, n_max=2)
    >>> [(row["pattern"], row["low"], row["high"]) for row in strongest(held)["rows"]]
    [(['home', 'work'], 640, 760)]
    """
    rows = _grams(release, truth, most) if isinstance(release, GramRelease) else release.top(most)
    rows = [{"true": None, **row, "words": [to_text([label]) for label in row["pattern"]]} for row in rows]
    ends = [row[key] for row in rows for key in ("value", "high", "true") if row[key] is not None]
    return {"rows": rows, "axis": float(max(ends, default=1)) or 1.0, "about": release.about}


def _grams(release: GramRelease, truth: Flat | None, most: int) -> list[dict[str, Any]]:
    """Grams of two labels and more; the end of a record is no pattern."""
    grams = release.grams
    last = grams.symbols[grams.offsets[1:] - 1]
    inside = last != len(release.domain)
    rows = np.flatnonzero((grams.lengths > 1) & inside)
    rows = rows if len(rows) else np.flatnonzero(inside)
    best = release.ranked(rows, most)
    found = [
        {"pattern": release.domain.labels(grams.gram(row)), **answer.to_json()}
        for row, answer in zip(best, release.answers(best), strict=True)
    ]
    if truth is not None:
        for row, exact in zip(found, _truth(release, best, truth), strict=True):
            row["true"] = exact
    return found


def _truth(release: GramRelease, rows: list[int], truth: Flat) -> list[int]:
    """Exact counts in what the release speaks of: records cut to l_max items."""
    from seqveil.evaluate.trie import occurrences
    from seqveil.tables.flat import Flat

    queries = Flat.of([release.grams.gram(row) for row in rows])
    return [int(n) for n in occurrences(truth.truncate(release.l_max), queries, len(release.domain))]
