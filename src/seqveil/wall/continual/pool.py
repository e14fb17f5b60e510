"""Noise drawn ahead, because single draws cost ten times as much as draws by the thousand."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqveil.wall.noise import Noise, Scale
from seqveil.wall.process import Owned

AHEAD = 1024
"""Draws at a time, few enough that no compiled code is loaded for them (`digits.FEW`).

Noise does not depend on the data, so it does not matter when it is drawn, only that it is used once.
"""


class Pool(Owned):
    """Discrete Laplace draws of one scale, each handed out once; how they are asked for does not change their order."""

    _what = "pool of noise"

    def __init__(self, noise: Noise, scale: Scale) -> None:
        self._noise, self._scale = noise, scale
        self._drawn = noise.laplace(scale, 0)  # no draw yet, but a sampler that cannot be loaded fails here, before the charge

    def take(self, count: int) -> NDArray[np.int64]:
        """The next `count` draws."""
        self._check_owner()
        missing = max(0, count - len(self._drawn))
        fresh = [self._noise.laplace(self._scale, AHEAD) for _ in range(-(-missing // AHEAD))]
        drawn = np.concatenate([self._drawn, *fresh])
        self._drawn = drawn[count:]
        return drawn[:count]

    def _let_go(self) -> None:
        self._drawn = np.empty(0, np.int64)
