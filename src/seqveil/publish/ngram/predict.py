"""What an N-gram release will look like, from public parameters and a rough size alone."""

from __future__ import annotations

import numpy as np

from seqveil.publish.average import average_label
from seqveil.publish.ngram.allocation import threshold
from seqveil.tables.units import Unit
from seqveil.wall import GRAINS, Grams, Plan


def predict(
    stages: list[tuple[str, int, str]],
    epsilon: int,
    l_max: int,
    levels: int,
    labels: int,
    unit: Unit,
    records: int | None,
) -> Plan:
    """The plan: its stages, the typical error of a count of the first level, and how many records an average label needs.

    Whether the release will be of use depends on how labels are distributed, which a formula cannot say: `seqveil.planning` does.
    """
    influence = Grams(l_max).influence(unit)
    share = epsilon // levels
    if share == 0:
        return Plan(stages, [], [f"ε is too small to be divided over {levels} levels: nothing could be released. Give more ε."])
    noise = 3 * influence * GRAINS / share
    theta = float(threshold(influence, labels, np.array([share]))[0])
    predictions = [
        f"single labels: noise within ±{noise:,.0f} (95 %); kept if the noisy count is at least {theta:,.0f}",
        f"sensitivity (L1): one {unit.name} changes all counts together by at most {influence:,}",
    ]
    if records is None:
        return Plan(stages, predictions, [])
    return Plan(stages, [*predictions, *average_label(records, labels, l_max, noise)], [])
