"""Noise on every itemset: exact without noise, complete, and refused where there are too many itemsets."""

from __future__ import annotations

import pytest

import seqveil as sv
from seqveil.errors import CallError
from seqveil.tables.flat import Flat
from seqveil.tables.sets import SetTable


def table(sets: list[list[int]], labels: int) -> SetTable:
    return SetTable(sv.Domain.range(0, labels - 1), Flat.of(sets))


def released(release: sv.release.SetRelease) -> dict[tuple[int, ...], int]:
    return {tuple(codes.tolist()): int(n) for codes, n in zip(release.sets.flat, release.sets.copies, strict=True) if n}


def test_itemset_noise_tells_every_set() -> None:
    """All 2^|I| − 1 counts, exact without noise; above 20 labels refused with the way out."""
    release = sv.experiment(table([[0], [0, 2], [0, 2]], 3), sv.ItemsetNoise(), "1.0", seed=None)

    assert 7 == len(release.sets)
    assert {(0,): 1, (0, 2): 2} == released(release)
    assert release.complete
    with pytest.raises(CallError, match="use the method diffpart"):
        sv.experiment(table([[0]], 21), sv.ItemsetNoise(), "1.0", seed=1)
