"""Noise chosen against a mechanism instead of drawn: what it does with the worst luck, not with the usual.

Every law of the wall gives every value some probability, so nothing that a mechanism does under chosen noise is impossible,
and its budget must hold there too. Values are kept small enough for a mechanism to finish.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from seqveil.wall.noise import Law, Scale, Sigma

Temper = Literal["up", "down", "mixed", "still"]
TEMPERS: tuple[Temper, ...] = ("up", "mixed", "still", "down")


class Adversary:
    """Chosen noise. "up" lets everything pass with counts above the truth, where a unit's whole influence shows in the
    likelihood; "down" buries everything; "still" tells the truth; "mixed" does all of it at once, by its seed.
    """

    private = False
    kind = "chosen by the audit, NOT private"

    def __init__(self, temper: Temper, seed: int = 0, most: int = 60, crowd: int = 3) -> None:
        self._temper, self._most, self._crowd = temper, most, crowd
        self._random = np.random.default_rng(seed)

    def _values(self, law: Law, size: int) -> NDArray[np.int64]:
        reach = min(self._most, int(4 * law.value) + 2)
        if self._temper == "still":
            return np.zeros(size, np.int64)
        if self._temper != "mixed":
            return np.full(size, reach if self._temper == "up" else -reach, np.int64)
        menu = np.array([-reach, -1, 0, 1, 2, reach // 3, reach, reach])
        return np.asarray(self._random.choice(menu, size), np.int64)

    def laplace(self, scale: Scale, size: int) -> NDArray[np.int64]:
        return self._values(scale, size)

    def gaussian(self, sigma: Sigma, size: int) -> NDArray[np.int64]:
        return self._values(sigma, size)

    def beyond(self, law: Law, threshold: int, size: int) -> NDArray[np.int64]:
        return np.abs(self._values(law, size))

    def passing(self, law: Law, threshold: int, slots: int) -> int:
        if self._temper in ("down", "still"):
            return 0
        return min(slots, self._crowd if self._temper == "up" else int(self._random.integers(self._crowd + 1)))

    def distinct(self, k: int, n: int) -> NDArray[Any]:
        if n <= 10_000:
            return np.sort(self._random.choice(n, k, replace=False))
        return np.unique(self._random.integers(min(n, 2**30), size=4 * k))[:k]

    def below(self, n: int, size: int) -> NDArray[Any]:
        return np.asarray(self._random.integers(n, size=size), np.int64)

    def exponential(self, scores: NDArray[np.int64], rate: Fraction) -> int:
        return int(np.argmax(scores)) if self._temper in ("up", "still") else int(self._random.integers(len(scores)))

    def ladder(self, widths: NDArray[np.int64], scale: Scale) -> int:
        return int(self._values(scale, 1)[0]) if widths.any() else 0

    def overlap(self, ones: int, zeros: int, chosen: int, rate: Fraction) -> int:
        low, high = max(0, chosen - zeros), min(ones, chosen)
        return high if self._temper in ("up", "still") else int(self._random.integers(low, high + 1))
