"""The exact samplers, without statistics: cumulative laws to dozens of digits, and draws placed on the boundary."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqveil.wall.noise import Scale, SecureNoise, binomial, inverse, softmax

PRECISION = 200
"""Digits of the arithmetic that the samplers are compared with."""

FINE = Decimal(10) ** -(PRECISION - 40)


def exp(x: Fraction) -> Decimal:
    """e**-x to many digits."""
    return (-Decimal(x.numerator) / Decimal(x.denominator)).exp()


def binomial_cumulative(scale: Scale, threshold: int, slots: int) -> list[Decimal]:
    """F(0), …, F(slots) from the definition."""
    p = exp(threshold / scale.exact) / (1 + exp(1 / scale.exact))
    return list(accumulate(math.comb(slots, k) * p**k * (1 - p) ** (slots - k) for k in range(slots + 1)))


def softmax_cumulative(best_first: list[int], members: list[int], rate: Fraction) -> list[Decimal]:
    """Cumulative probabilities of the distinct scores, from the definition."""
    weights = [m * exp(rate * (best_first[0] - s)) for s, m in zip(best_first, members, strict=True)]
    return [height / sum(weights) for height in accumulate(weights)]


def within_claim(steps: inverse.Steps, truth: list[Decimal]) -> bool:
    """Whether what is claimed to be known about F is true: every listed height, and what is left out at both ends."""
    last = steps.first + len(steps.heights) - 1
    heights = all(abs(truth[steps.first + i] - h) <= steps.error for i, h in enumerate(steps.heights))
    below = truth[steps.first - 1] if steps.first else Decimal(0)
    above = 1 - truth[last]
    return (
        heights
        and below <= (steps.error if steps.open_below else FINE)
        and above <= (steps.error if steps.open_above else FINE)
        and steps.heights == sorted(steps.heights)
        and steps.heights[-1] == 1
    )


@pytest.mark.parametrize("digits", [30, 60, 120])
@pytest.mark.parametrize(
    ("scale", "threshold", "slots"),
    [
        (1.0, 1, 1),
        (0.3, 1, 2),
        (0.01, 1, 5),
        (7.3, 3, 17),
        (20.0, 1, 250),
        (1e9, 1, 400),
        (5.0, 30, 400),
        (2.0, 900, 9),
        (1.0, 66, 3),
    ],
)
def test_binomial_law_is_known_as_well_as_claimed(scale, threshold, slots, digits):
    """The walk from the mode gives F within 10**-digits, tails included."""
    with localcontext(inverse.working(digits)):
        steps = binomial._law(Scale(scale), threshold, slots, digits)
    with localcontext(prec=PRECISION):
        assert within_claim(steps, binomial_cumulative(Scale(scale), threshold, slots))


@pytest.mark.parametrize("digits", [30, 60, 120])
@pytest.mark.parametrize(
    ("scores", "rate"),
    [
        ([4], Fraction(1)),
        ([9, 7, 0, -50], Fraction(1, 3)),
        (list(range(500, 0, -1)), Fraction(1, 7)),
        ([3, 2, 2 - 10**6], Fraction(1, 10**5)),
        ([3, -(10**6)], Fraction(1, 2)),
    ],
)
def test_softmax_law_is_known_as_well_as_claimed(scores, rate, digits):
    """The walk from the best score gives F within 10**-digits, what was left out included."""
    members = [1 + i % 3 for i in range(len(scores))]
    with localcontext(inverse.working(digits)):
        steps = softmax._law(scores, members, rate, digits)
    with localcontext(prec=PRECISION):
        assert within_claim(steps, softmax_cumulative(scores, members, rate))


@pytest.mark.parametrize(
    ("low", "high", "closed", "open_ended"),
    [  # F(4) is 0.5 and F(5) is 1, both known within 0.1
        ("0.00", "0.01", 4, None),
        ("0.10", "0.11", 4, 4),
        ("0.39", "0.40", 4, 4),
        ("0.39", "0.41", None, None),
        ("0.49", "0.50", None, None),
        ("0.59", "0.60", None, None),
        ("0.60", "0.61", 5, 5),
        ("0.89", "0.90", 5, 5),
        ("0.90", "0.91", 5, None),
    ],
)
def test_a_step_is_located_only_when_certain(low, high, closed, open_ended):
    """Within the error of a boundary nothing is decided, and neither is an end beyond which something may lie."""
    heights, error = [Decimal("0.5"), Decimal(1)], Decimal("0.1")
    for is_open, expected in ((False, closed), (True, open_ended)):
        steps = inverse.Steps(4, heights, error, open_below=is_open, open_above=is_open)

        assert expected == steps.locate(Decimal(low), Decimal(high))


class Written:
    """A source whose uniform real is written down beforehand, and which counts how often it was asked."""

    def __init__(self, uniform: Decimal) -> None:
        with localcontext(prec=2 * PRECISION):
            self.digits = str(int(uniform.scaleb(PRECISION))).zfill(PRECISION)
        self.asked = 0

    def __call__(self, count: int) -> int:
        taken, self.digits = self.digits[:count], self.digits[count:]
        self.asked += 1
        return int(taken)


BINOMIALS = st.tuples(st.sampled_from([0.4, 1.0, 6.5, 300.0]), st.integers(1, 12), st.integers(1, 40))


@settings(max_examples=60, deadline=None)
@given(BINOMIALS, st.data())
def test_a_uniform_beside_a_boundary_is_resolved(law, data):
    """U so close to F(k) that 30 digits cannot tell: more digits are drawn, and the right side is found."""
    scale, threshold, slots = Scale(law[0]), law[1], law[2]
    with localcontext(prec=PRECISION):
        truth = binomial_cumulative(scale, threshold, slots)
        k = data.draw(st.integers(0, slots - 1))
        offset = Decimal(10) ** -data.draw(st.integers(35, 110))
        if truth[k] + offset >= 1 or truth[k] <= offset:
            return
        just_below, just_above = Written(truth[k] - offset), Written(truth[k] + offset)
        above = next(j for j in range(slots + 1) if truth[k] + offset < truth[j])
        below = next(j for j in range(slots + 1) if truth[k] - offset < truth[j])

    assert below == binomial.binomial_passing(scale, threshold, slots, just_below)
    assert above == binomial.binomial_passing(scale, threshold, slots, just_above)
    assert min(just_below.asked, just_above.asked) >= 2


@settings(max_examples=100, deadline=None)
@given(BINOMIALS, st.decimals(0, 1, places=40).filter(lambda u: u < 1))
def test_any_uniform_selects_what_infinite_precision_would(law, uniform):
    """For any U, the draw is the smallest k with U < F(k)."""
    scale, threshold, slots = Scale(law[0]), law[1], law[2]
    with localcontext(prec=PRECISION):
        expected = next(k for k, height in enumerate(binomial_cumulative(scale, threshold, slots)) if uniform < height)

    assert expected == binomial.binomial_passing(scale, threshold, slots, Written(uniform))


def test_a_hopeless_threshold_is_still_decided_exactly():
    """slots · p is about 10**-40: a U above that from 1 gives none, a U within it gives one."""
    scale, threshold, slots = Scale(1.0), 138, 10**20
    with localcontext(prec=PRECISION):
        none = (1 - exp(threshold / scale.exact) / (1 + exp(1 / scale.exact))) ** slots
        p_some = 1 - none

    assert Decimal("1e-41") < p_some < Decimal("1e-39")
    with localcontext(prec=PRECISION):
        assert binomial.binomial_passing(scale, threshold, slots, Written(1 - 2 * p_some)) == 0
        assert binomial.binomial_passing(scale, threshold, slots, Written(1 - p_some / 2)) == 1


def test_threshold_zero_is_the_mirror_of_one():
    """P(X >= 0) = 1 - P(X >= 1): the same U passes the complement."""
    scale, uniform = Scale(3.0), Decimal("0.3")

    assert 60 - binomial.binomial_passing(scale, 1, 60, Written(uniform)) == binomial.binomial_passing(
        scale, 0, 60, Written(uniform)
    )


def test_boundary_between_two_candidates_is_resolved():
    """The exponential mechanism looks closer too: of two scores, U on either side of the best one's share."""
    scores, rate = np.array([0, 3]), Fraction(2, 3)
    with localcontext(prec=PRECISION):
        share = softmax_cumulative([3, 0], [1, 1], rate)[0]
        below, above = Written(share - Decimal("1e-70")), Written(share + Decimal("1e-70"))

    assert softmax.pick_score(scores, rate, below).tolist() == [1]
    assert softmax.pick_score(scores, rate, above).tolist() == [0]
    assert (below.asked, above.asked) == (3, 3)


@pytest.mark.parametrize("rate", [Fraction(1, 10**400), Fraction(10**400), Fraction(10**400 + 1, 10**400)], ids=str)
def test_exponential_takes_any_rate_and_any_scores(rate):
    """Rates and scores that no float holds are nothing special."""
    scores = np.array([np.iinfo(np.int64).min, np.iinfo(np.int64).max, 0])
    chosen = SecureNoise().exponential(scores, rate)

    assert chosen in {0, 1, 2}
    assert rate < 1 or chosen == 1
