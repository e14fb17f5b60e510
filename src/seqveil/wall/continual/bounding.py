"""How many events of one user count on one day: the first few, and the others are null events.

Which events of a user's day are kept depends on that user and that day alone, and on the places of the events, not on what they
are: a null event uses up its place as any other. So replacing what one user's events of one day are changes at most `most` events
of the bounded stream, and none of anybody else's. (If null events did not count, the first events becoming null would make room
for later ones, and twice as many could change.) An event without a user or a day is null: nobody could count it. Users and
days are told apart by their spelling (`tables/spelling.py`): 5 and 5.0 are one user, who has one bound.

The numbers used so far are raw data and stay in this process. They are not in the state file: a stream that is resumed has to be
shown the owners of all earlier events again before it answers, or a user could start anew in the middle of a day. That holds for
events that a power failure lost, too: what was answered about them stays answered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError
from seqveil.surface import parameter
from seqveil.tables.spelling import spelling

Owner = tuple[object, object]
"""A user and a day."""


class DailyBound:
    """Lets the first `most` events of each user and day pass.

    >>> day = [("ann", "mon")] * 3 + [("bob", "mon"), (None, "mon")]
    >>> DailyBound(2).bounded(day, np.ones(5)).tolist()
    [1.0, 1.0, nan, 1.0, nan]
    """

    def __init__(self, most: int) -> None:
        self._most, self._used, self.seen = most, Counter[tuple[bytes, bytes]](), 0

    def bounded(self, owners: Sequence[Owner], values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The events that count; NaN for the others."""
        return np.where(np.array([self._counts(owner) for owner in owners], bool), values, np.nan)

    def check_seen(self, position: int) -> None:
        """Refuse to go on where events were answered whose owners are not known here."""
        if self.seen != position:
            raise CallError(
                f"this stream has a bound per user and day, and whose its first {position:,} events were is not known after a "
                f"restart: read the input from its first event ({parameter('from_start')}; in Python, `pass_over` those events)."
            )

    def _counts(self, owner: Owner) -> bool:
        self.seen += 1
        user, day = spelling(owner[0]), spelling(owner[1])
        if not user or not day:
            return False
        self._used[user, day] += 1
        return self._used[user, day] <= self._most
