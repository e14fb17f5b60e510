"""Discovery at the wall: what is charged, what is shown, and the exact guarantee on small worlds."""

from __future__ import annotations

import math

import numpy as np
import pytest

import seqveil as sv
from seqveil.audit.audit import attacks
from seqveil.audit.budget import QUICK
from seqveil.errors import BudgetExceeded, CallError
from seqveil.tables.unlisted import labels_of
from seqveil.wall import Weights
from seqveil.wall.clip import ClipFailed
from seqveil.wall.measures.guarantee import Guarantee
from seqveil.wall.noise import SeededNoise
from seqveil.wall.noise.nothing import NoNoise
from seqveil.wall.questions import weights as weights_module
from seqveil.wall.run import open_wall

EPSILON, DELTA = 10**12, 10**12


def wall_before(table, noise=None, epsilon=EPSILON, delta=DELTA, unit=None):
    guarantee = Guarantee(epsilon, delta, delta // 2)
    unit = unit or (sv.Record() if table.users is None else sv.User(1))
    return open_wall(table, unit, guarantee.amount, noise or SeededNoise(3), measure="zcdp", thresholds=guarantee.thresholds)


def masses(sigma, mean, threshold, low, high):
    """P(nothing), and P(y) for every y from the threshold on."""
    values = np.arange(low, high)
    log = -((values - mean) ** 2) / (2 * sigma.square)
    p = np.exp(log - log.max())
    p /= p.sum()
    return np.append(p[values < threshold].sum(), p[values >= threshold])


@pytest.mark.parametrize("weight", [0, 64, 6 * 64, 40 * 64])
@pytest.mark.parametrize("epsilon", ["0.2", "1.0", "3.0"])
def test_the_exact_delta_of_one_label_is_at_most_what_is_stated(weight, epsilon, monkeypatch):
    """One unit with one label joins others that weigh so much: Σ max(0, P(y) − e^ε·Q(y)), both ways, over every answer.

    A label that nobody has is never released; one that others have moves by the whole weight of the unit.
    """
    monkeypatch.setattr(weights_module, "GRID", 64)
    stated = float(epsilon)
    wall = wall_before(labels_of([["a"]]), epsilon=int(stated * 10**12))
    sigma, threshold = wall.passing_law(Weights(1), wall.remaining)
    low, high = -int(15 * sigma.value), weight + 64 + int(15 * sigma.value)
    joined = masses(sigma, weight + 64, threshold, low, high)
    apart = masses(sigma, weight, threshold, low, high) if weight else np.append(1.0, np.zeros(len(joined) - 1))

    for here, there in ((joined, apart), (apart, joined)):
        assert np.maximum(here - math.exp(stated) * there, 0).sum() <= 1e-6


def test_the_audit_finds_nothing_and_misses_nothing():
    """Units that join others, exactly: at most ρ is lost, and the dearest loses all of it."""
    (attack,) = attacks("discover", QUICK)

    assert [] == attack.findings
    assert 0.99 < attack.shown <= 1


def test_labels_pass_whose_weight_reaches_the_threshold():
    """Without noise: exactly those, in the order of bytes, with their weights; they become the domain of the wall."""
    wall = wall_before(labels_of([["b", "a"]] * 100 + [["a"]] * 3 + [["rare"]]), NoNoise())
    _, threshold = wall.passing_law(Weights(5), wall.remaining)
    domain, noisy = wall.discover(Weights(5), wall.remaining)
    half = Weights(5).shares()[1]

    assert half * 100 > threshold > weights_module.GRID
    assert ["a", "b"] == domain.labels(range(2))
    assert [100 * half + 3 * weights_module.GRID, 100 * half] == noisy.tolist()
    assert (domain, 0) == (wall.domain, wall.remaining)


def test_weights_have_gaussian_noise_of_the_stated_width():
    """Of 400 labels that all pass: the mean within 5 standard errors, the variance within 5 of its own."""
    table = labels_of([[f"label {k}"] for k in range(400) for _ in range(60)])
    wall = wall_before(table)
    sigma, _ = wall.passing_law(Weights(1), wall.remaining)
    _, noisy = wall.discover(Weights(1), wall.remaining)
    noise = (noisy - 60 * weights_module.GRID) / sigma.value

    assert 400 == len(noise)
    assert abs(noise.mean()) < 5 / 20
    assert abs(noise.var() - 1) < 5 * math.sqrt(2 / 400)


def test_it_is_asked_once_and_charged_before_anything_is_drawn():
    wall = wall_before(labels_of([["a"]] * 50))
    with pytest.raises(BudgetExceeded, match=r"only .* is left"):
        wall.discover(Weights(1), wall.remaining + 1)
    wall.discover(Weights(1), wall.remaining // 2)

    assert [("weights of labels", "weights of labels")] == [(name, kind) for name, kind, _ in wall.stages]
    with pytest.raises(CallError, match="discovered once"):
        wall.discover(Weights(1), wall.remaining)


@pytest.mark.parametrize("how", ["pure", "no thresholds", "parts"])
def test_without_a_delta_for_it_nothing_is_discovered(how):
    table = labels_of([["a"]] * 50)
    if how == "pure":
        wall = open_wall(table, sv.Record(), EPSILON, SeededNoise(1))
    elif how == "no thresholds":
        wall = open_wall(table, sv.Record(), EPSILON, SeededNoise(1), measure="zcdp")
    else:
        (wall, _) = wall_before(table).parts(2, 10**9)

    with pytest.raises(CallError, match="states a δ"):
        wall.discover(Weights(1), 10**8)


def test_an_engine_that_gives_too_much_weight_is_stopped(monkeypatch):
    monkeypatch.setattr(Weights, "shares", lambda self: [weights_module.GRID + 1] * self.most)
    wall = wall_before(labels_of([["a"]] * 50))

    with pytest.raises(ClipFailed, match="in squares"):
        wall.discover(Weights(1), wall.remaining)


def test_a_label_of_one_unit_passes_as_seldom_as_stated():
    """With a δ so large that it can be counted: 4,000 units with a label of their own each, δ/2 = 5 %; two-sided at 10⁻⁶."""
    delta = 10**17
    wall = wall_before(labels_of([[f"own {k}"] for k in range(4_000)]), delta=delta)
    domain, _ = wall.discover(Weights(1), wall.remaining)

    assert abs(len(domain) - 200) < 5 * math.sqrt(200)


@pytest.mark.parametrize(("users", "unit"), [(["ann", "bob"], sv.Record()), (None, sv.User(1))])
def test_other_units_than_those_of_the_table_are_stopped(users, unit):
    """A last check: what a vault refuses before it reads anything is not weighed by the wall either."""
    wall = wall_before(labels_of([["a"], ["b"]], users), unit=unit)

    with pytest.raises(ClipFailed, match="other units than those that are protected"):
        wall.discover(Weights(1), wall.remaining)
