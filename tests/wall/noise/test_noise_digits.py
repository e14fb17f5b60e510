"""Noise from binary digits: their law in exact arithmetic, coins placed on the boundary, and power at a scale 2 % off."""

from __future__ import annotations

import math
from decimal import MIN_EMIN, Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from seqveil.wall.noise import Scale, SecureNoise
from seqveil.wall.noise.digits import BITS, FEW, around, coins, draw, tossed
from seqveil.wall.noise.tossing import tossed_compiled

PRECISION = 250
SCALES = [1e-9, 0.02, 0.3, 1.0, 1.5, 20 / 3, 40.0, 1000.0, 12_345.678, 1e15]
at_scales = pytest.mark.parametrize("scale", [Scale(s) for s in SCALES], ids=lambda scale: f"{scale.value:g}")


def power(scale: Scale, exponent: int) -> Decimal:
    """r**exponent, r = e**(-1/s), to many digits."""
    x = Fraction(exponent) / scale.exact
    return (-Decimal(x.numerator) / Decimal(x.denominator)).exp()


def probability(scale: Scale, coin: int) -> Decimal:
    """The probability of a coin, from its definition."""
    digits = coins(scale).digits
    if coin == digits:
        return power(scale, 2**digits)
    x = power(scale, 1 if coin > digits else 2**coin)
    return x / (1 + x)


