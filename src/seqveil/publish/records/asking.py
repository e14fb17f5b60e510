"""Ask the wall, and keep the scale of the noise beside the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seqveil.wall import GRAINS, Wall

if TYPE_CHECKING:
    from seqveil.tables.units import Unit


@dataclass(frozen=True, slots=True, eq=False)
class Noisy:
    """Noisy counts, each with independent discrete Laplace noise of this scale."""

    answer: NDArray[np.int64]
    scale: float


def scale_of(question: Any, unit: Unit, grains: int) -> float:
    """The scale of the noise that a question gets for these grains."""
    return float(question.influence(unit)) * GRAINS / grains


def asked(wall: Wall, question: Any, grains: int) -> Noisy:
    """The noisy counts of a question."""
    return Noisy(wall.ask(question, grains), scale_of(question, wall.unit, grains))
