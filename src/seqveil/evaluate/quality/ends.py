"""How far the released tables of first labels, last labels and pairs of both are from the truth themselves. INTERNAL.

Records cannot be better than what was measured, and drawing them should not make them worse: so the error of a table stands
beside the error of the records. A release that has no such tables has no such errors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from seqveil.evaluate.histogram import Histogram, apart
from seqveil.evaluate.shape import ends, starts, trips
from seqveil.release.model import RecordRelease
from seqveil.tables.flat import Flat


def table_errors(release: Any, cut: Flat, labels: int) -> dict[str, float]:
    """Total variation of each table against the truth: of its counts ("table"), and of its noisy answers above 0 ("noisy").

    Noisy answers are those of the rows that were measured. Empty where the release has no such tables.
    """
    if not isinstance(release, RecordRelease):
        return {}
    truths = {"first": starts(cut), "last": ends(cut), "trip": trips(cut, labels)}
    out: dict[str, float] = {}
    for (name, truth), rows in zip(truths.items(), (release.firsts, release.lasts, release.trips), strict=True):
        symbols = np.asarray(rows.symbols, np.int64)
        keys = symbols[0::2] * labels + symbols[1::2] if name == "trip" else symbols
        out[f"{name}_table"] = _against(truth, keys, rows.counted.count)
        asked = rows.counted.measured
        if asked.any():
            out[f"{name}_noisy"] = _against(truth, keys[asked], np.maximum(rows.counted.noisy[asked], 0))
    return out


def _against(truth: Histogram, keys: np.ndarray, weights: np.ndarray) -> float:
    """Total variation of weighted keys, each at most once, against the truth.

    >>> _against(Histogram.of(np.array([0, 0, 1, 2])), np.array([1, 0]), np.array([10.0, 10.0]))
    0.25
    """
    every = np.union1d(truth.keys, keys)
    theirs = np.zeros(len(every))
    theirs[np.searchsorted(every, keys)] = weights
    return apart(truth.at(every), theirs)
