"""The strongest long grams: what was measured well must stay well known. INTERNAL: compared with raw counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

import numpy as np
from numpy.typing import NDArray

from seqveil.evaluate.trie import occurrences
from seqveil.release.grams import GramRelease, GramTable
from seqveil.release.model import RecordRelease
from seqveil.tables.flat import Flat

if TYPE_CHECKING:
    from seqveil.evaluate.patterns import Patterns

STRONGEST, SHORTEST = 30, 3
"""How many, and from how many items on."""


def strong_errors(strong: Patterns, records: Flat, labels: int, release: object = None) -> dict[str, float]:
    """Mean |count − truth| over the strong grams: of the records, of `release.count`, and of the raw noisy answers.

    What the release says nothing about counts as 0. Not every gram was asked: the raw answers, and beside them records and
    counts again, are averaged over those `asked`, so that the three can be compared. Here (0, 0, 0) is 9 and once in the records.

    >>> strong_errors({(0, 0, 0): 9}, Flat.of([[0, 0, 0]]), labels=1)
    {'records': 8.0}
    """
    if not strong:
        return {}
    truth = np.array(list(strong.values()), np.float64)
    drawn = np.abs(occurrences(records, Flat.of(strong), labels) - truth)
    out = {"records": float(drawn.mean())}
    if not counts_occurrences(release):
        return out
    domain = release.domain
    counts = np.nan_to_num(np.array([release.count(domain.labels(gram)).value for gram in strong], np.float64))
    said = np.abs(counts - truth)
    out["count"] = float(said.mean())
    raw = raw_answers(release, strong)
    asked = ~np.isnan(raw)
    out["asked"] = float(asked.sum())
    if asked.any():
        out["noisy"] = float(np.abs(raw - truth)[asked].mean())
        out["records_asked"] = float(drawn[asked].mean())
        out["count_asked"] = float(said[asked].mean())
    return out


def counts_occurrences(release: object) -> TypeGuard[GramRelease | RecordRelease]:
    """Whether counts of the release are occurrences anywhere in a record; those of a prefix tree are about its beginning."""
    return isinstance(release, GramRelease | RecordRelease)


def raw_answers(release: GramRelease | RecordRelease, grams: Patterns) -> NDArray[np.float64]:
    """The noisy answers as they left the wall (of several strata: their sum); NaN where a gram was not asked, or is not there."""
    table = release.grams
    counted = table if isinstance(table, GramTable) else table.counted
    asked = np.flatnonzero(counted.measured)
    wanted = asked[np.isin(np.diff(table.offsets)[asked], [len(gram) for gram in grams])]
    answers = {
        gram: float(counted.noisy[row])
        for row in wanted.tolist()
        if (gram := tuple(table.symbols[table.offsets[row] : table.offsets[row + 1]].tolist())) in grams
    }
    return np.array([answers.get(gram, np.nan) for gram in grams])
