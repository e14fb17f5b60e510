"""What an N-gram release will look like, from public parameters and a rough size alone."""

from __future__ import annotations

import numpy as np

from seqveil.publish.average import average_label
from seqveil.publish.ngram.allocation import InL2, threshold
from seqveil.tables.units import Unit
from seqveil.wall import GRAINS, Grams, Plan, Sigma


def predict(
    stages: list[tuple[str, int, str]],
    epsilon: int,
    kind: Grams,
    levels: int,
    labels: int,
    unit: Unit,
    records: int | None,
    square: int | None = None,
) -> Plan:
    """The plan: its stages, the typical error of a count of the first level, and how many records an average label needs.

    With the `square` that a unit moves counts by in L2², `epsilon` is an amount of ρ, and noise is Gaussian. Whether the
    release will be of use depends on how labels are distributed, which a formula cannot say: `seqveil.planning` does.
    """
    influence = kind.influence(unit)
    share = epsilon // levels
    if share == 0:
        return Plan(stages, [], [f"ε is too small to be divided over {levels} levels: nothing could be released. Give more ε."])
    noise = 3 * influence * GRAINS / share if square is None else 2 * Sigma.of(square, share).value
    theta = float(threshold(influence if square is None else InL2(square), labels, np.array([share]))[0])
    predictions = [
        f"single labels: noise within ±{noise:,.0f} (95 %); kept if the noisy count is at least {theta:,.0f}",
        f"sensitivity (L1): one {unit.name} changes all counts together by at most {influence:,}",
    ]
    if square is not None:
        predictions.append(f"sensitivity (L2): the same {unit.name} moves them by at most {square**0.5:,.1f}")
    if records is None:
        return Plan(stages, predictions, [])
    return Plan(stages, [*predictions, *average_label(records, labels, kind.l_max, noise)], [])
