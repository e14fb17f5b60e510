"""Times in other spellings, read after a strptime pattern that the data holder gives."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.sources.zone import zone
from seqveil.tables.spans import Spans

_SAMPLE = datetime(2021, 11, 25, 13, 45, 56, 789_000, tzinfo=UTC)


def parse_pattern(spans: Spans, pattern: str, timezone: str = "UTC") -> NDArray[np.float64]:
    """Seconds since 1970 in UTC of times written after a strptime pattern; NaN for what does not fit.

    >>> parse_pattern(Spans.of(["03/04/2012 18:00", "2012"]), "%d/%m/%Y %H:%M").tolist()
    [1333476000.0, nan]
    """
    import polars as pl

    texts = pl.Series([spans.text(i) for i in range(len(spans.starts))], dtype=pl.String)
    times: Any = texts.str.to_datetime(pattern, strict=False, time_unit="us", exact=True, cache=True)
    seconds = times.dt.timestamp("us").cast(pl.Float64).fill_null(float("nan")).to_numpy() / 1e6
    if timezone != "UTC" and times.dtype.time_zone is None:
        finite = np.isfinite(seconds)
        seconds[finite] = zone(timezone).from_local(seconds[finite])
    return np.asarray(seconds, np.float64)


def pattern_reads(pattern: str) -> bool:
    """Whether a pattern can be used at all: what it has itself written, it must read as the same day.

    A pattern without a year would read every time into one made-up year, and order December before January.

    >>> pattern_reads("%d/%m/%Y %H:%M"), pattern_reads("%Q"), pattern_reads("%Y-%m-%d %H")
    (True, False, False)
    """
    import polars as pl

    try:
        written = pl.Series([_SAMPLE]).dt.strftime(pattern).item()
        return bool(abs(parse_pattern(Spans.of([written]), pattern)[0] - _SAMPLE.timestamp()) < 86400)  # NaN is not
    except pl.exceptions.PolarsError:
        return False
