"""The laws of noise on a count, and one way to draw from whichever it is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqveil.wall.noise.protocol import Law, Noise
from seqveil.wall.noise.sigma import Sigma


def drawn(noise: Noise, law: Law, size: int) -> NDArray[np.int64]:
    """Independent draws of noise of this law."""
    return noise.gaussian(law, size) if isinstance(law, Sigma) else noise.laplace(law, size)
