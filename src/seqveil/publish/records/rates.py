"""Counts of grams under a fitted stratum: its target where it has one, else the count of the shorter gram times its rate."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqveil.models.records.stratum import Stratum


def gram_counts(model: Stratum, grams: NDArray[np.int32]) -> NDArray[np.float64]:
    """How often each gram occurs. Along a gram the walk knows whether the state that it is in is the whole gram so far; where
    it is not, the next label follows as often as it follows that state."""
    states = model.states
    depth = states.depth
    state = grams[:, 0].astype(np.int64)
    count = model.label[state]
    occurs = model.label.copy()  # of every state, as a gram
    longer = np.flatnonzero(states.prefix >= 0)
    occurs = np.concatenate([occurs, model.total[states.prefix[longer], states.spelled[longer, -1]]])
    for k in range(1, grams.shape[1]):
        x = grams[:, k].astype(np.int64)
        whole = depth[state] == k
        rate = model.total[state, x] / np.maximum(occurs[state], 1e-9)
        count = np.where(whole, model.total[state, x], count * np.minimum(rate, 1.0))
        state = states.step[state, x].astype(np.int64)
    return count
