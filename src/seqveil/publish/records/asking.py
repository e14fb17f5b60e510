"""Ask the wall, and keep the noise beside the answer."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from seqveil.wall import GRAINS, Wall


@dataclass(frozen=True, slots=True, eq=False)
class Noisy:
    """Noisy counts, each with independent noise of this scale: discrete Laplace, or discrete Gaussian with σ = √2 · scale.

    So the variance is 2 · scale² in either. With a `threshold`, counts that came out below it were not given: they are 0 here.
    """

    answer: NDArray[np.int64]
    scale: float
    threshold: int | None = None
    gaussian: bool = False

    @property
    def given(self) -> NDArray[np.bool_]:
        """Which counts were given."""
        if self.threshold is None:
            return np.ones(len(self.answer), np.bool_)
        return self.answer >= self.threshold

    @property
    def width(self) -> float:
        """What a release states of the noise: the scale of discrete Laplace noise, σ of discrete Gaussian noise."""
        return self.scale * sqrt(2) if self.gaussian else self.scale

    @property
    def clear(self) -> float:
        """What two empty counts of the table reach, on average."""
        return clear_of(self.scale, len(self.answer), self.gaussian)


def clear_of(scale: float, counts: int, gaussian: bool) -> float:
    """What the noise of `FALSE` empty counts among so many reaches, on average. Gaussian noise has a shorter tail.

    >>> round(clear_of(10.0, 4000, gaussian=False)), round(clear_of(10.0, 4000, gaussian=True))
    (69, 47)
    """
    if not gaussian:
        return float(scale * np.log(max(counts / (2 * FALSE), 2.0)))
    return float(scale * sqrt(2) * -ndtri(min(FALSE / counts, 0.25)))


def scale_of(wall: Wall, question: Any, grains: int) -> float:
    """The scale of the noise that a question gets for these grains; of Gaussian noise, that of Laplace noise as wide."""
    if wall.measure == "pure":
        return float(question.influence(wall.unit)) * GRAINS / grains
    return wall.law(question, grains).value / sqrt(2)


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
    scale, gaussian = scale_of(wall, question, grains), wall.measure == "zcdp"
    threshold = max(ceil(clear_of(scale, labels, gaussian)), 1)
    slots, noisy = wall.ask_above(question, grains, threshold)
    answer = np.zeros(labels, np.int64)
    answer[slots.astype(np.int64)] = noisy
    return Noisy(answer, scale, threshold, gaussian)


def asked(wall: Wall, question: Any, grains: int) -> Noisy:
    """The noisy counts of a question."""
    scale = scale_of(wall, question, grains)
    return Noisy(wall.ask(question, grains), scale, gaussian=wall.measure == "zcdp")
