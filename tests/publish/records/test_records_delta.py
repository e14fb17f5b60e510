"""The record model in zCDP: shares of ρ, caps, the law of its noise, and what its counts then mean."""

import numpy as np
import pytest

import seqveil as sv
from seqveil.errors import CallError
from seqveil.models.records.denoise import _posterior
from seqveil.publish.records.asking import clear_of
from seqveil.publish.records.caps import Caps
from seqveil.publish.records.shares import Shares
from seqveil.release.coverage import coverage
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.units import Record, User

LABELS = 70
"""More than a domain of few labels has: pairs are capped at 1."""


def looping(records=4000):
    """Records 0 1 0 1 0 1 and 5 6 7 8: pairs occur 3, 2 and 1 times in a record."""
    domain = Domain.range(0, LABELS - 1, public_because="test")
    return SequenceTable(domain, Flat.of([[0, 1, 0, 1, 0, 1], [5, 6, 7, 8]] * (records // 2)))


@pytest.fixture(scope="module")
def release():
    return sv.experiment(looping(), sv.RecordModel(l_max=6, n_max=2), epsilon=4, delta="1e-6", seed=1)


def test_counts_are_those_of_units_that_count_once(release):
    answer = release.count(["0", "1"])
    assert 1500 < answer.low < 2200
    assert answer.high < 4000  # the model knows the items, and leads the count up from 2000 towards 6000
    assert release.begins(["0"]).value == pytest.approx(2000, rel=0.1)
    assert "at most once per record (a single label at most 2 times)" in coverage(release.manifest)


def test_without_a_cap_that_binds_all_occurrences_count():
    release = sv.experiment(looping(), sv.RecordModel(l_max=6, n_max=2, cap=4), epsilon=4, delta="1e-6", seed=1)
    answer = release.count(["0", "1"])
    assert answer.low <= 6000 <= answer.high


def test_records_have_their_lengths_although_labels_are_capped(release):
    assert len(release.synthetic) == pytest.approx(4000, rel=0.03)
    assert release.synthetic.lengths.mean() == pytest.approx(5, rel=0.04)


def test_all_of_rho_is_used_and_a_saved_release_says_the_same(release, tmp_path):
    manifest = release.manifest
    used = sum(float(stage.used) for stage in manifest.stages) + float(manifest.unused)
    assert used == pytest.approx(float(manifest.zcdp.rho), rel=1e-9)
    assert float(manifest.unused) == 0
    release.save(tmp_path / "out")
    again = sv.load(tmp_path / "out")
    assert again.top(20) == release.top(20)
    assert again.lengths() == release.lengths()
    assert again.tables()["grams"].column_names == release.tables()["grams"].column_names
    assert "sigmas" in again.tables()["grams"].column_names


def test_intervals_hold_the_capped_counts():
    truth = {("0",): 1000, ("5",): 500, ("0", "1"): 500, ("1", "0"): 500, ("6", "7"): 500}
    covered = tried = 0
    for seed in range(4):
        release = sv.experiment(looping(1000), sv.RecordModel(l_max=6, n_max=2), epsilon=1, delta="1e-6", seed=seed)
        for query, count in truth.items():
            answer = release.count(query)
            if answer.low is not None:
                covered, tried = covered + (answer.low <= count <= answer.high), tried + 1
    assert tried >= 16
    assert covered >= tried - 3


def test_a_cap_is_refused_where_it_gains_nothing():
    with pytest.raises(CallError, match="with pure ε noise does not depend on it"):
        sv.experiment(looping(10), sv.RecordModel(cap=1), epsilon=1, seed=1)
    assert "cap" not in sv.RecordModel().parameters()
    assert sv.RecordModel(cap=3).parameters()["cap"] == 3


@pytest.mark.parametrize("bad", [0, -1, 1.5, True])
def test_a_cap_is_a_whole_number(bad):
    with pytest.raises(CallError, match="cap="):
        sv.RecordModel(cap=bad)


def test_shares_of_rho_make_errors_least():
    """With weights w, pure shares ∝ w^⅓ make Σ w/s² least, and shares of ρ ∝ w^½ make Σ w/s least."""
    weights = np.array([1.0, 1.0, 3.0, 5.0, 40.0])
    pure = weights ** (1 / 3) / (weights ** (1 / 3)).sum()
    shares = Shares(pure[0], pure[2], pure[3], (pure[4],)).in_rho(6, Caps(None, None), Record())
    rho = np.array([shares.ends, shares.ends, shares.trips, shares.labels, *shares.levels])
    assert rho.sum() == pytest.approx(1)
    best = (weights / rho).sum()
    for k in range(len(rho)):
        moved = rho * np.where(np.arange(len(rho)) == k, 1.1, 1.0)
        assert (weights / (moved / moved.sum())).sum() > best


@pytest.mark.parametrize("high", [1, 2])
def test_the_last_question_of_a_short_stratum_gets_the_rest(high):
    shares = Shares.of(5000.0, 100, high, 4).in_rho(high, Caps(2, 1), Record())
    assert shares.labels == 0
    assert 2 * shares.ends * (high == 2) + shares.trips == pytest.approx(float(high == 2))


def test_caps_grow_with_the_root_of_the_records_of_a_user():
    one, many = (Caps.of(None, "zcdp", LABELS, unit, 1e4).windows for unit in (Record(), User(100)))
    assert (one, many) == (1, 10)
    assert Caps.gain(1, 25, Record()) == pytest.approx(1 / 5)
    assert Caps.gain(100, 25, Record()) == 1


def test_a_posterior_under_gaussian_noise_is_the_direct_sum():
    grid = np.arange(-14.0, 14.25, 0.5)
    weights = np.random.default_rng(1).dirichlet(np.ones(len(grid) + 1))
    u, v = 1.3, 2.2
    deltas = np.concatenate([[-v], grid])
    likelihood = np.where((deltas >= -v), np.exp(-((u - deltas) ** 2) / (2 * 2)), 0)  # σ² = 2 in scales
    mass = weights * likelihood
    mean = (mass * (v + deltas)).sum() / mass.sum()
    normal = _posterior(np.array([u]), np.array([v]), grid, weights, True)
    laplace = _posterior(np.array([u]), np.array([v]), grid, weights, False)
    assert normal[0][0] == pytest.approx(mean)
    assert laplace[0][0] != pytest.approx(mean, rel=1e-3)


@pytest.mark.parametrize("gaussian", [False, True])
def test_two_empty_counts_are_clear_of_the_noise(gaussian):
    random = np.random.default_rng(1)
    noise = random.normal(0, np.sqrt(2), 10**6) if gaussian else random.laplace(0, 1, 10**6)
    assert 1 < (noise > clear_of(1.0, 10_000, gaussian)).mean() * 10_000 < 3
