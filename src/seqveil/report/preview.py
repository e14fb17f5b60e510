"""The tables of a release that ranks no patterns, as the page shows them: the largest rows first. Nothing raw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from seqveil.notation import to_text

if TYPE_CHECKING:
    from seqveil.release import Release

MOST = 25
_BY = ("count", "support", "noisy", "weight")


def tables(release: Release) -> list[dict[str, Any]]:
    """Up to 25 rows of every table, by the first column that counts something."""
    shown = []
    for name, table in release.tables().items():
        column = next((c for c in _BY if c in table.column_names), None)
        largest = table.sort_by([(column, "descending")]) if column and table.num_rows else table
        rows = [[_word(value) for value in row.values()] for row in largest.slice(0, MOST).to_pylist()]
        shown.append({"name": name, "columns": table.column_names, "rows": rows, "all": table.num_rows})
    return shown


def _word(value: Any) -> str:
    """A cell in words.

    >>> _word(["a", "West Ham"]), _word(1234.5678), _word(None)
    ('a "West Ham"', '1,235', '–')
    """
    if value is None:
        return "–"
    if isinstance(value, list):
        return to_text(part if isinstance(part, str) else _word(part) for part in value)
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:,.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
