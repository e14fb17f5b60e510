"""The tables of a record model as columns that anyone can read, and back.

`count` is the number that is shown, `low` and `high` its 95 % confidence interval, `noisy` the sum of the noisy answers and
`scales` the scales of the discrete Laplace noises in it (`sigmas`: the σ of the discrete Gaussian ones, in releases with δ); the
last four are null where a row was not measured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from seqveil.errors import CallError
from seqveil.release.limits import refuse_beyond, refuse_odd_noise
from seqveil.release.model.tables import MOST_NOISES, Counted, SequenceCounts
from seqveil.release.parquet import Kind, label_codes

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain


def counted(gaussian: bool) -> dict[str, Kind]:
    """What counts are rebuilt from; `low` and `high` follow."""
    return {"count": "number", "noisy": "whole", widths(gaussian): "numbers"}


def widths(gaussian: bool) -> str:
    """The name of the column that says how wide noise is."""
    return "sigmas" if gaussian else "scales"


MOST_LAWS = 1000
"""Different combinations of scales in one file. A table has a few, and each costs a convolution."""

GAPS = ("noisy", "scales", "sigmas")
"""Columns that say nothing where a row was not measured."""


def counted_columns(rows: Counted) -> dict[str, Any]:
    """Columns count, low, high, noisy, scales (or sigmas)."""
    guessed = ~rows.measured
    low, high = rows.intervals(np.arange(len(rows)))
    return {
        "count": rows.count,
        "low": pa.array(low, mask=guessed),
        "high": pa.array(high, mask=guessed),
        "noisy": pa.array(rows.noisy, mask=guessed),
        widths(rows.gaussian): _lists(rows),
    }


def to_grams(grams: SequenceCounts, domain: Domain) -> pa.Table:
    """Columns gram and those of the counts."""
    labels = domain.strings(grams.symbols).cast(pa.string())
    lists = pa.ListArray.from_arrays(pa.array(grams.offsets.astype(np.int32)), labels)
    return pa.table({"gram": lists, **counted_columns(grams.counted)})


def to_labels(rows: SequenceCounts, domain: Domain, names: tuple[str, ...]) -> pa.Table:
    """One column of labels per name, and those of the counts."""
    matrix = rows.symbols.reshape(-1, len(names))
    labels = {name: domain.strings(matrix[:, k]).cast(pa.string()) for k, name in enumerate(names)}
    return pa.table({**labels, **counted_columns(rows.counted)})


def to_lengths(lengths: Counted) -> pa.Table:
    """Columns length and those of the counts."""
    return pa.table({"length": np.arange(1, len(lengths) + 1), **counted_columns(lengths)})


def from_grams(column: dict[str, Any], domain: Domain) -> SequenceCounts:
    """The n-grams that `to_grams` wrote."""
    offsets = np.asarray(column["gram"].offsets).astype(np.int64)
    return SequenceCounts(label_codes(column["gram"], domain), offsets, from_counted(column))


def from_labels(column: dict[str, Any], domain: Domain, names: tuple[str, ...]) -> SequenceCounts:
    """The rows that `to_labels` wrote."""
    matrix = np.stack([label_codes(column[name], domain) for name in names], axis=1)
    return SequenceCounts(matrix.ravel(), np.arange(len(matrix) + 1) * len(names), from_counted(column))


def from_lengths(column: dict[str, Any]) -> Counted:
    """The lengths that `to_lengths` wrote."""
    lengths = from_counted(column)
    lengths.check()
    if not np.array_equal(np.asarray(column["length"]), np.arange(1, len(lengths) + 1)):
        raise CallError("not a table of lengths: the lengths are not 1, 2, 3 and so on.")
    return lengths


def from_counted(column: dict[str, Any]) -> Counted:
    """The counts of a file; what no wall answers is refused."""
    gaussian = widths(gaussian=True) in column
    noisy, scales = column["noisy"], column[widths(gaussian)]
    measured = np.asarray(noisy.is_valid())
    law, laws = _laws(scales, measured)
    count = np.asarray(column["count"]).astype(np.float64)
    answers = np.asarray(noisy.fill_null(0)).astype(np.int64)
    every = np.array([s for combination in laws for s in combination], np.float64)
    refuse_odd_noise(answers, every, count=count)
    return Counted(count, answers, law, laws, gaussian)


def _lists(rows: Counted) -> Any:
    """The scales of every row as one list, null where it was not measured."""
    measured = rows.measured
    sizes = np.array([len(law) for law in rows.laws] + [0], np.int64)[rows.law]
    offsets = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    every = np.array([s for law in rows.laws for s in law], np.float64)
    starts = np.cumsum([0, *map(len, rows.laws)])[rows.law]
    where = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], sizes)
    return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), pa.array(every[where]), mask=pa.array(~measured))


def _laws(lists: Any, measured: NDArray[np.bool_]) -> tuple[NDArray[np.int32], tuple[tuple[float, ...], ...]]:
    """The number of every row's combination of scales, and the combinations; -1 where a row was not measured."""
    offsets, values = np.asarray(lists.offsets).astype(np.int64), lists.values
    sizes = np.diff(offsets)
    if (np.asarray(lists.is_valid()) != measured).any():
        raise CallError("not a table of counts: an answer has no scales, or scales have no answer.")
    if (measured & ((sizes < 1) | (sizes > MOST_NOISES))).any():
        raise CallError(f"not a table of counts: an answer does not have 1 to {MOST_NOISES} scales.")
    distinct, code = np.unique(np.asarray(values).astype(np.float64), return_inverse=True)
    rows = np.flatnonzero(measured)
    number = np.zeros(len(rows), np.int64)
    for place in range(int(sizes[rows].max(initial=0))):
        inside = sizes[rows] > place
        here = np.zeros(len(rows), np.int64)  # 0 for rows that end before
        here[inside] = code[offsets[rows[inside]] + place] + 1
        number = np.unique(number * (len(distinct) + 1) + here, return_inverse=True)[1]
    _, first, number = np.unique(number, return_index=True, return_inverse=True)
    refuse_beyond("number of different combinations of scales", len(first), MOST_LAWS)
    law = np.full(len(sizes), -1, np.int32)
    law[rows] = number
    chosen = rows[first]
    return law, tuple(tuple(distinct[code[offsets[row] : offsets[row + 1]]].tolist()) for row in chosen.tolist())
