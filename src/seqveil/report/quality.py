"""How close the release is to the raw data, as figures with a sentence each. INTERNAL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seqveil.tables.sequences import SequenceTable


def figures(release: Any, raw: SequenceTable) -> list[dict[str, str]]:
    """A few measured numbers and what each one means."""
    from seqveil.evaluate.shape import shape

    found = shape(raw.flat, release.synthetic, len(release.domain))
    sentences = {
        "lengths": "how far the lengths of records lie apart",
        "starts": "how far the first labels of records lie apart",
        "ends": "how far the last labels of records lie apart",
        "trips": "how far the pairs of first and last label lie apart",
        "transitions": "how far the steps from label to label lie apart",
    }
    rows = [
        {"value": f"{found[name]:.3f}", "what": f"{text} (Jensen–Shannon divergence: 0 is equal, 1 is disjoint)"}
        for name, text in sentences.items()
    ]
    rows.append({"value": f"{found['coverage']:.3f}", "what": "whether labels keep their rank (Kendall's τ: 1 is the same)"})
    return rows
