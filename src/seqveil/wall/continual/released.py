"""What comes through the wall for some consecutive events."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Released:
    """Noisy values of the stretches that ended: event `first + j` ends `ending[j]` of them, in order.

    `closed` events have a place and no answer: after a power loss nobody knows what was already said about them.
    """

    first: int
    ending: NDArray[np.int64]
    noisy: NDArray[np.int64]
    closed: bool = False

    def __len__(self) -> int:
        return len(self.ending)
