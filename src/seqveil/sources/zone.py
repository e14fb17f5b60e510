"""A time zone as two small tables, so that millions of times are shifted at once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

_FIRST = int(datetime(1900, 1, 1, tzinfo=UTC).timestamp())
_LAST = int(datetime(2100, 1, 1, tzinfo=UTC).timestamp())
_DAY = 86400
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Zone:
    """Offsets from UTC between 1900 and 2100; before and after, the nearest known one holds.

    >>> paris = zone("Europe/Paris")
    >>> summer = np.array([datetime(2026, 7, 1, 12, tzinfo=UTC).timestamp()])
    >>> (paris.to_local(summer) - summer).tolist(), paris.from_local(paris.to_local(summer)).tolist() == summer.tolist()
    ([7200.0], True)
    """

    def __init__(self, name: str) -> None:
        info = ZoneInfo(name)
        edges: list[int] = []
        offsets = [_offset(info, _FIRST)]
        for start in range(_FIRST, _LAST, _DAY):
            if _offset(info, start + _DAY) != offsets[-1]:
                edges.append(_edge(info, start, start + _DAY))
                offsets.append(_offset(info, start + _DAY))
        self._edges = np.array(edges, np.float64)
        self._offsets = np.array(offsets, np.float64)
        # a local time that comes twice is the first of the two; a skipped one is read with the offset before the jump
        self._local_edges = self._edges + np.maximum(self._offsets[:-1], self._offsets[1:])

    def to_local(self, seconds: NDArray[np.float64]) -> NDArray[np.float64]:
        """Wall-clock seconds of UTC seconds."""
        return seconds + self._offsets[np.searchsorted(self._edges, seconds, "right")]

    def from_local(self, seconds: NDArray[np.float64]) -> NDArray[np.float64]:
        """UTC seconds of wall-clock seconds."""
        return seconds - self._offsets[np.searchsorted(self._local_edges, seconds, "right")]


@lru_cache(maxsize=8)
def zone(name: str) -> Zone:
    """The zone of a name such as Europe/Paris."""
    return Zone(name)


def _offset(info: ZoneInfo, seconds: int) -> float:
    shift = (_EPOCH + timedelta(seconds=seconds)).astimezone(info).utcoffset()
    assert shift is not None
    return shift.total_seconds()


def _edge(info: ZoneInfo, low: int, high: int) -> int:
    """The first second in (low, high] with the offset of `high`."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _offset(info, middle) == _offset(info, high) else (middle, high)
    return high