@at_scales
def test_independent_digits_have_the_geometric_law(scale):
    """The product over all coins is (1 − r)·rᵏ for every k tried, and the sign makes it discrete Laplace."""
    digits = coins(scale).digits
    with localcontext(prec=PRECISION, Emin=MIN_EMIN):
        r = power(scale, 1)
        chance = [probability(scale, coin) for coin in range(digits + 2)]
        for k in {k for k in (0, 1, 2, 3, 5, 2**digits - 1, 2**digits // 3) if k < 2**digits}:
            product = math.prod((p if k >> j & 1 else 1 - p for j, p in enumerate(chance[:digits])), start=Decimal(1))
            law = product * (1 - chance[digits])
            assert abs(law / ((1 - r) * r**k) - 1) < Decimal(10) ** -(PRECISION - 60)
            laplace = law * (1 - chance[-1])  # x = k, from T = k without the sign
            assert abs(laplace / ((1 - r) / (1 + r) * r**k) - 1) < Decimal(10) ** -(PRECISION - 60)


@at_scales
@pytest.mark.parametrize("bits", [BITS, 128, 240])
def test_probabilities_lie_between_their_bounds(scale, bits):
    """Certain words are certain: the true probability lies between the two whole numbers, which are neighbours here."""
    law = coins(scale)
    with localcontext(prec=PRECISION, Emin=MIN_EMIN):
        for coin in range(law.digits + 2):
            low, high = law.chance(coin, bits)
            assert low <= probability(scale, coin) * 2**bits < high == low + 1


@pytest.mark.parametrize("off", ["-1e-40", "0", "1e-40"])
def test_a_computed_number_beside_a_whole_one_may_lie_on_either_side_of_it(off):
    """What is computed is right to about 10⁻⁴⁵, not exact: the true number may be on the other side."""
    with localcontext(prec=PRECISION):
        assert (12_344, 12_346) == around(12_345 + Decimal(off))


@at_scales
def test_no_word_decides_what_lies_beyond_the_digits(scale):
    """e^(−2ᴶ/s) is below 2⁻⁶⁴: only a U that begins with zeros can be below it, so the kernel leaves that coin open."""
    law = coins(scale)
    with localcontext(prec=PRECISION, Emin=MIN_EMIN):
        assert probability(scale, law.digits) < Decimal(2) ** -64
    assert 0 == law.low[law.digits]


class Written:
    """Random bytes that were written down: the words of one draw, and then the bits of coins that need more."""

    def __init__(self, words: list[int], more: list[int]) -> None:
        self.parts = [np.array(words, np.uint16).tobytes(), *(bits.to_bytes(14, "little") for bits in more)]

    def __call__(self, count: int) -> bytes:
        part = self.parts.pop(0)
        assert len(part) == count
        return part


NO = 2**BITS - 1
"""A word that is above every probability."""


@pytest.mark.parametrize("coin", range(13))
@pytest.mark.parametrize("signed", [True, False])
def test_every_coin_does_what_it_says(coin, signed):
    """A U below its probability sets one digit, or adds 2ᴶ, or turns the sign; one above it does nothing."""
    scale = Scale(40.0)
    digits = coins(scale).digits
    if coin > digits and not signed:
        return
    words = [NO] * (digits + 1 + signed)
    words[coin] = 0
    more = [0] if coins(scale).low[coin] == 0 else []  # U = 0.000…

    class Beyond(Written):
        def __call__(self, count: int) -> bytes:
            """What lies beyond twice the digits is not reached."""
            return super().__call__(count) if self.parts else b"\xff" * count

    drawn = draw(scale, 1, Beyond(words, more), signed)
    expected = -1 if coin > digits else 2**coin

    assert [expected] == drawn.tolist()
    assert [0] == draw(scale, 1, Written([NO] * len(words), []), signed).tolist()


@pytest.mark.parametrize("scale", [Scale(0.3), Scale(20 / 3), Scale(40.0)], ids=lambda scale: f"{scale.value:g}")
@pytest.mark.parametrize("distance", [20, 60, 127, 129, 200, 230])
def test_a_coin_beside_its_boundary_is_settled(scale, distance):
    """U within 2**−distance of p, on either side: as many bits are drawn as it takes, and the right side is found."""
    digits = coins(scale).digits
    bits = BITS + 112 * 3
    for coin in range(digits):
        with localcontext(prec=PRECISION, Emin=MIN_EMIN):
            boundary = int(probability(scale, coin) * 2**bits)
        for side, digit in ((-1, 1), (1, 0)):
            u = boundary + side * 2 ** (bits - distance)
            if not 0 <= u < 2**bits:
                continue
            words = [NO] * (digits + 1)
            words[coin] = u >> (bits - BITS)
            more = [u >> shift & (2**112 - 1) for shift in (224, 112, 0)]

            assert [digit << coin] == draw(scale, 1, Written(words, more), signed=False).tolist()


def fits(drawn: np.ndarray, scale: Scale) -> float:
    """The p-value of draws under discrete Laplace noise, in 200 bins of about equal probability."""
    cuts = np.unique(np.round(stats.laplace.ppf(np.linspace(0.005, 0.995, 199), scale=scale.value)).astype(int))
    above = np.array([1.0, *(scale.probability(int(cut)) for cut in cuts), 0.0])
    observed = np.bincount(np.searchsorted(cuts, drawn, side="right"), minlength=len(cuts) + 1)
    return stats.chisquare(observed, len(drawn) * -np.diff(above)).pvalue


@pytest.mark.slow
@pytest.mark.parametrize("scale", [Scale(3.0), Scale(40.0), Scale(777.7), Scale(1e9)], ids=lambda scale: f"{scale.value:g}")
def test_a_million_draws_fit_and_a_scale_2_percent_off_does_not(scale):
    """Many draws of one scale, in several batches, have the exact law; the same draws reject a scale 2 % larger or smaller."""
    drawn = SecureNoise().laplace(scale, 1_000_000)

    assert fits(drawn, scale) > 1e-6
    assert max(fits(drawn, Scale(scale.value * off)) for off in (0.98, 1.02)) < 1e-6
    assert fits(np.where(drawn >= 0, drawn, drawn + 1), scale) < 1e-6 or scale.value > 100  # a sign that counts 0 twice


@pytest.mark.slow
def test_neighbouring_draws_are_independent():
    """The signs and the sizes of draws say nothing about those after them."""
    drawn = SecureNoise().laplace(Scale(40.0), 400_001)
    sign, size = drawn >= 0, np.where(drawn >= 0, drawn, ~drawn) > 28
    for one, next_ in ((sign[:-1], sign[1:]), (size[:-1], size[1:]), (sign, size)):
        table = np.array([[np.sum(one & next_), np.sum(one & ~next_)], [np.sum(~one & next_), np.sum(~one & ~next_)]])
        assert stats.chi2_contingency(table).pvalue > 1e-6


@pytest.mark.slow
def test_opendp_draws_the_same_law():
    """A sampler that others vetted, and ours: two samples of one law."""
    from opendp.domains import atom_domain, vector_domain
    from opendp.measurements import make_laplace
    from opendp.metrics import l1_distance
    from opendp.mod import enable_features

    enable_features("contrib")
    theirs = make_laplace(vector_domain(atom_domain(T="i64")), l1_distance(T="i64"), 7.3)(np.zeros(30_000, np.int64))
    ours = SecureNoise().laplace(Scale(7.3), 30_000)
    table = [np.histogram(sample, np.arange(-40, 42, 3))[0] for sample in (theirs, ours)]

    assert stats.chi2_contingency(table).pvalue > 1e-6


@pytest.mark.parametrize(("scale", "signed"), [(Scale(0.7), True), (Scale(3.0), False), (Scale(40.0), True)])
def test_few_and_many_coins_are_tossed_alike(scale, signed):
    """NumPy, which few draws use, and compiled code read the same words as the same draws, and leave the same coins open."""
    law = coins(scale)
    width = law.digits + 1 + signed
    words = np.random.default_rng(5).integers(0, 2**16, (FEW, width)).astype(np.uint16)
    words[:width, :] = law.low[:width]  # undecided, every one of them
    few, many = np.empty(len(words), np.int64), np.empty(len(words), np.int64)
    opened = tossed(words, law.low, law.high, law.digits, few)

    assert np.array_equal(opened, tossed_compiled(words, law.low, law.high, law.digits, many))
    assert np.array_equal(few, many)
    assert len(opened) >= width
