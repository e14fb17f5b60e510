"""What the records of a release look like: how many, how long, where they begin and end. From the release alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from seqveil.notation import to_text
from seqveil.release.timed import Timed

if TYPE_CHECKING:
    from seqveil.release.answers import Ranking
    from seqveil.release.ofrecords import OfRecords

MOST_LABELS, MOST_PAIRS, MOST_BINS = 8, 12, 24


def shape(release: OfRecords, labels: int = MOST_LABELS, pairs: int = MOST_PAIRS) -> dict[str, Any] | None:
    """The number of records, and the most frequent first labels, last labels and pairs of both; None without records.

    >>> from seqveil.release.grams import GramRelease, GramTable
    >>> from seqveil.tables.domain import Domain
    >>> from seqveil.tables.flat import Flat
    >>> grams = GramTable.of([[0], [1]], count=[9.0, 8.0])
    >>> release = GramRelease(Domain.of(["home", "work"]), grams=grams, synthetic=Flat.of([[0, 1], [0]]), l_max=5, n_max=2)
    >>> seen = shape(release)
    >>> seen["size"], [(row["words"], row["value"]) for row in seen["tables"][2]["rows"]]
    (Answer(value=2, estimate without error bar), [(['home', 'home'], 1.0), (['home', 'work'], 1.0)])
    """
    tables = [
        _table("first labels", release.first_labels(labels)),
        _table("last labels", release.last_labels(labels)),
        _table("first and last labels", release.od(pairs)),
    ]
    if isinstance(release, Timed) and (times := release.busiest(MOST_BINS)):
        tables.append(_table("time bins: visits", times))
    elif not isinstance(release, Timed) and (begun := release.busiest_hours(MOST_BINS)):
        tables.append(_table("time bins: first items", begun))
    if not any(table["rows"] for table in tables):
        return None
    return {"size": release.size(), "about": release.whole_records, "tables": tables}


def length_counts(release: OfRecords) -> dict[int, float]:
    """How many records have so many items: the numbers that the release answers."""
    return {n: answer.value for n, answer in release.lengths().items()}


def _table(name: str, rows: list[Ranking]) -> dict[str, Any]:
    ends = [row[key] or 0 for row in rows for key in ("value", "high")]
    listed = [{**row, "words": [to_text([label]) for label in row["pattern"]]} for row in rows]
    return {"name": name, "rows": listed, "axis": float(max(ends, default=1)) or 1.0}
