"""Clock: one source's way of reading its time column, batch by batch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqveil.sources.layout import Layout
from seqveil.sources.patterns import parse_pattern
from seqveil.sources.times import parse_times
from seqveil.tables.spans import Numbering, Spans


class Clock:
    """Reads times as the layout says: each value on its own, after a pattern, or as text in the order of its bytes."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._texts = Numbering() if layout.time_format == "text" else None

    def read(self, spans: Spans) -> NDArray[np.float64]:
        """Sort keys of one batch, NaN for what is no time. Text gets provisional numbers until `settle`."""
        layout = self._layout
        if self._texts is not None:
            numbers = self._texts.number(spans)
            return np.where(numbers < 0, np.nan, numbers)
        if layout.time_format is not None:
            return parse_pattern(spans, layout.time_format, layout.timezone)
        return parse_times(spans, layout.time_unit, layout.timezone)

    def settle(self, seconds: NDArray[np.float64]) -> NDArray[np.float64]:
        """Final sort keys: a text's number becomes its rank, and the order of two texts depends on them alone."""
        if self._texts is None or not len(seconds):
            return seconds
        names = self._texts.names()
        ranks = np.empty(len(names), np.float64)
        ranks[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
        return ranks[seconds.astype(np.int64)]
