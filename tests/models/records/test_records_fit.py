"""The fit of one stratum: steps, labels, ends and lengths are met as precisely as they are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from seqveil.models.records import fit
from seqveil.models.records.ends import Bridged, Ends
from seqveil.models.records.expect import Matrix, Steps, expected, messages
from seqveil.models.records.fit import fitted, normalized
from seqveil.models.records.states import States

LABELS, MOST = 3, 4
SHORT = States.single(LABELS).refined(np.array([0, 2]), np.array([1, 2]))
DEEP = States.single(LABELS).refined(np.array([0, 1, 1]), np.array([1, 0, 1])).refined(np.array([3, 5]), np.array([0, 1]))


def some_ends(seed: int, other: bool = False) -> Ends:
    random = np.random.default_rng(seed)
    open_, closed, both = (random.dirichlet(np.ones(MOST + 1)) for _ in range(3))
    open_[0] = 0.0
    return Ends(random.uniform(1, 40, (LABELS, LABELS)), open_ / open_.sum(), closed, both if other else None)


def walks(states: States, weights: np.ndarray) -> Matrix:
    return messages(states, Steps.of(states, weights), MOST)[0][:, :LABELS]


def coupled(states: States, weights: np.ndarray, ends: Ends) -> Matrix:
    """Records of the law that has these ends, and these walks."""
    bridged = Bridged(ends, walks(states, weights))
    return bridged.weighed(walks(states, weights), np.zeros(2 * LABELS + LABELS**2))[2]


def into(steps: np.ndarray) -> np.ndarray:
    return np.asarray(steps.sum(axis=0))


def test_steps_that_records_can_take_are_met() -> None:
    ends = some_ends(7)
    truth = np.random.default_rng(8).uniform(0.1, 1, (len(DEEP), LABELS))
    target = expected(DEEP, truth, coupled(DEEP, truth, ends))
    start = expected(DEEP, normalized(np.ones_like(truth)), ends.apart())

    _, steps, _ = fitted(DEEP, np.ones_like(truth), ends, into(target), DEEP.gathered(target), np.full_like(truth, 1e-3), 100)

    assert np.abs(steps - target).sum() < 0.01 * target.sum()
    assert np.abs(start - target).sum() > 0.05 * target.sum()  # there was something to do


def test_precise_counts_of_short_contexts_hold_whatever_longer_ones_say() -> None:
    ends = some_ends(7)
    chain = np.random.default_rng(8).uniform(0.1, 1, (5, LABELS))
    steps = expected(SHORT, chain, coupled(SHORT, chain, ends))
    truth = SHORT.gathered(steps)
    target, variance = truth.copy(), np.full_like(truth, 1e-3)
    target[3:] *= np.array([[0.3, 1.0, 1.8], [1.6, 0.5, 1.0]])  # the children of contexts: noisy
    variance[3:] = 1e3

    _, met, _ = fitted(SHORT, np.ones_like(truth), ends, into(steps), target, variance, 100)

    assert SHORT.gathered(met)[:3] == pytest.approx(truth[:3], abs=0.5)


def test_counts_of_labels_are_met_where_pairs_are_not_known() -> None:
    single, ends = States.single(LABELS), some_ends(3)
    chain = np.random.default_rng(2).uniform(0.1, 1, (LABELS, LABELS))
    wanted = into(expected(single, chain, coupled(single, chain, ends)))
    wrong = np.full((LABELS, LABELS), wanted.sum() / LABELS**2)

    _, steps, _ = fitted(single, np.ones((LABELS, LABELS)), ends, wanted, wrong, np.full_like(wrong, 1e4), 100)

    assert into(steps) == pytest.approx(wanted, rel=0.01)
    assert np.abs(wrong.sum(axis=0) - wanted).max() > 0.05 * wanted.max()


@pytest.mark.parametrize("other", [False, True])
def test_lengths_hold_exactly_per_kind_of_trip(other: bool) -> None:
    ends = replace(some_ends(5, other), loose=(5.0, 5.0, 50.0))
    chain = np.random.default_rng(2).uniform(0.1, 1, (LABELS, LABELS))
    target = np.full((LABELS, LABELS), 40.0)

    _, _, records = fitted(States.single(LABELS), chain, ends, target.sum(axis=0), target, np.ones_like(target), 30)

    kinds = np.eye(LABELS, dtype=int)
    kinds[-1, -1] += other
    for kind, shares in enumerate([ends.open, ends.closed, *([ends.other] if ends.other is not None else [])]):
        assert records[:, kinds == kind].sum(axis=1) == pytest.approx(shares * ends.trips[kinds == kind].sum(), rel=1e-4)


@pytest.mark.parametrize(("loose", "nearer"), [(1e-6, "trips"), (1e4, "steps")])
def test_trips_and_steps_that_contradict_each_other_share_the_difference_by_their_variances(loose: float, nearer: str) -> None:
    """Records of two items are one step: 0 → 1 → 2 → 0 is said to be rare by trips, and frequent by steps; margins agree."""
    round_, back = np.roll(np.eye(3), 1, axis=1), np.roll(np.eye(3), -1, axis=1)
    trips, steps = 10 * round_ + 60 * back, 60 * round_ + 10 * back
    two = np.array([0.0, 1.0])

    ends = Ends(trips, two, two, None, (loose, loose, loose))
    _, met, records = fitted(States.single(3), np.ones((3, 3)), ends, np.full(3, 70.0), steps, np.ones((3, 3)), 100)

    assert records.sum(axis=0) == pytest.approx(met, rel=1e-3, abs=1e-3)
    assert met[0, 1] == pytest.approx({"trips": 10.0, "steps": 60.0}[nearer], abs=3.0)


def test_lengths_follow_the_trip_where_walks_do() -> None:
    """On a line of stations 0 – 1 – 2 – 3 – 4 nobody gets from 0 to 4 in two steps, although lengths were measured for all trips
    together."""
    line = np.eye(5, k=1) + np.eye(5, k=-1)
    lengths = np.array([0.0, 0.4, 0.3, 0.2, 0.1])
    trips = np.full((5, 5), 1e-6) + 100 * np.eye(5, k=1) + 75 * np.eye(5, k=2) + 50 * np.eye(5, k=3) + 25 * np.eye(5, k=4)
    step = np.eye(5, k=1) * np.array([0, 300, 400, 300, 300])[None, :]

    ends = Ends(trips, lengths / lengths.sum(), lengths / lengths.sum(), None, (1.0, 1.0, 1.0))
    _, _, records = fitted(States.single(5), line + 1e-6, ends, step.sum(axis=0), step, np.ones((5, 5)), 60)

    assert records[4, 0, 4] > 0.95 * records[:, 0, 4].sum()
    assert ends.apart()[4, 0, 4] < 0.15 * ends.apart()[:, 0, 4].sum()


@pytest.mark.parametrize("other", [False, True])
def test_the_slope_of_the_ends_is_that_of_their_value(other: bool) -> None:
    random = np.random.default_rng(4)
    bridged = Bridged(replace(some_ends(4, other), loose=(2.0, 3.0, 4.0)), walks(SHORT, random.uniform(0.1, 1, (5, LABELS))))
    beta = walks(SHORT, random.uniform(0.1, 1, (5, LABELS)))
    here, step = random.normal(0, 0.3, bridged.target.size), 1e-3

    slope = bridged.weighed(beta, here)[1]

    for k in range(len(here)):
        aside = np.zeros(len(here))
        aside[k] = step
        rise = bridged.weighed(beta, here + aside)[0] - bridged.weighed(beta, here - aside)[0]
        assert rise / (2 * step) == pytest.approx(slope[k], abs=0.02)


@pytest.mark.parametrize("other", [False, True])
def test_lengths_hold_for_a_kind_of_trips_that_is_all_but_impossible(other: bool) -> None:
    """Factors of closed trips far below the range of single-precision floats, beside those of open ones."""
    ends = some_ends(6, other)
    beta = walks(SHORT, np.random.default_rng(2).uniform(0.1, 1, (5, LABELS)))
    bridged = Bridged(ends, beta)
    theta = np.concatenate([np.zeros(2 * LABELS), np.where(np.eye(LABELS) > 0, -150.0, 0.0).ravel()])

    _, _, records = bridged.weighed(beta, theta)

    assert np.isfinite(records).all()
    closed = np.eye(LABELS) > 0
    closed[-1, -1] = not other
    assert records[:, closed].sum(axis=1) == pytest.approx(ends.closed * ends.trips[closed].sum(), rel=1e-4)


@pytest.mark.parametrize("after", [0, 5, 1000])
def test_numbers_beyond_the_range_of_floats_do_not_end_a_run(after: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """ε is spent by then. A point that cannot be computed is not taken; if none can be, the starting chain is."""
    calls, real = [0], fit.passed

    def overflows(*given: object) -> np.ndarray:
        calls[0] += 1
        return real(*given) if calls[0] <= after else np.full((LABELS, LABELS), np.nan)  # type: ignore[arg-type]

    monkeypatch.setattr(fit, "passed", overflows)
    ends, target = some_ends(3), np.full((LABELS, LABELS), 40.0)

    weights, steps, records = fitted(
        States.single(LABELS), np.eye(LABELS) + 0.1, ends, target.sum(axis=0), target, np.ones_like(target), 30
    )

    for table in (weights, steps, records):
        assert np.isfinite(table).all()
        assert (table >= 0).all()
    assert records.sum() == pytest.approx(ends.trips.sum(), rel=1e-4)
    assert steps.sum() == pytest.approx((records.sum(axis=(1, 2)) * np.arange(MOST + 1)).sum(), rel=1e-3)
