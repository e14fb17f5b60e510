"""patterns.parquet: a pattern table as columns that anyone can read, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from seqveil.errors import CallError
from seqveil.release.answers.intervals import interval
from seqveil.release.grams.columns import width
from seqveil.release.limits import refuse_odd_noise
from seqveil.release.parquet import Kind, label_codes
from seqveil.release.patterns.table import PatternTable

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain


def to_columns(patterns: PatternTable, domain: Domain) -> pa.Table:
    """Columns pattern, count, low, high (95 %), noisy, scale (or sigma), threshold."""
    labels = domain.strings(patterns.symbols).cast(pa.string())
    guessed = np.isinf(patterns.scale)
    low, high = interval(patterns.noisy, np.where(guessed, 0.0, patterns.scale), patterns.threshold, gaussian=patterns.gaussian)
    return pa.table(
        {
            "pattern": pa.ListArray.from_arrays(pa.array(patterns.offsets.astype(np.int32)), labels),
            "count": patterns.count,
            "low": pa.array(low, mask=guessed),
            "high": pa.array(high, mask=guessed),
            "noisy": patterns.noisy,
            width(patterns.gaussian): patterns.scale,
            "threshold": patterns.threshold,
        }
    )


def columns(gaussian: bool = False) -> dict[str, Kind]:
    """What a pattern table is rebuilt from; the bars follow from it."""
    return {"pattern": "labels", "count": "number", "noisy": "whole", width(gaussian): "number", "threshold": "whole"}


def from_columns(column: dict[str, Any], domain: Domain) -> PatternTable:
    """The pattern table that `to_columns` wrote; CallError when the columns hold none over this domain."""
    codes, gaussian = label_codes(column["pattern"], domain), width(gaussian=True) in column
    if (codes < 0).any():
        raise CallError("not a pattern table: a label lies outside the domain.")
    patterns = PatternTable(
        symbols=codes,
        offsets=np.asarray(column["pattern"].offsets).astype(np.int64),
        count=np.asarray(column["count"]).astype(np.float64),
        noisy=np.asarray(column["noisy"]).astype(np.int64),
        scale=np.asarray(column[width(gaussian)]).astype(np.float64),
        threshold=np.asarray(column["threshold"]).astype(np.int64),
        gaussian=gaussian,
    )
    unmeasured = np.isposinf(patterns.scale)  # an infinite scale says that nothing is known of the error
    refuse_odd_noise(patterns.noisy, np.where(unmeasured, 0.0, patterns.scale), patterns.threshold, patterns.count)
    patterns.check(len(domain))
    return patterns
