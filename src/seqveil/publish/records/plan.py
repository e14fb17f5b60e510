"""What a run of the record model will spend, and what noise its answers will have, from public parameters and a rough size."""

from __future__ import annotations

from math import sqrt

from seqveil.publish.average import average_label
from seqveil.publish.records.caps import Caps
from seqveil.publish.records.labels import most_symbols
from seqveil.publish.records.shares import ROUGH, Shares, bounds, in_measure, length_share, part, size_share
from seqveil.tables.units import Unit
from seqveil.wall import GRAINS, Measure, Plan, Sigma

USUAL_RECORDS = 20_000
"""Records, where no size is stated: shares depend on it a little."""


def planned(
    epsilon: int,
    choosing: int,
    l_max: int,
    l_most: int,
    n_max: int,
    labels: int,
    unit: Unit,
    records: int | None,
    measure: Measure,
    cap: int | None,
) -> Plan:
    """The stages with their amounts; shares that follow from noisy answers are shown as they would be for `records` records."""
    stages = [("choose l_max", choosing, f"a length among 1..{l_most}")] if choosing else []
    scale = _scale(unit, epsilon, measure)
    signal = max(records or USUAL_RECORDS, 1) / scale
    number = sum(part(epsilon, in_measure(share, measure)) for share in (ROUGH, size_share(signal)))
    lengths = part(epsilon, in_measure(length_share(signal), measure))
    strata = epsilon - choosing - number - lengths
    caps = Caps.of(cap, measure, labels, unit, signal)
    stages += [
        ("number of records", number, "how many records have at least one item"),
        ("lengths", lengths, f"records per length 1..{l_max}, and whether they end where they began"),
        ("strata", strata, "for each range of lengths: first and last labels, both, and n-grams"),
    ]
    label, pair = _noise(_scale(unit, strata, measure), l_max, n_max, labels, signal, measure, caps, unit)
    # 95 % of discrete Laplace noise lies within 3 scales, of discrete Gaussian noise within 2 σ, which are 2.8 scales.
    within = 3 * _scale(unit, number, measure)
    predictions = [
        f"number of records: noise within ±{within:,.0f} (95 %)",
        f"records of one length: noise within ±{5 * _scale(unit, lengths, measure):,.0f} (95 %)",
        f"single labels: noise within ±{label:,.0f} (95 %) before the model is fitted",
    ]
    if l_max > 1 and n_max > 1:
        predictions.append(f"pairs of labels: noise within ±{pair:,.0f} (95 %) before the model is fitted")
    if records is None:
        return Plan(stages, predictions, [])
    few = (
        f"the release may be empty, or have many times too many records: the number of records, {records:,}, has noise of "
        f"±{within:,.0f}. Use more ε."
    )
    return Plan(stages, [*predictions, *average_label(records, labels, l_max, label)], [few] if records < within else [])


def _scale(unit: Unit, amount: int, measure: Measure) -> float:
    """The scale of a count of sensitivity 1 per sequence; of Gaussian noise, that of Laplace noise as wide."""
    m = unit.sequences
    return m * GRAINS / amount if measure == "pure" else Sigma.of(m * m, amount).value / sqrt(2)


def _noise(
    scale: float, l_max: int, n_max: int, labels: int, signal: float, measure: Measure, caps: Caps, unit: Unit
) -> tuple[float, float]:
    """What the counts of a label and of a pair stay within in 95 of 100 runs: twice the deviation of a sum over strata.

    `scale` is that of a count of sensitivity 1 with all ε of a stratum. A label is counted by its own table and by the sums of
    the pairs, whose precisions add up.
    """
    symbols = min(labels, most_symbols(l_max))
    of_label = of_pair = 0.0
    for high in bounds(l_max, signal):
        shares = Shares.of(signal, labels, high, n_max - 1)
        if measure == "zcdp":
            shares = shares.in_rho(high, caps, unit)

        def variance(share: float, moved: float = 1.0, measure: Measure = measure) -> float:
            return 2 * (scale * moved / share) ** 2 if measure == "pure" else 2 * (scale * moved) ** 2 / share

        if high == 1:
            of_label += 2 * scale**2
        elif high == 2:
            trips = variance(shares.trips)
            of_label += 1 / (1 / (2 * symbols * trips) + 1 / (2 * variance(shares.ends)))
            of_pair += trips
        else:
            pairs = variance(shares.levels[0], (high - 1) * caps.gain(caps.windows, high - 1, unit))
            own = variance(shares.labels, high * caps.gain(caps.labels, high, unit))
            of_label += 1 / (1 / (symbols * pairs / 2) + 1 / own)
            of_pair += pairs
    return 2 * sqrt(of_label), 2 * sqrt(of_pair)
