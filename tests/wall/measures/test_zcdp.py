"""Conversions between ρ and (ε, δ): never in favour of the data holder, and tight."""

from __future__ import annotations

import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqveil.wall.budget import GRAINS, MOST_EPSILON
from seqveil.wall.measures.delta import PARTS, in_parts, stated
from seqveil.wall.measures.zcdp import choice_for, epsilon_of, pure_for, rho_of, rho_of_pure

rhos = st.integers(0, 17).flatmap(lambda power: st.integers(1, 9 * 10**power))
deltas = st.integers(0, 17).flatmap(lambda power: st.integers(1, 9 * 10**power))
epsilons = st.integers(0, 17).flatmap(lambda power: st.integers(1, 9 * 10**power))


def by_orders(rho: float, delta: float) -> float:
    """The least ε over a dense grid of orders, in floats."""
    orders = [1 + 10 ** (step / 400) for step in range(-3600, 3600)]
    return min(a * rho + (-math.log(delta) + (a - 1) * math.log1p(-1 / a) - math.log(a)) / (a - 1) for a in orders)


@pytest.mark.parametrize("rho", ["0.0001", "0.0244", "0.5", "3", "100"])
@pytest.mark.parametrize("delta", ["1e-12", "1e-6", "1e-3"])
def test_no_order_gives_less_than_the_certified_epsilon(rho: str, delta: str) -> None:
    certified = epsilon_of(int(Decimal(rho) * GRAINS), in_parts(delta)) / GRAINS

    assert certified == pytest.approx(by_orders(float(rho), float(delta)), rel=1e-5)
    assert certified <= by_orders(float(rho), float(delta)) + 1e-11


def loss(sigma_square: Fraction, delta: Decimal) -> Decimal:
    """The exact ε of the discrete Gaussian for a sensitivity of 1 at this δ, by bisection; 40 digits."""
    with localcontext(Context(prec=40)):
        rate = Decimal(sigma_square.denominator) / (2 * Decimal(sigma_square.numerator))
        reach = int(20 * math.sqrt(sigma_square)) + 20
        weights = {x: (-rate * x * x).exp() for x in range(-reach, reach + 2)}
        whole = sum(weights.values())

        def spent(epsilon: Decimal) -> Decimal:
            factor = epsilon.exp()
            return (
                sum((max(Decimal(0), weights[x] - factor * weights[x + 1]) for x in range(-reach, reach + 1)), Decimal(0)) / whole
            )

        low, high = Decimal(0), Decimal(200)
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if spent(middle) > delta else (low, middle)
        return high


@pytest.mark.parametrize("square", [Fraction(1, 2), Fraction(1), Fraction(9, 4), Fraction(16)])
@pytest.mark.parametrize("delta", ["1e-9", "1e-5"])
def test_never_below_the_truth_of_a_discrete_gaussian(square: Fraction, delta: str) -> None:
    """σ² = 1/(2ρ): the loss of the very noise that is added; the conversion through zCDP gives away less than a fifth."""
    rho = int(GRAINS / (2 * square))
    truth = loss(square, Decimal(delta))

    assert Decimal(epsilon_of(rho, in_parts(delta))) / GRAINS >= truth
    assert Decimal(epsilon_of(rho, in_parts(delta))) / GRAINS <= truth * Decimal("1.2")


@given(epsilons, deltas)
def test_rho_is_the_most_that_implies_epsilon(epsilon: int, delta: int) -> None:
    rho = rho_of(epsilon, delta)

    assert epsilon_of(rho, delta) <= epsilon
    assert rho >= MOST_EPSILON * GRAINS or epsilon_of(rho + 1, delta) > epsilon


@given(rhos, deltas)
def test_there_and_back_loses_nothing(rho: int, delta: int) -> None:
    assert rho_of(epsilon_of(rho, delta), delta) >= rho


