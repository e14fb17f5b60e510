"""The cost of one answer in zCDP, against closed forms and against sums over all answers."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from seqveil.audit.laws import Arranged, FirstAbove, Plain, Rungs, Scored, Several, Slots, Unknown
from seqveil.audit.losses import Losses, log_masses
from seqveil.audit.renyi import ORDERS, divergence, spent
from seqveil.wall.noise import Scale, Sigma


def of_all(p, q, order):
    """The divergence of two distributions that are written down."""
    return float(np.log((p**order * q ** (1 - order)).sum()) / (order - 1))


def test_counts_with_gaussian_noise_cost_their_squared_distance():
    """Δ²/2σ² at every order; with a threshold never more, and less where much is hidden."""
    noise = Sigma(30.0)
    here, there = {(0, 0): 5, (0, 2): 1}, {(0, 0): 3, (1, 7): 4}
    exact = (4 + 1 + 16) / 60

    assert spent(Slots(here, noise, None), Slots(there, noise, None)) == pytest.approx(exact, abs=1e-6)
    assert 0 < spent(Slots(here, noise, 8), Slots(there, noise, 8)) < exact
    assert spent(Plain(np.array([5, 1]), [noise] * 2), Plain(np.array([3, 5]), [noise] * 2)) == pytest.approx(20 / 60, abs=1e-6)


@pytest.mark.parametrize("order", ORDERS)
def test_choices_and_sparse_vectors_cost_what_a_sum_over_all_answers_says(order):
    """Two distributions of three answers."""
    less, more = np.array([0, 4, 4]), np.array([1, 3, 5])
    laws = [Scored(scores, Fraction(1, 3)) for scores in (less, more)]
    p, q = (np.exp(scores / 3) / np.exp(scores / 3).sum() for scores in (less, more))

    assert divergence(*laws, order) == pytest.approx(of_all(p, q, order), rel=1e-6)


def test_a_choice_reaches_an_eighth_of_epsilon_squared():
    """Scores that move against each other by the whole sensitivity; hardly less for a small ε, and never more."""
    even = [Scored(np.array(scores), Fraction(1, 20)) for scores in ([0, 1], [1, 0])]  # ε = 1/10

    assert 0.99 * 0.1**2 / 8 < spent(*even) <= 0.1**2 / 8


def test_a_sparse_vector_costs_less_than_a_pure_mechanism():
    """Three counts that all move by one, at ε = 1: at most ε²/2; the laws of its answers add up to 1."""
    laws = [FirstAbove(np.array(counts), 4, 2.0, 2.0) for counts in ([3, 4, 5], [4, 5, 6])]
    shift = np.arange(-200, 201)
    weights = np.exp(log_masses(Scale(2.0), shift))
    below = [[(weights[shift < 4 + t - c]).sum() for t in shift] for c in (3, 4, 5)]
    first = float((weights * (1 - np.array(below[0]))).sum())
    log = [laws[0].log(answer) for answer in (0, 1, 2, None)]

    assert np.exp(log[0]) / np.exp(log).sum() == pytest.approx(first, rel=1e-9)
    assert 0 < spent(*laws) <= 1 / 2


def test_bounds_are_not_below_what_they_bound():
    """Ladders and arrangements, by writing their answers down; several answers add up; an unknown law costs nothing known."""
    rungs = [Rungs(value, np.array([1, 2]), 4.0) for value in (5, 6)]
    numbers = range(-300, 311)
    p, q = (np.exp([one.log(x) for x in numbers]) for one in rungs)
    assert Losses(np.log(p / q), np.log(p)).renyi(2) / 2 <= spent(*rungs)

    arranged = [Arranged(frozenset(edges), 5, 2, Fraction(1, 2)) for edges in ({0, 1}, {0, 1, 4})]
    sets = [np.array(cells) for cells in combinations(range(5), 2)]
    p, q = (np.exp([one.log(cells) for cells in sets]) for one in arranged)
    assert p.sum() == pytest.approx(1)
    assert of_all(p, q, 8) / 8 <= spent(*arranged)
    assert spent(Several((rungs[0], arranged[0])), Several((rungs[1], arranged[1]))) == spent(*rungs) + spent(*arranged)
    assert spent(Unknown("?"), Unknown("?")) == 0
