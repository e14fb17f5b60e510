"""How close the release is to the raw data, as figures with a sentence each. INTERNAL."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from seqveil.release import Release
    from seqveil.tables.flat import Flat
    from seqveil.tables.sequences import SequenceTable


def figures(release: Release, synthetic: Flat, raw: SequenceTable) -> list[dict[str, str]]:
    """A few measured numbers and what each one means."""
    from seqveil.evaluate.cut import cut_of, records_of
    from seqveil.evaluate.yardstick import KS, Yardstick

    yard = Yardstick(raw.flat, len(release.domain), cut_of(release), cut=records_of(release, raw))
    errors = yard.count_error(synthetic)
    patterns, form = yard.top_k(synthetic)["documents_full"], yard.shape(synthetic)
    most = max(KS)
    recovered = round(patterns[most]["true_positive_ratio"] * min(most, len(yard.true_patterns["documents_full"])))
    whole, paths = yard.whole_records(synthetic), yard.paths(synthetic)
    js = "0: equal, 1: nothing in common"
    rows = [
        (f"{errors['truncated'][4]:.1%}", f"mean relative error of random counts, against records cut to {yard.l_max} items"),
        (f"{errors['full'][4]:.1%}", "mean relative error of the same counts, against the uncut records"),
        (f"{recovered} of {min(most, len(yard.true_patterns['documents_full']))}", "most frequent patterns recovered"),
        (
            f"{patterns[most]['utility_loss']:.1%}",
            "mean relative error of their supports; a missed pattern counts 100 % (utility loss)",
        ),
        (f"{whole['records']:.1%}", "synthetic records per raw record (100 % is right)"),
        (f"{whole['length']:.1%}", f"mean length of synthetic records, per that of raw records cut to {yard.l_max} items"),
        (f"{whole['lengths']:.1%}", "share of records with a wrong length (total variation)"),
        (f"{whole['first']:.1%}", "share of records with a wrong first label"),
        (f"{whole['last']:.1%}", "share of records with a wrong last label"),
        (f"{whole['trip']:.1%}", "share of records with a wrong pair of first and last label"),
        (f"{paths['false_steps']:.1%}", "share of synthetic steps that occur nowhere in the raw data"),
        (f"{form['transitions']:.3f}", f"Jensen–Shannon divergence of transitions between labels ({js})"),
        (f"{form['coverage']:.3f}", "agreement on the most frequent labels (Kendall's τ; 1: the same ranking)"),
    ]
    return [{"value": value, "what": what} for value, what in rows]
