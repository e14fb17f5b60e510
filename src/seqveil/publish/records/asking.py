"""Ask the wall, and keep the scale of the noise beside the answer."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seqveil.wall import GRAINS, Wall

if TYPE_CHECKING:
    from seqveil.tables.units import Unit


@dataclass(frozen=True, slots=True, eq=False)
class Noisy:
    """Noisy counts, each with independent discrete Laplace noise of this scale.

    With a `threshold`, counts that came out below it were not given: they are 0 here.
    """

    answer: NDArray[np.int64]
    scale: float
    threshold: int | None = None

    @property
    def given(self) -> NDArray[np.bool_]:
        """Which counts were given."""
        if self.threshold is None:
            return np.ones(len(self.answer), np.bool_)
        return self.answer >= self.threshold


def scale_of(question: Any, unit: Unit, grains: int) -> float:
    """The scale of the noise that a question gets for these grains."""
    return float(question.influence(unit)) * GRAINS / grains


MOST_WRITTEN = 20_000
"""Tables of more labels than this are not written down: only what stands out from the noise of all of them is given, so that the
cost follows the data and not the list of labels, and with secure noise a run takes no longer than seconds."""

FALSE = 2.0
"""So many empty labels pass the threshold of a table, on average."""


def asked_labels(wall: Wall, question: Any, grains: int) -> Noisy:
    """The noisy counts of a question with one slot per label of the domain."""
    labels = question.slots(len(wall.domain))
    if labels <= MOST_WRITTEN:
        return asked(wall, question, grains)
    scale = scale_of(question, wall.unit, grains)
    threshold = max(ceil(scale * log(labels / (2 * FALSE))), 1)
    slots, noisy = wall.ask_above(question, grains, threshold)
    answer = np.zeros(labels, np.int64)
    answer[slots.astype(np.int64)] = noisy
    return Noisy(answer, scale, threshold)


def asked(wall: Wall, question: Any, grains: int) -> Noisy:
    """The noisy counts of a question."""
    return Noisy(wall.ask(question, grains), scale_of(question, wall.unit, grains))
