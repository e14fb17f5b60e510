"""Empirical Bayes against direct summation, and what must never happen to a count."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqveil.models.records.denoise import REACH, STEP, _learnt, _posterior, denoised, first_prior

GRID = np.arange(-REACH, REACH + STEP / 2, STEP)
START = first_prior(GRID)


@pytest.mark.parametrize(("answer", "predicted"), [(3.2, 1.7), (-4.0, 0.3), (7.0, 9.0), (0.0, 0.0)])
def test_posterior_is_the_direct_sum(answer: float, predicted: float) -> None:
    """Σ x·prior·likelihood / Σ prior·likelihood, written out: an atom at 0 and every grid point that is no negative count."""
    points = [(START[0], 0.0)] + [(w, predicted + d) for w, d in zip(START[1:], GRID, strict=True) if d >= -predicted]
    weights = np.array([w * np.exp(-abs(answer - x)) for w, x in points])
    values = np.array([x for _, x in points])
    mean = (weights * values).sum() / weights.sum()
    variance = (weights * values**2).sum() / weights.sum() - mean**2

    got = _posterior(np.array([answer - predicted]), np.array([predicted]), GRID, START)

    assert got[0][0] == pytest.approx(mean, rel=1e-9)
    assert got[1][0] == pytest.approx(variance, rel=1e-6)


def test_one_round_of_em_is_the_mean_of_posteriors() -> None:
    u, v = np.array([0.3, -1.0, 5.0]), np.array([2.0, 1.5, 3.0])
    expected = 3.0 * START
    for residual, predicted in zip(u, v, strict=True):
        likelihood = np.exp(-np.abs(residual - np.concatenate([[-predicted], GRID])))
        likelihood[1:][GRID < -predicted] = 0
        expected = expected + START * likelihood / (START * likelihood).sum()

    assert _learnt(u, v, GRID, START, 1, 3.0) == pytest.approx(expected / expected.sum())


def test_strong_answers_stay_and_noise_around_zero_goes() -> None:
    random = np.random.default_rng(1)
    truth = np.concatenate([np.zeros(2000), [5000, 900, 700]])
    answer = truth + np.rint(random.laplace(0, 10, len(truth)))

    mean, _ = denoised(answer.astype(np.int64), np.full(len(truth), 3.0), 10.0)

    assert mean[2000:] == pytest.approx(answer[2000:])
    assert np.abs(mean[:2000]).mean() < 0.3 * np.abs(answer[:2000]).mean()


def test_a_total_settles_what_weak_cells_hold_together() -> None:
    random = np.random.default_rng(2)
    truth = np.concatenate([np.full(3000, 1.0), np.full(20, 2000.0)])
    answer = (truth + np.rint(random.laplace(0, 50, len(truth)))).astype(np.int64)
    predicted = np.full(len(truth), truth.mean())

    with_total, _ = denoised(answer, predicted, 50.0, total=float(truth.sum()))

    assert with_total[:3000].sum() == pytest.approx(3000, abs=1500)
    assert with_total[3000:] == pytest.approx(answer[3000:], abs=5)  # a tenth of the noise


@given(
    st.lists(st.tuples(st.integers(-(10**6), 10**6), st.floats(0, 1e6)), min_size=1, max_size=40),
    st.floats(1e-3, 1e6),
    st.one_of(st.none(), st.floats(0, 1e6)),
)
def test_counts_are_numbers_and_never_negative(cells: list[tuple[int, float]], scale: float, total: float | None) -> None:
    answer, predicted = np.array([c[0] for c in cells]), np.array([c[1] for c in cells])

    mean, variance = denoised(answer, predicted, scale, total=total)

    assert np.isfinite(mean).all()
    assert (mean >= 0).all()
    assert np.isfinite(variance).all()
    assert (variance >= 0).all()
