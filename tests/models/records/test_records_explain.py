"""A table is predicted by the mixture of other tables that explains it."""

from __future__ import annotations

import numpy as np
import pytest

from seqveil.models.records import explain
from seqveil.models.records.denoise import denoised
from seqveil.models.records.explain import explained

RANDOM = np.random.default_rng(5)
POPULAR = np.sort(RANDOM.pareto(1.1, 3000))[::-1]
SCALE = 50.0


def noisy(truth: np.ndarray) -> np.ndarray:
    return np.asarray(np.rint(truth + RANDOM.laplace(0, SCALE, len(truth))), np.int64)


def test_the_table_that_resembles_it_predicts_it_and_the_others_do_not() -> None:
    alike, unlike = POPULAR, POPULAR[RANDOM.permutation(len(POPULAR))]
    truth = alike * (30_000 / alike.sum())

    predicted = explained(noisy(truth), SCALE, 30_000.0, [unlike, alike])

    assert predicted.sum() == pytest.approx(30_000)
    assert np.abs(predicted - truth).sum() / 2 / 30_000 < 0.1


def test_a_mixture_is_seen_as_one() -> None:
    one, two = POPULAR / POPULAR.sum(), np.roll(POPULAR, 400) / POPULAR.sum()
    truth = 30_000 * (0.3 * one + 0.7 * two)

    predicted = explained(noisy(truth), SCALE, 30_000.0, [one, two])

    assert predicted[400] == pytest.approx(truth[400], rel=0.3)
    assert predicted[0] == pytest.approx(truth[0], rel=0.3)


def test_without_tables_every_label_is_alike() -> None:
    assert explained(np.array([5, 0, 1]), 1.0, 6.0, [np.zeros(3)]).tolist() == pytest.approx([2.0, 2.0, 2.0])


def test_no_label_is_impossible_because_no_table_has_it() -> None:
    table = np.array([5.0, 3.0, 0.0, 0.0])

    predicted = explained(np.array([500, 300, 0, 0]), 1.0, 800.0, [table])

    assert predicted[2:] == pytest.approx(explain.EVENLY * 800 / 4, rel=0.2)


def test_what_thousands_of_weak_labels_hold_together_is_neither_their_noise_nor_nothing() -> None:
    """A tenth of 30,000 records on 2,900 labels, each far below the noise, with a prediction that is roughly right."""
    truth = np.concatenate([np.full(100, 270.0), np.full(2900, 3000 / 2900)])
    predicted = truth * np.exp(RANDOM.normal(0, 0.5, len(truth)))

    mean, _ = denoised(noisy(truth), predicted, SCALE, total=30_000.0)

    assert mean.sum() == pytest.approx(30_000)
    assert mean[100:].sum() == pytest.approx(3000, rel=0.5)


def test_a_mixture_that_cannot_be_found_is_even(monkeypatch: pytest.MonkeyPatch) -> None:
    """ε is spent by then: a solver that gives up must not end the run."""

    def gives_up(*_: object, **__: object) -> None:
        raise RuntimeError("Maximum number of iterations reached.")

    monkeypatch.setattr(explain, "nnls", gives_up)

    out = explain.explained(np.array([10, 30, 0]), 0.1, 40.0, [np.array([1.0, 3.0, 0.0])])

    assert out.sum() == pytest.approx(40)
    assert (out > 0).all()
