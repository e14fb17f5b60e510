"""What a ranked release says of its patterns, as codes that can be compared with the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from seqveil.evaluate.mining import false_positives, true_positive_ratio, utility_loss

if TYPE_CHECKING:
    from seqveil.evaluate.patterns import Patterns
    from seqveil.release.capabilities import Ranked


def released_patterns(release: Ranked, k: int, shortest: int = 1, longest: int | None = None) -> Patterns:
    """The k patterns with the largest released counts, as codes with rounded counts; marks of a record's start are left out.

    >>> from seqveil.release.patterns import PatternRelease, PatternTable
    >>> from seqveil.tables.domain import Domain
    >>> table = PatternTable.of([[0, 1], [1]], noisy=[900, 60], scale=20.0)
    >>> mined = PatternRelease(Domain.of(["home", "work"]), patterns=table, kind="substring", about="occurrences")
    >>> released_patterns(mined, k=1)
    {(0, 1): 900}
    """
    domain: Any = release.domain  # type: ignore[attr-defined]
    patterns: Patterns = {}
    for line in release.top(k, shortest=shortest, longest=longest):
        codes = [domain.code(label) for label in line["pattern"]]
        patterns[tuple(code for code in codes if code is not None)] = round(line["value"] or 0)
    return patterns


def agreement(truth: Patterns, released: Patterns, ks: tuple[int, ...]) -> dict[int, dict[str, float]]:
    """True positive ratio, utility loss and false positives of the top K, for every K."""
    return {
        k: {
            "true_positive_ratio": true_positive_ratio(truth, released, k),
            "utility_loss": utility_loss(truth, released, k),
            "false_positives": false_positives(truth, released, k),
        }
        for k in ks
    }
