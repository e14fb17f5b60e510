"""The strongest patterns of a release with their error bars; with raw data, the true count beside each gram."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from seqveil.notation import to_text
from seqveil.release.grams import GramRelease
from seqveil.release.labels import codes_of
from seqveil.release.model import RecordRelease

if TYPE_CHECKING:
    from seqveil.release.answers import Ranking
    from seqveil.release.capabilities import Ranked
    from seqveil.tables.flat import Flat

MOST = 20


def strongest(release: Ranked, truth: Flat | None = None, most: int = MOST) -> dict[str, Any]:
    """The patterns with the largest answers, and where the axis of their picture ends; `words` are as `query` reads them.

    `complete` says that the release has no more of them, `singles` that it has single labels, which are not listed.

    >>> from seqveil.release.grams import GramTable
    >>> from seqveil.tables.domain import Domain
    >>> from seqveil.tables.flat import Flat
    >>> grams = GramTable.of([[0], [1], [0, 1], [1, 2]], count=[900.0, 800.0, 700.0, 60.0], scale=20.0, threshold=50)
    >>> release = GramRelease(Domain.of(["home", "work"]), grams=grams, synthetic=Flat.of([]), l_max=5, n_max=2)
    >>> [(row["pattern"], row["low"], row["high"]) for row in strongest(release)["rows"]]
    [(['home', 'work'], 640, 760)]
    """
    longer = release.top(most, shortest=2)
    listed = longer or release.top(most)
    exact: list[int] | list[None] = [None] * len(listed)
    if truth is not None and isinstance(release, GramRelease | RecordRelease):
        exact = _truth(release, listed, truth)
    rows: list[dict[str, Any]] = [
        {**row, "true": count, "words": [to_text([label]) for label in row["pattern"]]}
        for row, count in zip(listed, exact, strict=True)
    ]
    ends = [row[key] for row in rows for key in ("value", "high", "true") if row[key] is not None]
    return {
        "rows": rows,
        "axis": float(max(ends, default=1)) or 1.0,
        "about": release.about,
        "complete": bool(longer) and len(longer) < most,
        "singles": bool(longer) and bool(release.top(1, longest=1)),
    }


def _truth(release: GramRelease | RecordRelease, rows: list[Ranking], truth: Flat) -> list[int]:
    """Exact counts in what the release counts: records cut to l_max items."""
    from seqveil.evaluate.trie import occurrences
    from seqveil.tables.flat import Flat

    queries = Flat.of([codes_of(row["pattern"], release.domain) for row in rows])
    return [int(n) for n in occurrences(truth.truncate(release.l_max), queries, len(release.domain))]
