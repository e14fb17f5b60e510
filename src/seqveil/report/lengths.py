"""How long records are: columns for the page, of the release and, with raw data, of the originals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from seqveil.tables.flat import Flat

MOST = 24
"""So many columns fit on a phone; longer records share the last one."""


def columns(counts: dict[int, float], truth: Flat | None = None) -> dict[str, Any]:
    """Shares of the records per length, and their height in the picture; `counts` are the records of every length.

    >>> shown = columns({1: 1.0, 2: 3.0})
    >>> [(c["name"], c["synthetic"]) for c in shown["columns"]], shown["mean"]
    ([('1', 0.25), ('2', 0.75)], 1.75)
    """
    longest = max((n for n, count in counts.items() if count > 0), default=1)
    if truth is not None:
        longest = max(longest, int(np.quantile(truth.lengths, 0.99)) if len(truth) else 1)
    shown = min(longest, MOST)
    original = None if truth is None else of_records(truth)
    ours, theirs = _shares(counts, shown), None if original is None else _shares(original, shown)
    axis = max([*ours, *(theirs or [])]) or 1.0
    open_end = longest > MOST or truth is not None
    shares = []
    for i in range(shown):
        name = f"{i + 1}+" if open_end and i == shown - 1 else f"{i + 1}"
        shares.append({"name": name, "synthetic": ours[i], "original": None if theirs is None else theirs[i]})
    return {"columns": shares, "axis": axis, "mean": _mean(counts), "true_mean": None if original is None else _mean(original)}


def of_records(flat: Flat) -> dict[int, float]:
    """How many records have so many items; empty ones are not counted.

    >>> from seqveil.tables.flat import Flat
    >>> of_records(Flat.of([[0], [0, 0], [], [1, 1]]))
    {1: 1.0, 2: 2.0}
    """
    lengths, counts = np.unique(flat.lengths[flat.lengths > 0], return_counts=True)
    return dict(zip(lengths.tolist(), counts.astype(np.float64).tolist(), strict=True))


def _shares(counts: dict[int, float], shown: int) -> list[float]:
    """One share per column; longer records are in the last one."""
    shares, every = [0.0] * shown, max(sum(counts.values()), 1.0)
    for n, count in counts.items():
        shares[min(n, shown) - 1] += count / every
    return shares


def _mean(counts: dict[int, float]) -> float:
    return sum(n * count for n, count in counts.items()) / max(sum(counts.values()), 1.0)
