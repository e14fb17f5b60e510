"""Where records begin and where they end, as a square picture: origins run down, destinations to the right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seqveil.release.shaped import Shaped

MOST = 15


def trips(release: Shaped) -> dict[str, Any] | None:
    """The labels where most records begin or end, and for each pair what the release answers; None without measured pairs.

    >>> from seqveil.release.model import RecordRelease
    >>> from seqveil.release.model.tables import Counted, SequenceCounts
    >>> from seqveil.tables.domain import Domain
    >>> from seqveil.tables.flat import Flat
    >>> pairs = SequenceCounts.of([[0, 1], [1, 1]], Counted.of([1640.4, 20.0], [1655, 19], [20.0]))
    >>> nothing = SequenceCounts.of([], Counted.of([]))
    >>> release = RecordRelease(
    ...     Domain.of(["home", "work"]), grams=nothing, firsts=nothing, lasts=nothing, trips=pairs,
    ...     lengths=Counted.of([]), synthetic=Flat.of([[0, 1]]), l_max=2, n_max=2)
    >>> seen = trips(release)
    >>> seen["labels"], [[cell["text"] for cell in row] for row in seen["rows"]], seen["rows"][1][0]["low"]
    (['work', 'home'], [['20', '·'], ['1.6k', '·']], 1595)
    """
    ranked = release.od() if release.has_pairs else []
    if not ranked:
        return None
    busy: dict[str, float] = {}
    for row in ranked:
        for label in row["pattern"]:
            busy[label] = busy.get(label, 0.0) + (row["value"] or 0.0)
    chosen = sorted(busy, key=lambda label: -busy[label])[:MOST]
    cells = {tuple(row["pattern"]): row for row in ranked}
    most = max(row["value"] or 0.0 for row in ranked)
    rows = [[_cell(cells.get((first, last)), most) for last in chosen] for first in chosen]
    return {"labels": chosen, "rows": rows, "all": len(release.domain), "about": release.about_pairs}


def _cell(row: Any, most: float) -> dict[str, Any]:
    if row is None:
        return {"text": "·", "value": 0.0, "share": 0.0, "low": None, "high": None}
    value = row["value"] or 0.0
    return {"text": _short(value), "value": value, "share": value / most, "low": row["low"], "high": row["high"]}


def _short(value: float) -> str:
    """A count that fits a small cell.

    >>> [_short(value) for value in (0.3, 12.4, 999.6, 7691.0, 12_400.0, 2_500_000.0)]
    ['·', '12', '1.0k', '7.7k', '12k', '2.5M']
    """
    if round(value) < 1:
        return "·"
    for unit, name in ((1, ""), (1_000, "k"), (1_000_000, "M")):
        if round(value / unit) < 1_000 or name == "M":
            break
    return f"{value / unit:.1f}{name}" if name and value / unit < 10 else f"{value / unit:,.0f}{name}"
