"""The last events of a stream."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", bound=np.generic)


class Ring(Generic[Number]):
    """Remembers as many of the last values as later windows of `width` values can reach: width − 1.

    >>> ring = Ring(3, np.int64)
    >>> ring.extended(np.array([1, 2, 3, 4])).tolist(), ring.extended(np.array([5])).tolist()
    ([1, 2, 3, 4], [3, 4, 5])
    """

    def __init__(self, width: int, kind: type[Number]) -> None:
        self._reach = width - 1
        self._last: NDArray[Number] = np.empty(0, kind)

    def extended(self, values: NDArray[Number]) -> NDArray[Number]:
        """What was remembered, followed by the new values."""
        joined = np.concatenate([self._last, values])
        self._last = joined[len(joined) - min(len(joined), self._reach) :].copy()
        return joined
