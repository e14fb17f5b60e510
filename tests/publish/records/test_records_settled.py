"""Labels that all tables together show to be absent do not keep what the posterior means of every table leave them."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

from seqveil.publish.records import labels
from seqveil.publish.records.asking import Noisy
from seqveil.publish.records.labels import Part, choose_labels, fit_labels
from seqveil.publish.records.shares import Shares

LABELS, THERE, RECORDS = 60, 20, 2000


def strata(seed: int) -> list[Part]:
    """Two strata over the same twenty labels of sixty."""
    random = np.random.default_rng(seed)

    def asked(truth: np.ndarray, scale: float) -> Noisy:
        return Noisy(np.rint(truth + random.laplace(0, scale, LABELS)).astype(np.int64), scale)

    records = np.zeros(LABELS)
    records[:THERE] = RECORDS * random.dirichlet(np.full(THERE, 2.0))
    parts = []
    for low, high in ((3, 5), (6, 10)):
        lengths, none = np.zeros((high - low + 1, 2)), np.zeros(0)
        lengths[-1, 0] = RECORDS
        tables = asked(records, 30.0), asked(records, 30.0), asked(records * high, 100.0)
        parts.append(Part(cast(Any, None), low, high, lengths, Shares.of(3000.0, LABELS, high, 1), *tables, none, none, none))
    return parts


def spurious(seed: int) -> tuple[float, list[Part]]:
    """Items of labels that nobody has."""
    parts = strata(seed)
    fit_labels(parts, LABELS)
    return float(sum(part.fitted_label[THERE:].sum() for part in parts)), parts


def test_absent_labels_keep_little_and_every_table_keeps_its_total(monkeypatch: pytest.MonkeyPatch) -> None:
    settled, parts = zip(*(spurious(seed) for seed in (1, 2)), strict=True)
    monkeypatch.setattr(labels, "_settle", lambda *_: None)
    before = [spurious(seed)[0] for seed in (1, 2)]

    assert sum(settled) < 0.7 * sum(before)
    for part in [one for both in parts for one in both]:
        assert part.fitted_first.sum() == pytest.approx(RECORDS)
        assert part.fitted_last.sum() == pytest.approx(RECORDS)
        assert part.fitted_label.sum() == pytest.approx(RECORDS * part.high)


def test_of_a_thousand_labels_that_nobody_has_few_are_told_apart() -> None:
    """In each of three tables noise alone lifts two labels above the bound, on average."""
    size, none = 1000, np.zeros(0)
    random = np.random.default_rng(5)
    tables = [Noisy(np.rint(random.laplace(0, 50, size)).astype(np.int64), 50.0) for _ in range(3)]
    one = Part(cast(Any, None), 3, 5, np.ones((3, 2)), Shares.of(3000.0, size, 5, 1), *tables, none, none, np.ones(size))

    assert len(choose_labels([one], size).codes) <= 15
