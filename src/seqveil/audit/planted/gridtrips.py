"""Trips over a grid done wrongly: each takes away one thing that the proof of docs/mechanisms/grid-trips.md needs."""

from __future__ import annotations

from typing import Any

import numpy as np

from seqveil.audit.planted.planting import Planted, both, replaced, unchecked
from seqveil.engines.local.engine import LocalEngine
from seqveil.engines.protocol import Tally
from seqveil.tables.units import Unit
from seqveil.wall.questions.steps import Steps

_steps = LocalEngine.steps


def _one_step(question: Steps, unit: Unit) -> int:
    """As if a record had one step."""
    return unit.sequences


def _one_record(question: Steps, unit: Unit) -> int:
    """As if a user had one record."""
    return question.most


def _every_step(engine: LocalEngine, table: Any, codes: Any, listed: Any, slots: int, most: int) -> Tally:
    """All steps of a record count, however many; what the engine reports of the heaviest record is cut to fit."""
    tally = _steps(engine, table, codes, listed, slots, np.iinfo(np.int64).max)
    return Tally(tally.index, tally.count, min(tally.heaviest or 0, most))


def _bug(name: str, what: str, shows: str, plant: Any) -> Planted:
    return Planted(name, "docs/mechanisms/grid-trips.md", what, "grid-trips", shows, plant)


GRID_TRIPS = [
    _bug(
        "steps of a grid",
        "steps between blocks have the noise of a record with one step",
        "ClipFailed.*(add more|can add)|distinguished by (error|stages)",
        replaced(Steps, "influence", _one_step),
    ),
    _bug(
        "steps of a grid, unchecked",
        "steps between blocks have the noise of a record with one step, and nobody looks",
        "times what it|exact loss",
        lambda: both(unchecked, replaced(Steps, "influence", _one_step)),
    ),
    _bug(
        "steps of users, unchecked",
        "steps between blocks have the noise of one record of a user, not of m, and nobody looks",
        "times what it|exact loss",
        lambda: both(unchecked, replaced(Steps, "influence", _one_record)),
    ),
    _bug(
        "steps without a cap, unchecked",
        "all steps of a record count, although the noise is that of a few, and nobody looks",
        "times what it|exact loss",
        lambda: both(unchecked, replaced(LocalEngine, "steps", _every_step)),
    ),
]
