"""Noise drawn ahead, because single draws cost ten times as much as draws by the thousand."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqveil.wall.noise import Law, Noise, drawn
from seqveil.wall.process import Owned

AHEAD = 1024
"""Draws at a time, few enough that no compiled code is loaded for them (`digits.FEW`).

Noise does not depend on the data, so it does not matter when it is drawn, only that it is used once.
"""


class Pool(Owned):
    """Draws of one law, each handed out once; how they are asked for does not change their order."""

    _what = "pool of noise"

    def __init__(self, noise: Noise, law: Law) -> None:
        self._noise, self._law = noise, law
        self._drawn = drawn(noise, law, 0)  # no draw yet, but a sampler that cannot be loaded fails here, before the charge

    def take(self, count: int) -> NDArray[np.int64]:
        """The next `count` draws."""
        self._check_owner()
        missing = max(0, count - len(self._drawn))
        fresh = [drawn(self._noise, self._law, AHEAD) for _ in range(-(-missing // AHEAD))]
        ahead = np.concatenate([self._drawn, *fresh])
        self._drawn = ahead[count:]
        return ahead[:count]

    def _let_go(self) -> None:
        self._drawn = np.empty(0, np.int64)
