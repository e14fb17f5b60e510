"""sets.parquet: a table of sets as columns that anyone can read, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from seqveil.errors import CallError
from seqveil.release.answers.intervals import variance
from seqveil.release.limits import MOST_ITEMS, refuse_beyond, refuse_odd_noise
from seqveil.release.parquet import Kind, label_codes
from seqveil.release.sets.table import SetCounts
from seqveil.tables.flat import Flat

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain


def to_columns(sets: SetCounts, domain: Domain) -> pa.Table:
    """Columns set, count (never negative), variance, noisy, scale, threshold."""
    labels = domain.strings(sets.flat.items)
    return pa.table(
        {
            "set": pa.LargeListArray.from_arrays(pa.array(sets.flat.offsets), labels),
            "count": sets.copies,
            "variance": variance(sets.scale),
            "noisy": sets.noisy,
            "scale": sets.scale,
            "threshold": sets.threshold,
        }
    )


COLUMNS: dict[str, Kind] = {"set": "labels", "noisy": "whole", "scale": "number", "threshold": "whole"}
"""What a table of sets is rebuilt from."""


def from_columns(column: dict[str, Any], domain: Domain) -> SetCounts:
    """The table that `to_columns` wrote; CallError when the columns hold no sets over this domain."""
    items = label_codes(column["set"], domain)
    if (items < 0).any():
        raise CallError("not a table of sets: a label lies outside the domain.")
    sets = SetCounts(
        Flat(items, np.asarray(column["set"].offsets).astype(np.int64)),
        np.asarray(column["noisy"]).astype(np.int64),
        np.asarray(column["scale"]).astype(np.float64),
        np.asarray(column["threshold"]).astype(np.int64),
    )
    refuse_odd_noise(sets.noisy, sets.scale, sets.threshold)
    sets.check(len(domain))
    records = sets.copies.sum(dtype=np.float64)
    refuse_beyond("number of records that the sets stand for", int(records), MOST_ITEMS)
    return sets
