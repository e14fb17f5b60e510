"""grams.parquet: a gram table as columns that anyone can read, and back."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from seqveil.errors import CallError
from seqveil.release.answers import gaussian as normal
from seqveil.release.answers.intervals import variance
from seqveil.release.grams.table import GramTable
from seqveil.release.limits import refuse_odd_noise
from seqveil.release.parquet import Kind, label_codes

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain


def end_mark(domain: Domain) -> str:
    """How the end of a record is written: `&`, or more of them where the domain has a label `&` of its own."""
    mark = "&"
    while domain.code(mark) is not None:
        mark += "&"
    return mark


def to_columns(grams: GramTable, domain: Domain) -> pa.Table:
    """Columns gram, count, variance, noisy, scale (or sigma), threshold; the last four are null where a count was not asked."""
    end = len(domain)
    is_end = grams.symbols == end
    labels = domain.strings(np.where(is_end, 0, grams.symbols)).cast(pa.string())
    labels = pc.if_else(pa.array(is_end), pa.scalar(end_mark(domain)), labels)
    guessed = ~grams.measured
    return pa.table(
        {
            "gram": pa.ListArray.from_arrays(pa.array(grams.offsets.astype(np.int32)), labels),
            "count": grams.count,
            "variance": pa.array((normal.variance if grams.gaussian else variance)(grams.scale), mask=guessed),
            "noisy": pa.array(grams.noisy, mask=guessed),
            width(grams.gaussian): pa.array(grams.scale, mask=guessed),
            "threshold": pa.array(grams.threshold, mask=guessed),
        }
    )


def columns(gaussian: bool = False) -> dict[str, Kind]:
    """What a gram table is rebuilt from; `variance` follows from the width of the noise."""
    return {"gram": "labels", "count": "number", "noisy": "whole", width(gaussian): "number", "threshold": "whole"}


def width(gaussian: bool) -> str:
    """The name of the column that says how wide noise is."""
    return "sigma" if gaussian else "scale"


GAPS = ("noisy", "scale", "sigma", "threshold")
"""Columns that say nothing where a count was not asked."""


def from_columns(column: dict[str, Any], domain: Domain) -> GramTable:
    """The gram table that `to_columns` wrote; CallError when the columns hold no gram table over this domain."""
    gram, gaussian = column["gram"], width(gaussian=True) in column
    offsets = np.asarray(gram.offsets).astype(np.int64)
    symbols = _codes(gram, domain)
    if (symbols < 0).any():
        raise CallError("not a gram table: a label lies outside the domain.")
    grams = GramTable(
        symbols=symbols,
        offsets=offsets,
        parent=_parents(symbols, offsets),
        count=_plain(column["count"], np.float64),
        noisy=_plain(column["noisy"], np.int64),
        measured=np.asarray(column["noisy"].is_valid()),
        scale=_plain(column[width(gaussian)], np.float64),
        threshold=_plain(column["threshold"], np.int64),
        gaussian=gaussian,
    )
    refuse_odd_noise(grams.noisy, grams.scale, grams.threshold, grams.count)
    grams.check(end=len(domain))
    return grams


def _plain(array: Any, kind: type) -> NDArray[Any]:
    return np.asarray(array.fill_null(0)).astype(kind)


def _codes(lists: Any, domain: Domain) -> NDArray[np.int32]:
    """Codes of labels, the end included."""
    codes = label_codes(lists, domain)
    end = pc.equal(lists.values.dictionary, end_mark(domain)) if len(codes) else None
    is_end = np.asarray(end)[np.asarray(lists.values.indices)] if end is not None else np.zeros(0, np.bool_)
    return np.where(is_end, len(domain), codes).astype(np.int32)


def _parents(symbols: NDArray[np.int32], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The row of every gram's prefix; its own row, which no table allows, where there is none."""
    lengths = np.diff(offsets)
    parent = np.full(len(lengths), -1, np.int64)
    where = {symbols[a:b].tobytes(): row for row, (a, b) in enumerate(pairwise(offsets))}
    for row in np.flatnonzero(lengths > 1).tolist():
        parent[row] = where.get(symbols[offsets[row] : offsets[row + 1] - 1].tobytes(), row)
    return parent