@given(rhos, rhos, deltas, deltas)
def test_epsilon_rises_with_rho_and_falls_with_delta(rho: int, more: int, delta: int, other: int) -> None:
    assert epsilon_of(rho, delta) <= epsilon_of(rho + more, delta)
    low, high = sorted((delta, other))
    assert epsilon_of(rho, high) <= epsilon_of(rho, low) + 1


@given(epsilons, epsilons, deltas, deltas)
@settings(max_examples=50)
def test_rho_rises_with_epsilon_and_delta(epsilon: int, more: int, delta: int, other: int) -> None:
    low, high = sorted((delta, other))
    assert rho_of(epsilon, low) <= rho_of(epsilon + more, low)
    assert rho_of(epsilon, low) <= rho_of(epsilon, high) + 1


def test_the_precision_of_the_caller_does_not_matter() -> None:
    before = epsilon_of.__wrapped__(GRAINS // 3, in_parts("1e-7"))
    with localcontext(Context(prec=4)):
        assert epsilon_of.__wrapped__(GRAINS // 3, in_parts("1e-7")) == before


@given(epsilons)
def test_a_pure_release_costs_half_its_square_rounded_up(epsilon: int) -> None:
    exact = Fraction(epsilon, GRAINS) ** 2 / 2 * GRAINS

    assert exact <= rho_of_pure(epsilon) < exact + 1


@given(rhos)
def test_the_epsilon_of_a_pure_mechanism_costs_no_more_than_rho(rho: int) -> None:
    """One grain more would cost more than is there."""
    assert pure_for(rho) ** 2 <= 2 * rho * GRAINS < (pure_for(rho) + 1) ** 2
    assert choice_for(rho) ** 2 <= 8 * rho * GRAINS < (choice_for(rho) + 1) ** 2


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_an_exponential_mechanism_is_an_eighth_of_its_square(epsilon: float) -> None:
    """Bounded range: log-ratios lie in an interval of length ε. The worst pair obeys ε²/8, and for small ε not ε²/9."""
    orders = [1 + 10 ** (step / 4) for step in range(-12, 9)]
    worst = 0.0
    for share in (i / 200 for i in range(1, 200)):  # of the outcomes whose odds rise by e^ε
        other = share * math.exp(epsilon) / (share * math.exp(epsilon) + 1 - share)
        for one, two in ((share, other), (other, share)):
            for a in orders:
                yes = a * math.log(one) + (1 - a) * math.log(two)
                no = a * math.log1p(-one) + (1 - a) * math.log1p(-two)
                high = max(yes, no)
                worst = max(worst, (high + math.log(math.exp(yes - high) + math.exp(no - high))) / (a - 1) / a)

    assert worst <= epsilon**2 / 8 + 1e-12
    assert worst > epsilon**2 / 9 or epsilon > 1


@given(st.integers(1, PARTS - 1))
def test_delta_is_printed_as_what_it_is(parts: int) -> None:
    assert in_parts(stated(parts)) == parts


@pytest.mark.parametrize("rho", [0.01, 0.5])
@pytest.mark.parametrize("delta", ["1e-9", "1e-5"])
def test_a_second_opinion(rho: float, delta: str) -> None:
    """The library of privacy loss distributions never finds more for a Gaussian than ours states.

    It is not among the development tools, because it needs older packages than ours: pip install dp-accounting
    """
    accounting = pytest.importorskip("dp_accounting.rdp")
    event = pytest.importorskip("dp_accounting").GaussianDpEvent(math.sqrt(1 / (2 * rho)))
    ours = epsilon_of(int(rho * GRAINS), in_parts(delta)) / GRAINS

    loose = accounting.RdpAccountant().compose(event).get_epsilon(float(delta))
    tight = pytest.importorskip("dp_accounting.pld").PLDAccountant().compose(event).get_epsilon(float(delta))
    assert tight <= ours <= loose * (1 + 1e-9)
    assert ours <= 1.2 * tight
