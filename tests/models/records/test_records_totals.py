"""How often every label occurs, from several noisy answers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seqveil.models.records.margins import on_simplex
from seqveil.models.records.totals import settled

TRUTH = np.array([1900, 1500, 1200, 700, 300, 60, 0, 0, 0, 0, 0, 0], float)
SCALE, VARIANCE = 100.0, 120.0**2


def answers(seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    return TRUTH + random.laplace(0, SCALE, len(TRUTH)), TRUTH + random.normal(0, VARIANCE**0.5, len(TRUTH))


def weighted(own, sums):
    precision = 1 / (2 * SCALE**2), 1 / VARIANCE
    return (own * precision[0] + sums * precision[1]) / sum(precision)


def test_labels_that_nothing_shows_are_left_out():
    """Without the prior, absent labels get what noise gives them: several times as much."""
    hint = TRUTH**0.8 / (TRUTH**0.8).sum()
    spurious, before = [], []
    for seed in range(20):
        own, sums = answers(seed)
        out = settled(own, SCALE, sums, VARIANCE, np.array([hint]), TRUTH.sum(), 5.0)
        spurious.append(out[6:].sum())
        before.append(on_simplex(weighted(own, sums), TRUTH.sum())[6:].sum())
    assert np.mean(before) > 100
    assert np.mean(spurious) < 0.25 * np.mean(before)


def test_labels_that_stand_out_stay_where_they_are_without_any_hint():
    away = []
    for seed in range(20):
        own, sums = answers(seed)
        out = settled(own, SCALE, sums, VARIANCE, np.zeros((0, len(TRUTH))), TRUTH.sum(), 5.0)
        away.append(np.abs(out - TRUTH)[:4].mean())
    assert np.mean(away) < 1.2 * (1 / (1 / (2 * SCALE**2) + 1 / VARIANCE)) ** 0.5


def test_a_wrong_hint_does_not_overrule_the_answers():
    """The hint has the frequent labels and the absent ones the wrong way round: the likeliest mixture drops it."""
    own, sums = answers(3)
    out = settled(own, SCALE, sums, VARIANCE, np.array([TRUTH[::-1] / TRUTH.sum()]), TRUTH.sum(), 5.0)
    assert np.abs(out - TRUTH)[:4].max() < 300


@given(
    st.lists(st.floats(-1e4, 1e6), min_size=1, max_size=30),
    st.floats(0.01, 1e4),
    st.floats(0.01, 1e6),
    st.floats(0, 1e7),
)
def test_counts_are_never_negative_and_add_up(own, scale, variance, total):
    own = np.array(own)
    out = settled(own, scale, own[::-1].copy(), variance, np.full((1, len(own)), 1 / len(own)), total, 0.0)
    assert np.isfinite(out).all()
    assert (out >= 0).all()
    assert abs(out.sum() - total) <= 1e-6 * total + 1e-6


def test_labels_that_stand_out_share_what_is_missing_evenly():
    """Both were counted with the same noise, so both are as uncertain: 20 items more are ten for each, not eighteen and two."""
    own = np.array([10_000.0, 1_000.0])
    out = settled(own, 10.0, own, 200.0, np.array([[0.9, 0.1]]), 11_020.0, 1.0)
    assert np.abs(out - [10_010, 1_010]).max() < 0.1
