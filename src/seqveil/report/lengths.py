"""How long records are: columns for the page, of the synthetic records and, with raw data, of the originals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from seqveil.tables.flat import Flat

MOST = 24
"""So many columns fit on a phone; longer records share the last one."""


def columns(synthetic: Flat, truth: Flat | None = None) -> dict[str, Any]:
    """Shares of the records per length, and their height in the picture.

    >>> from seqveil.tables.flat import Flat
    >>> [(c["name"], c["synthetic"]) for c in columns(Flat.of([[0], [0, 0], [0, 1], [1, 1]]))["columns"]]
    [('1', 0.25), ('2', 0.75)]
    """
    longest = int(max(synthetic.lengths.max(initial=1), 1))
    if truth is not None:
        longest = max(longest, int(np.quantile(truth.lengths, 0.99)) if len(truth) else 1)
    shown = min(longest, MOST)
    ours = _shares(synthetic, shown)
    theirs = _shares(truth, shown) if truth is not None else None
    axis = max(float(ours.max()), float(theirs.max()) if theirs is not None else 0.0) or 1.0
    open_end = longest > MOST or truth is not None
    shares = []
    for i in range(shown):
        name = f"{i + 1}+" if open_end and i == shown - 1 else f"{i + 1}"
        shares.append({"name": name, "synthetic": float(ours[i]), "original": None if theirs is None else float(theirs[i])})
    return {"columns": shares, "axis": axis, "mean": _mean(synthetic), "true_mean": None if truth is None else _mean(truth)}


def _shares(flat: Flat, shown: int) -> NDArray[np.float64]:
    lengths = flat.lengths[flat.lengths > 0]
    counted = np.bincount(np.minimum(lengths, shown), minlength=shown + 1)[1 : shown + 1]
    return np.asarray(counted / max(len(lengths), 1))


def _mean(flat: Flat) -> float:
    return float(flat.lengths.mean()) if len(flat) else 0.0
