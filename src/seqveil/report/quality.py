"""How close the release is to the raw data, as figures with a sentence each. INTERNAL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seqveil.tables.sequences import SequenceTable


def figures(release: Any, raw: SequenceTable) -> list[dict[str, str]]:
    """A few measured numbers and what each one means."""
    from seqveil.evaluate.evaluation import cut_of
    from seqveil.evaluate.yardstick import KS, Yardstick

    labels, made = len(release.domain), release.synthetic
    yard = Yardstick(raw.flat, labels, cut_of(release))
    errors = yard.count_error(made)
    patterns, form = yard.top_k(made)["documents_full"], yard.shape(made)
    most = max(KS)
    found = round(patterns[most]["true_positive_ratio"] * min(most, len(yard.true_patterns["documents_full"])))
    js = "0 is equal, 1 has nothing in common"
    rows = [
        (f"{errors['truncated'][4]:.1%}", f"mean error of random counts, against records cut to {yard.l_max} items"),
        (f"{errors['full'][4]:.1%}", "mean error of the same counts, against the whole data"),
        (f"{found} of {min(most, len(yard.true_patterns['documents_full']))}", "most frequent patterns are found again"),
        (f"{patterns[most]['utility_loss']:.1%}", "is lost of the supports of those patterns (utility loss)"),
        (f"{form['lengths']:.3f}", f"distance of the lengths of records ({js})"),
        (f"{form['transitions']:.3f}", f"distance of the steps from label to label ({js})"),
        (f"{form['trips']:.3f}", f"distance of the pairs of first and last label ({js})"),
        (f"{form['coverage']:.3f}", "agreement on which labels are busy (Kendall's τ: 1 is the same ranking)"),
    ]
    return [{"value": value, "what": what} for value, what in rows]
