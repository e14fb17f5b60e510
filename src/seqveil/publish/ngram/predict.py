"""What an N-gram release will look like, from public parameters and a rough size alone."""

from __future__ import annotations

import numpy as np

from seqveil.publish.ngram.allocation import threshold
from seqveil.tables.units import Unit
from seqveil.wall import Grams, Plan


def predict(
    stages: list[tuple[str, int, str]],
    epsilon: int,
    l_max: int,
    levels: int,
    labels: int,
    unit: Unit,
    records: int | None,
) -> Plan:
    """The plan: stages as given, the typical error of a first-level count, and whether noise will swamp the data."""
    influence = Grams(l_max).influence(unit)
    share = epsilon // levels
    if share == 0:
        return Plan(stages, [], [f"ε is too small to divide over {levels} levels: nothing could be released."])
    scale = influence * 10**12 / share
    theta = float(threshold(influence, labels, np.array([share]))[0])
    predictions = [
        f"single labels: noise of ±{3 * scale:,.0f} (95 %), kept from a noisy count of {theta:,.0f} on",
        f"one {unit.name} can move counts by at most {influence:,} in all",
    ]
    warnings: list[str] = []
    if records is None:
        return Plan(stages, predictions, warnings)
    average = records * min(l_max, 5) / labels
    predictions.append(f"with {records:,} records a label occurs about {average:,.0f} times")
    if average < theta:
        need = int(np.ceil(records * theta / max(average, 1e-9)))
        warnings.append(
            f"noise will swamp most of the data: with {records:,} records over {labels:,} labels an average label stays "
            f"below the threshold of {theta:,.0f}. Only labels far above average will appear. A smaller domain (group labels), "
            f"a smaller l_max, a larger ε, or about {need:,} records would help."
        )
    return Plan(stages, predictions, warnings)
