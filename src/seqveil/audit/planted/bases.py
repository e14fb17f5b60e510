"""Itemsets by bases, done wrongly: docs/mechanisms/basis.md."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from seqveil.audit.planted.planting import Planted, both, raw, replaced, unchecked
from seqveil.bases import measuring
from seqveil.bases.bins import superset_sums
from seqveil.bases.live import Live, live_labels
from seqveil.engines.local.engine import LocalEngine
from seqveil.engines.protocol import Tally

_bins = LocalEngine.bins


def _supports_for_bins(engine: LocalEngine, table: Any, bases: Any) -> Tally:
    """A record is counted in the bins of all its subsets, 2^m of them, with noise for one."""
    counts = _bins(engine, table, bases).dense(sum(1 << len(basis) for basis in bases))
    parts = np.split(counts, np.cumsum([1 << len(basis) for basis in bases])[:-1])
    return Tally.of(np.concatenate([superset_sums(part) for part in parts]), len(bases))


def _labels_that_occur(wall: Any, *arguments: Any) -> Live:
    """The live labels are those that occur in the data: no count is released, so it looks harmless."""
    live = live_labels(wall, *arguments)
    labels = tuple(np.unique(raw(wall).flat.items).tolist())
    return replace(live, labels=labels, noisy=(live.threshold,) * len(labels))


BASES = [
    Planted(
        "bases of subsets",
        "docs/mechanisms/basis.md",
        "a record adds to the bins of all its subsets, as if supports were bins",
        "basis",
        "ClipFailed.*can add|times what it|distinguished by (error|stages)",
        replaced(LocalEngine, "bins", _supports_for_bins),
    ),
    Planted(
        "bases of subsets, unchecked",
        "docs/mechanisms/basis.md",
        "the same, and nobody looks",
        "basis",
        "times what it",
        lambda: both(unchecked, replaced(LocalEngine, "bins", _supports_for_bins)),
    ),
    Planted(
        "bases of labels that occur",
        "docs/mechanisms/basis.md; [Li 2012, §4] takes the basis from noisy answers",
        "the labels of a basis are those that occur in the data",
        "basis",
        "distinguished by|times what it|asked",
        replaced(measuring, "live_labels", _labels_that_occur),
    ),
]
