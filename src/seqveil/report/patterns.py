"""The strongest grams of a release with their error bars; with raw data, the true count beside each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from seqveil.release.grams import GramRelease
    from seqveil.tables.flat import Flat

MOST = 20


def strongest(release: GramRelease, truth: Flat | None = None, most: int = MOST) -> dict[str, Any]:
    """Grams of two labels and more with the largest counts; places on the axis are shares of its end.

    >>> from seqveil.release.grams import GramTable, GramRelease
    >>> from seqveil.tables.domain import Domain
    >>> from seqveil.tables.flat import Flat
    >>> grams = GramTable.of([[0], [1], [0, 1], [1, 2]], count=[900.0, 800.0, 700.0, 60.0], scale=20.0, threshold=50)
    >>> held = GramRelease(Domain.of(["home", "work"]), grams=grams, synthetic=Flat.of([]), l_max=5, n_max=2)
    >>> [row["words"] for row in strongest(held)["rows"]]
    [['home', 'work']]
    """
    grams, end = release.grams, len(release.domain)
    last = grams.symbols[grams.offsets[1:] - 1]
    rows = np.flatnonzero((grams.lengths > 1) & (last != end))
    rows = rows if len(rows) else np.flatnonzero(last != end)
    rows = rows[np.argsort(-grams.count[rows], kind="stable")][:most]
    answers = release.answers(rows.tolist())
    true = _truth(release, rows.tolist(), truth) if truth is not None else [None] * len(rows)
    ends = [a.high if a.high is not None else a.value for a in answers] + [t for t in true if t is not None]
    axis = float(max(ends, default=1)) or 1.0
    shown = []
    for row, answer, exact in zip(rows.tolist(), answers, true, strict=True):
        words = [release.domain.label(code) for code in grams.gram(row)]
        shown.append({"words": words, "value": answer.value, "low": answer.low, "high": answer.high, "true": exact})
    return {"rows": shown, "axis": axis, "about": release.about}


def _truth(release: GramRelease, rows: list[int], truth: Flat) -> list[int]:
    """Exact counts in what the release speaks of: records cut to l_max items."""
    from seqveil.evaluate.trie import occurrences
    from seqveil.tables.flat import Flat

    queries = Flat.of([release.grams.gram(row) for row in rows])
    return [int(n) for n in occurrences(truth.truncate(release.l_max), queries, len(release.domain))]
