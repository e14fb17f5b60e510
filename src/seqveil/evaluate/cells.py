"""How close the cells of a histogram are to the true counts, and whether their error bars hold. INTERNAL: reads raw data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seqveil.evaluate.comparison import Grid, Metrics, number
from seqveil.release.histogram.axes import shape_of

if TYPE_CHECKING:
    from seqveil.release.histogram import HistogramRelease
    from seqveil.release.histogram.axes import Table
    from seqveil.tables.domain import Domain
    from seqveil.tables.flat import Flat

STRONGEST = 20
"""Relative errors are those of so many of the largest cells: of the others nobody expects a close count."""


def true_cells(table: Table, flat: Flat, domain: Domain, l_max: int) -> NDArray[np.int64]:
    """The true count of every cell of a table.

    >>> from seqveil.tables.domain import Domain
    >>> from seqveil.tables.flat import Flat
    >>> records, labels = Flat.of([[0, 1], [0], [0, 1, 1], []]), Domain.of(["a", "b"])
    >>> true_cells("od", records, labels, 2).tolist(), true_cells("length", records, labels, 2).tolist()
    ([[1, 2], [0, 0]], [1, 2])
    >>> true_cells("label", records, labels, 2).tolist()
    [3, 2]
    """
    shape = shape_of(table, domain, l_max)
    lengths = flat.lengths[flat.lengths > 0]
    if table == "length":
        return np.bincount(np.minimum(lengths, l_max) - 1, minlength=l_max)
    if table == "label":
        return np.bincount(flat.truncate(l_max).items, minlength=len(domain))
    first = flat.items[flat.offsets[:-1][flat.lengths > 0]].astype(np.int64)
    last = flat.items[flat.offsets[1:][flat.lengths > 0] - 1].astype(np.int64)
    bins = 1 if domain.calendar is None else len(domain.calendar)
    keys = {"first": first, "last": last, "hour": first % bins, "od": first // bins * shape[0] + last // bins}[table]
    return np.bincount(keys, minlength=int(np.prod(shape))).reshape(shape)


def measure_cells(release: HistogramRelease, flat: Flat) -> Metrics:
    """By table: errors of its cells, and the share whose interval covers the true count.

    Where a secret choice of a user's records was counted, true counts are unknown, and so is this share.
    """
    exact = release.manifest.whom.name == "record"
    return {table: _measured(release, table, flat, exact) for table in release.cells}


def largest_errors(release: HistogramRelease, table: Table, flat: Flat, k: int = STRONGEST) -> NDArray[np.float64]:
    """The relative errors of the k cells of a table with the largest true counts; those without any record are left out."""
    truth = true_cells(table, flat, release.domain, release.l_max).ravel()
    largest = np.argsort(-truth, kind="stable")[:k]
    largest = largest[truth[largest] > 0]
    return np.asarray(np.abs(release.cells[table].shown.ravel() - truth)[largest] / truth[largest])


def total_variation(release: HistogramRelease, table: Table, flat: Flat) -> float:
    """Of the shares of all cells of a table, as they are shown."""
    truth, shown = true_cells(table, flat, release.domain, release.l_max), release.cells[table].shown
    return float(np.abs(truth / max(truth.sum(), 1) - shown / max(shown.sum(), 1)).sum() / 2)


def _measured(release: HistogramRelease, table: Table, flat: Flat, exact: bool) -> dict[str, Any]:
    cells, truth = release.cells[table], true_cells(table, flat, release.domain, release.l_max)
    low, high = cells.intervals()
    errors = largest_errors(release, table, flat)
    return {
        "cells": cells.size,
        "error": float(np.abs(cells.shown - truth).mean()),
        "strongest_error": float(np.median(errors)) if len(errors) else 0.0,
        "total_variation": total_variation(release, table, flat),
        **({"covered": float(((low <= truth) & (truth <= high)).mean())} if exact else {}),
    }


def grid_of_cells(metrics: Metrics) -> Grid:
    """The metrics as a table for people."""
    header = ["table", "cells", "mean error", f"relative error, {STRONGEST} largest", "total variation", "intervals that cover"]
    rows = []
    for table, one in metrics["cells"].items():
        covered = number(one["covered"]) if "covered" in one else "–"
        errors = [number(one["error"], 2), number(one["strongest_error"]), number(one["total_variation"])]
        rows.append([table, number(one["cells"], 0), *errors, covered])
    remark = (
        "Error: what is shown, against the true count. Total variation: of the shares of all cells; 0 is best, and noise that is "
        "cut at 0 adds to it in tables with many empty cells. Intervals should cover in 0.95 of the cells or more."
    )
    return Grid(header, rows, remark)
