"""Public times for records that have none: process miners refuse a log without timestamps.

Every record begins at the same moment and has one item per minute. Both are fixed and the same for every release: the times say
in which order the items of a record stand, and nothing else. They come from no data.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
"""When every record begins."""

STEP = timedelta(minutes=1)
"""From one item of a record to the next."""


@cache
def _minutes(thousand: int) -> tuple[str, ...]:
    return tuple((EPOCH + n * STEP).isoformat() for n in range(1000 * thousand, 1000 * (thousand + 1)))


def moment(position: int) -> str:
    """The time of the item at a position, counted from 0.

    >>> moment(0), moment(61)
    ('2000-01-01T00:00:00+00:00', '2000-01-01T01:01:00+00:00')
    """
    return _minutes(position // 1000)[position % 1000]
