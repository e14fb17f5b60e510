"""What an N-gram release will look like, from public parameters and a rough size alone."""

from __future__ import annotations

from math import ceil

import numpy as np

from seqveil.publish.ngram.allocation import threshold
from seqveil.surface import parameter
from seqveil.tables.units import Unit
from seqveil.wall import GRAINS, Grams, Plan

USUAL_LENGTH = 5
"""Items of a record, where nothing but the number of records is said of the data."""

ACCURATE = 10
"""A count is called accurate from this many times its 95 % noise on."""


def predict(
    stages: list[tuple[str, int, str]],
    epsilon: int,
    l_max: int,
    levels: int,
    labels: int,
    unit: Unit,
    records: int | None,
) -> Plan:
    """The plan: its stages, the typical error of a count of the first level, and whether noise will swamp the data."""
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
    length = min(l_max, USUAL_LENGTH)
    average = records * length / labels
    predictions.append(f"with {records:,} records of about {length} items, an average label occurs about {average:,.0f} times")
    return Plan(stages, predictions, _swamped(average, noise, theta, labels, length))


def _swamped(average: float, noise: float, theta: float, labels: int, length: int) -> list[str]:
    """A warning where an average label does not stand out from its noise: too rare for the threshold, or not above the noise."""
    if average >= max(theta, noise):
        return []
    return [
        f"noise will swamp most of the data: an average label occurs about {average:,.0f} times, the noise is up to "
        f"±{noise:,.0f} and the threshold is {theta:,.0f}. Only labels far above average will appear. Use a smaller domain "
        f"(group labels), a smaller {parameter('l_max')} or more ε. To know an average label within ±{100 // ACCURATE} %, about "
        f"{ceil(ACCURATE * noise * labels / length):,} records are needed; longer n-grams need more."
    ]
