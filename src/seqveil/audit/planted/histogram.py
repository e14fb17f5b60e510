"""A flat histogram done wrongly: each takes away one thing that the proof of docs/mechanisms/histogram.md needs."""

from __future__ import annotations

from typing import Any

from seqveil.audit.planted.planting import Planted, both, replaced, unchecked
from seqveil.tables.units import Unit
from seqveil.wall import wall
from seqveil.wall.questions.ends import Trips
from seqveil.wall.questions.windows import Labels
from seqveil.wall.sparse import Survivors


def _one_item(question: Labels, unit: Unit) -> int:
    """As if a record had one label."""
    return unit.sequences


def _one_record(question: Trips, unit: Unit) -> int:
    """As if a user had one record."""
    return 1


def _occupied_only(counts: Any, fan_out: Any, scale: Any, threshold: Any, noise: Any, answered: Any = None) -> Survivors:
    """Noise on the cells that hold a record, and none on the others: what a GROUP BY with noise does."""
    noisy = counts.count + noise.laplace(scale, len(counts.count))
    return Survivors(counts.parent, counts.rank, noisy)


def _bug(name: str, what: str, shows: str, plant: Any) -> Planted:
    return Planted(name, "docs/mechanisms/histogram.md", what, "histogram", shows, plant)


HISTOGRAM = [
    _bug(
        "histogram of labels",
        "the table of labels has the noise of a record with one item",
        "ClipFailed.*(add more|can add)|distinguished by (error|stages)",
        replaced(Labels, "influence", _one_item),
    ),
    _bug(
        "histogram of labels, unchecked",
        "the table of labels has the noise of a record with one item, and nobody looks",
        "times what it|exact loss",
        lambda: both(unchecked, replaced(Labels, "influence", _one_item)),
    ),
    _bug(
        "histogram of users, unchecked",
        "pairs have the noise of one record of a user, not of m, and nobody looks",
        "times what it|exact loss",
        lambda: both(unchecked, replaced(Trips, "influence", _one_record)),
    ),
    _bug(
        "histogram without zeros",
        "cells that hold no record get no noise",
        "the public domain has|exact loss",
        replaced(wall, "survivors", _occupied_only),
    ),
]
