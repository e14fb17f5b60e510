"""The discovery of labels done wrongly: thresholds that are too low, weights that are too large, labels that are too many."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from seqveil.audit.planted.planting import Plant, Planted, both, replaced, unchecked
from seqveil.engines.protocol import Uniform, Weighed
from seqveil.wall import threshold
from seqveil.wall.measures import guarantee
from seqveil.wall.measures.delta import PARTS
from seqveil.wall.measures.zcdp import rho_of
from seqveil.wall.noise import Sigma
from seqveil.wall.questions.weights import GRID, Weights

_threshold = threshold.threshold_of


def _of_one_label(sigma: Sigma, shares: Sequence[int], delta: int) -> int:
    """As if nobody had more than one label."""
    return _threshold(sigma, shares[:1], delta)


def _of_whole_delta(sigma: Sigma, shares: Sequence[int], delta: int) -> int:
    return _threshold(sigma, shares, 2 * delta)


def _in_floats(sigma: Sigma, shares: Sequence[int], delta: int) -> int:
    """The formula of the paper, in floats that are rounded down."""
    left = 1 - delta / PARTS
    return int(max(GRID / sqrt(t) + sigma.value * NormalDist().inv_cdf(left ** (1 / t)) for t in range(1, len(shares) + 1)))


def _of_the_tail_above(sigma: Sigma, shares: Sequence[int], delta: int) -> int:
    """The chance to be above the threshold is computed, and what reaches it passes."""
    return _threshold(sigma, shares, delta) - 1


def _not_normalised(self: Weights) -> list[int]:
    return [GRID] * self.most


def _all_labels(self: Weights, table: Any, unit: Any, uniform: Uniform) -> Weighed:
    """The weight of `most` labels, to each of however many there are."""
    from seqveil.engines.protocol import label_engine_of

    shares = self.shares()
    return label_engine_of(table).weights(table, np.array(shares + [shares[-1]] * 50, np.int64), uniform)


def _delta_twice(self: guarantee.Guarantee) -> int:
    """δ is spent on the threshold, and all of it again on the conversion."""
    return rho_of(self.epsilon, self.delta)


def _bug(name: str, what: str, shows: str, plant: Plant) -> Planted:
    return Planted(name, "docs/mechanisms/discover.md", what, "discover", shows, plant)


_CHANCE, _LOSS = "pass with probability", "exact loss"

DISCOVERIES = [
    _bug(
        "δ of one label",
        "δ is for one label, and a unit has several",
        _CHANCE,
        replaced(threshold, "threshold_of", _of_one_label),
    ),
    _bug(
        "δ of both",
        "the threshold spends the half of the conversion, too",
        _CHANCE,
        replaced(threshold, "threshold_of", _of_whole_delta),
    ),
    _bug(
        "δ in floats",
        "the threshold is computed in floats and rounded down",
        _CHANCE,
        replaced(threshold, "threshold_of", _in_floats),
    ),
    _bug(
        "δ of the tail above",
        "a weight at the threshold passes, and its probability is not counted (OpenDP #2922)",
        _CHANCE,
        replaced(threshold, "threshold_of", _of_the_tail_above),
    ),
    _bug(
        "δ forgotten",
        "all of δ is spent on the threshold, and all of it again on the conversion",
        "imply more than was stated",
        replaced(guarantee.Guarantee, "amount", property(_delta_twice)),
    ),
    _bug(
        "weights not normalised",
        "each label of a unit gets a weight of 1",
        "ClipFailed",
        replaced(Weights, "shares", _not_normalised),
    ),
    _bug(
        "weights not normalised, unchecked",
        "each label of a unit gets a weight of 1, and nobody looks",
        _LOSS,
        lambda: both(unchecked, replaced(Weights, "shares", _not_normalised)),
    ),
    _bug(
        "bound of labels forgotten",
        "a unit gives weight to all of its labels",
        "ClipFailed",
        replaced(Weights, "weigh", _all_labels),
    ),
    _bug(
        "bound of labels forgotten, unchecked",
        "a unit gives weight to all of its labels, and nobody looks",
        f"{_LOSS}|{_CHANCE}",
        lambda: both(unchecked, replaced(Weights, "weigh", _all_labels)),
    ),
]
