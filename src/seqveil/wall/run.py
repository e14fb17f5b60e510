"""Running a mechanism against a table: the wall is opened, the mechanism asks, the release is sealed with the facts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from seqveil.tables.units import Unit, User
from seqveil.wall.budget import decimal
from seqveil.wall.facts import Facts, StageFacts
from seqveil.wall.mechanism import Mechanism, Sealed
from seqveil.wall.noise import Noise
from seqveil.wall.wall import Wall

R = TypeVar("R", bound=Sealed)


def open_wall(table: Any, unit: Unit, epsilon: int, noise: Noise, on_stage: Callable[[str], None] = lambda name: None) -> Wall:
    """A wall before a table whose units own no more than the unit allows."""
    if isinstance(unit, User):
        table = table.bounded(unit.max_sequences, lambda n: _keys(noise, n))
    return Wall(table, unit, epsilon, noise, on_stage)


def perform(
    mechanism: Mechanism[R],
    table: Any,
    unit: Unit,
    epsilon: int,
    noise: Noise,
    on_stage: Callable[[str], None] = lambda name: None,
) -> R:
    """Run a mechanism and seal its release. Charges no ledger: that is the lifecycle's business."""
    wall = open_wall(table, unit, epsilon, noise, on_stage)
    release = mechanism.run(wall)
    wall.close()
    release.seal(
        Facts(
            mechanism=mechanism.name,
            version=mechanism.version,
            paper=mechanism.paper,
            parameters=mechanism.parameters(),
            epsilon=decimal(epsilon),
            unit=unit,
            domain=wall.domain,
            noise=noise.kind,
            private=noise.private,
            unused=decimal(epsilon - wall.used),
            stages=[StageFacts.of(line) for line in wall.bill],
        )
    )
    return release


def _keys(noise: Noise, n: int) -> NDArray[np.uint64]:
    """Uniform keys by which every user's sequences are drawn; equal keys are too rare to matter and harm nobody."""
    return np.asarray(noise.below(2**61, n), np.uint64)
