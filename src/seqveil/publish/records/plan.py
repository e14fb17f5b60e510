"""What a run of the record model will spend, from public parameters and a rough size alone."""

from __future__ import annotations

from seqveil.publish.records.shares import ROUGH, length_share, part, size_share
from seqveil.tables.units import Unit
from seqveil.wall import GRAINS, Plan


def planned(
    epsilon: int, choosing: int, l_max: int, l_most: int, n_max: int, labels: int, unit: Unit, records: int | None
) -> Plan:
    """The stages with their ε; shares that follow from noisy answers are shown as they would be for `records` records."""
    stages = [("choose l_max", choosing, f"a length among 1..{l_most}")] if choosing else []
    scale = unit.sequences * GRAINS / epsilon
    signal = max(records or 20_000, 1) / scale
    number = part(epsilon, ROUGH) + part(epsilon, size_share(signal))
    lengths = part(epsilon, length_share(signal))
    stages += [
        ("number of records", number, "how many records have at least one item"),
        ("lengths", lengths, f"records per length 1..{l_max}, and whether they end where they began"),
        ("strata", epsilon - choosing - number - lengths, "for each range of lengths: first and last labels, both, and n-grams"),
    ]
    predictions = [
        f"number of records: noise within ±{3 * unit.sequences * GRAINS / number:,.0f} (95 %)",
        f"records of one length: noise within ±{5 * unit.sequences * GRAINS / lengths:,.0f} (95 %)",
    ]
    return Plan(stages, predictions, [])
