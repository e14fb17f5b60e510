"""Discrete Gaussian noise: exact probabilities, coins beside their boundary, and what must be rejected."""

from __future__ import annotations

import math
from decimal import MIN_EMIN, Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from seqveil.errors import CallError
from seqveil.wall.budget import GRAINS
from seqveil.wall.noise import Scale, SecureNoise, SeededNoise, Sigma, drawn, gaussian
from seqveil.wall.noise.gaussian import BITS, hat
from seqveil.wall.noise.theta import odds_beyond

P_THRESHOLD = 1e-6
"""Below this a sampler is wrong; the tests below ask some 150 times."""

WIDTHS = [0.05, 0.3, 0.7, 1.0, 1.5, 3.0, 7.3, 100.0, 2e4, 1e6, 1e15]
at_widths = pytest.mark.parametrize("sigma", [Sigma(w**2) for w in WIDTHS], ids=lambda sigma: f"{sigma.value:g}")
both = pytest.mark.parametrize("noise", [SecureNoise(), SeededNoise(20_261_118)], ids=lambda noise: noise.kind)


def weights(sigma: Sigma, values: np.ndarray) -> np.ndarray:
    """e^(−x²/(2σ²)), from the definition."""
    return np.exp(-(values.astype(float) ** 2) / (2 * sigma.square))


def reach(sigma: Sigma, cuts: np.ndarray, threshold: int | None) -> np.ndarray:
    """P(X ≥ c), or P(X − θ ≥ c given X ≥ θ), for every cut: from a sum of weights, or from the normal law where σ is large."""
    if sigma.value > 1000:  # the two differ by about (c/σ)/σ relatively, which 10⁵ draws cannot tell
        first = -math.inf if threshold is None else threshold - 0.5
        whole = stats.norm.sf(first, scale=sigma.value)
        return stats.norm.sf(cuts - 0.5 + (threshold or 0), scale=sigma.value) / whole
    far = math.ceil(14 * sigma.value) + 3
    values = np.arange(-far, far + 1) if threshold is None else np.arange(far)
    mass = np.exp(-(values * (values + 2.0 * (threshold or 0))) / (2 * sigma.square))
    above = np.append(np.cumsum(mass[::-1])[::-1], 0) / mass.sum()
    return above[np.clip(cuts - values[0], 0, len(values))]


def p_value(draws: np.ndarray, above: np.ndarray, cuts: np.ndarray) -> float:
    """Chi-square in the bins between cuts, neighbours joined until at least 20 are expected in each."""
    masses = len(draws) * -np.diff(np.concatenate([[1.0], above, [0.0]]))
    observed = np.bincount(np.searchsorted(cuts, draws, side="right"), minlength=len(masses))
    bins = np.minimum(np.cumsum(masses) - masses, len(draws) - 20) // 20
    expected, seen = (np.bincount(np.unique(bins, return_inverse=True)[1], each) for each in (masses, observed))
    return 1.0 if len(expected) == 1 else float(stats.chisquare(seen, expected * (seen.sum() / expected.sum())).pvalue)


def gaussian_p(draws: np.ndarray, sigma: Sigma) -> float:
    cuts = np.unique(np.concatenate([np.round(sigma.value * np.linspace(-4, 4, 81)), np.arange(-3, 5)])).astype(np.int64)
    return p_value(draws, reach(sigma, cuts, None), cuts)


def beyond_p(draws: np.ndarray, sigma: Sigma, threshold: int) -> float:
    scale = hat(sigma, threshold).proposal.value
    cuts = np.unique(np.concatenate([np.round(scale * np.linspace(0, 6, 60)), np.arange(1, 6)])).astype(np.int64)
    cuts = cuts[cuts > 0]
    return p_value(draws, reach(sigma, cuts, threshold), cuts)


@both
@at_widths
def test_gaussian_has_its_law(noise, sigma):
    """Draws have the claimed probabilities, from next to no noise to the largest allowed."""
    assert gaussian_p(noise.gaussian(sigma, 50_000), sigma) > P_THRESHOLD


@both
@pytest.mark.parametrize("width", [0.5, 1.0, 3.0, 40.0, 1e6])
def test_a_width_10_percent_off_and_a_laplace_law_are_rejected(noise, width):
    """The law test notices σ 10 % off on either side, σ² in its place, and discrete Laplace noise of the same variance."""
    sigma, n = Sigma(width**2), 100_000
    for off in (0.9, 1.1):
        assert gaussian_p(noise.gaussian(Sigma((width * off) ** 2), n), sigma) < P_THRESHOLD
    if width != 1:
        assert gaussian_p(noise.gaussian(Sigma(sigma.square**2), n), sigma) < P_THRESHOLD
    scale = next(s for s in np.linspace(0.1, 1, 1000) * (1 + width) if Scale(s).variance >= sigma.variance)
    assert gaussian_p(noise.laplace(Scale(scale), n), sigma) < P_THRESHOLD


THRESHOLDS = [(w, t) for w in (0.5, 1.0, 3.0, 40.0, 1e6) for t in (0, round(0.4 * w), math.ceil(5 * w), math.ceil(30 * w))]


@both
@pytest.mark.parametrize(("width", "threshold"), THRESHOLDS)
def test_beyond_has_its_law(noise, width, threshold):
    """What lies beyond a threshold: at 0, below σ, at 5σ and at 30σ."""
    sigma = Sigma(width**2)

    assert beyond_p(noise.beyond(sigma, threshold, 40_000), sigma, threshold) > P_THRESHOLD


@both
@pytest.mark.parametrize(("width", "threshold"), [(3.0, 0), (3.0, 1), (40.0, 16), (40.0, 200), (1e6, 5 * 10**6)])
def test_a_tail_without_memory_is_rejected(noise, width, threshold):
    """A geometric tail with the slope or the mean of the true one does not fit, nor does a width 10 % off."""
    sigma, n = Sigma(width**2), 400_000
    true = noise.beyond(sigma, threshold, n)
    wrong = [noise.beyond(Sigma((width * off) ** 2), threshold, n) for off in (0.9, 1.1)]
    wrong += [noise.beyond(Scale(s), threshold, n) for s in (true.mean() + 0.5, sigma.square / max(threshold, width))]

    assert beyond_p(true, sigma, threshold) > P_THRESHOLD
    assert max(beyond_p(draws, sigma, threshold) for draws in wrong) < P_THRESHOLD


@both
def test_an_excess_is_that_of_drawing_until_the_threshold_is_passed(noise):
    """Two ways to the same law: the excess, and noise of which only what reaches the threshold is kept."""
    sigma = Sigma(9.0)
    for threshold in (0, 1, 4):
        long = noise.gaussian(sigma, 150_000)
        long = long[long >= threshold] - threshold
        short = noise.beyond(sigma, threshold, len(long))
        most = 6
        table = [np.bincount(np.minimum(each, most), minlength=most + 1) for each in (long, short)]
        assert stats.chi2_contingency(np.array(table)).pvalue > P_THRESHOLD


def test_opendp_draws_the_same_law():
    """A sampler that others vetted, and ours: two samples of one law."""
    from opendp.domains import atom_domain, vector_domain
    from opendp.measurements import make_gaussian
    from opendp.metrics import l2_distance
    from opendp.mod import enable_features

    enable_features("contrib")
    sigma, n = Sigma(7.3**2), 30_000
    theirs = make_gaussian(vector_domain(atom_domain(T="i64")), l2_distance(T="i64"), sigma.value)(np.zeros(n, np.int64))
    table = [
        np.bincount(np.clip(each, -20, 20) + 20, minlength=41) for each in (np.array(theirs), SecureNoise().gaussian(sigma, n))
    ]

    assert stats.chi2_contingency(np.array(table)).pvalue > P_THRESHOLD


def test_neighbouring_draws_are_independent():
    """Signs and sizes of draws say nothing about those after them."""
    draws = SecureNoise().gaussian(Sigma(40.0**2), 300_001)
    draws = draws[draws != 0]  # has no sign
    sign, size = draws > 0, np.abs(draws) > 27
    for one, after in ((sign[:-1], sign[1:]), (size[:-1], size[1:]), (sign, size)):
        table = [[np.sum(one & after), np.sum(one & ~after)], [np.sum(~one & after), np.sum(~one & ~after)]]
        assert stats.chi2_contingency(table).pvalue > P_THRESHOLD


KEPT = [(w, t) for w in (1e-6, 0.02, 0.3, 0.7, 1.0, 1.5, 40.0, 1e9) for t in (0, 1, math.ceil(0.5 * w), math.ceil(5 * w), 10**9)]


@pytest.mark.parametrize(("width", "threshold"), KEPT)
def test_more_than_half_of_all_proposals_are_kept(width, threshold):
    """Whatever σ and the threshold are, a draw costs less than two proposals; and none has a chance above 1."""
    law = hat(Sigma(width**2), threshold)
    s, reach_ = law.proposal.value, min(100_000, math.ceil(60 * law.proposal.value) + 2)
    k = np.unique(np.round(np.linspace(0, 60 * s + 2, reach_))).astype(np.int64)
    chance = np.exp(-law.exponents(k))
    share = np.exp(-k / s) * (-np.expm1(-np.diff(np.append(k, k[-1] + 1)) / s))  # P(k ≤ proposal < next k)

    assert chance.max() <= 1 + 1e-12
    assert (share * chance).sum() > 0.5


@pytest.mark.parametrize(("width", "threshold"), [(0.3, 0), (1.0, 3), (7.3, 0), (7.3, 30), (1e6, 0), (1e15, 10**15)])
def test_what_is_kept_has_the_gaussian_law(width, threshold):
    """Proposal times chance is the law that is wanted, up to one constant, in exact arithmetic; and chances are at most 1."""
    sigma = Sigma(width**2)
    law = hat(sigma, threshold)
    exponents = set()
    for k in (0, 1, 2, 5, 17, int(width), int(3 * width) + 1):
        kept = k * (k * law.curve + law.slope) - law.least
        assert kept >= 0
        exponents.add(k / law.proposal.exact + kept - Fraction((threshold + k) ** 2) / (2 * sigma.exact))

    assert 1 == len(exponents)


@given(st.sampled_from([(0.3, 0), (1.0, 3), (7.3, 0), (7.3, 30), (1e6, 0), (1e6, 3 * 10**6)]), st.floats(0, 9))
def test_floats_decide_no_coin_that_they_do_not_know(law, far):
    """The boundary of 32 bits in floats lies within one word of the true one, which 128 bits know."""
    proposed = hat(Sigma(law[0] ** 2), law[1])
    k = int(far * proposed.proposal.value)
    low, high = proposed.chance(k, 128)
    boundary = float(gaussian._exp(proposed.exponents(np.array([k])))[0]) * 2.0**BITS

    assert high - low <= 2
    assert abs(boundary - low / 2**96) < 0.04  # the claim is 1


class Written:
    """A U that was written down: its first word, and the bits that are asked for after it."""

    def __init__(self, u: int) -> None:
        self.parts = [(u >> 224).to_bytes(4, "little")]
        self.parts += [(u >> shift & (2**112 - 1)).to_bytes(14, "little") for shift in (112, 0)]
        self.asked = 0

    def __call__(self, count: int) -> bytes:
        part = self.parts[self.asked]
        self.asked += 1
        assert count == len(part)
        return part


@pytest.mark.parametrize(("distance", "asked"), [(25, 1), (60, 2), (130, 2), (160, 3), (200, 3)])
@pytest.mark.parametrize("k", [0, 1, 9, 30])
def test_a_coin_beside_its_boundary_is_settled(k, distance, asked):
    """U within 2**−distance of the chance, on either side: as many bits are drawn as it takes, and the right side is found."""
    law, bits = hat(Sigma(7.3**2), 0), BITS + 112 * 2
    with localcontext(prec=200, Emin=MIN_EMIN):
        exponent = k * (k * law.curve + law.slope) - law.least
        boundary = int((-Decimal(exponent.numerator) / exponent.denominator).exp() * 2**bits)
    for side, kept in ((-1, True), (1, False)):
        u = boundary + side * 2 ** (bits - distance)
        if 0 <= u < 2**bits:
            source = Written(u)
            assert [kept] == gaussian._kept(law, np.array([k]), source).tolist()
            assert asked == source.asked


def test_sigma_rounds_up_to_the_next_float_at_most():
    """σ² is never below square / (2ρ), and is it where a float can be."""
    assert 4.0 == Sigma.of(8, GRAINS).square
    assert 2.0 == Sigma.of(8, GRAINS).value


@given(st.integers(1, 10**12), st.integers(1, 10**18))
def test_sigma_is_never_below_the_exact_one_and_never_a_float_too_high(square, rho):
    """Rounding adds noise, at most one float's worth; one that rounds to the nearest float fails here."""
    exact = Fraction(square * GRAINS, 2 * rho)
    sigma = Sigma.of(square, rho)

    assert exact <= sigma.exact == Fraction(sigma.square)
    assert Fraction(math.nextafter(sigma.square, 0)) < exact


@pytest.mark.parametrize("square", [math.nan, math.inf, -1.0, 0.0, 1e-13, 2e30])
def test_widths_outside_the_range_are_refused(square):
    """NaN, infinities, zero, negative, and what could leave int64."""
    with pytest.raises(CallError, match="σ² must lie between"):
        Sigma(square)


@pytest.mark.parametrize(("square", "rho"), [(0, 1), (-1, 1), (1, 0), (1, -5), (1.5, 1), (1, math.inf), (10**400, 1)])
def test_sigma_of_nonsense_is_refused(square, rho):
    """A sensitivity or an amount that is no positive whole number, or a ratio out of range."""
    with pytest.raises(CallError):
        Sigma.of(square, rho)


@pytest.mark.parametrize("width", [0.05, 0.3, 0.99, 1.0, 1.7, 1.74, 7.3, 60.0])
def test_the_floats_of_a_law_are_its_sums(width):
    """Variance, P(X ≥ t) and its log agree with adding up the definition."""
    sigma = Sigma(width**2)
    values = np.arange(-3000, 3001)
    mass = weights(sigma, values)
    mass /= mass.sum()

    assert math.isclose((values**2 * mass).sum(), sigma.variance, rel_tol=1e-12)
    for threshold in (-50, -1, 0, 1, 2, math.ceil(width), math.ceil(6 * width)):
        assert math.isclose(mass[values >= threshold].sum(), sigma.probability(threshold), rel_tol=1e-9)


@pytest.mark.parametrize("width", [115.0, 1e3, 2e4, 1e7, 1e12])
@pytest.mark.parametrize("far", [0, 0.5, 3, 12, 40])
def test_the_floats_of_a_wide_law_are_its_sums(width, far):
    """Where the sum is an integral, log P(X ≥ t) agrees with 30 digits of it, for t of any size."""
    sigma, threshold = Sigma(width**2), max(1, round(far * width))
    exact, _ = odds_beyond(sigma.exact, threshold, 30)

    assert math.isclose(float(exact.ln()), sigma.log_probability(threshold), rel_tol=1e-12, abs_tol=1e-10)


@both
def test_seeds_shapes_and_types(noise):
    """int64 in the asked size, zero included, across batches; the dispatch draws what the law says; nonsense is refused."""
    for size in (0, 1, 5):
        for draws in (noise.gaussian(Sigma(4.0), size), noise.beyond(Sigma(4.0), 3, size), noise.beyond(Scale(4.0), 3, size)):
            assert (np.int64, (size,)) == (draws.dtype, draws.shape)
    assert (noise.beyond(Sigma(0.2), 0, 1000) >= 0).all()
    assert 200_003 == len(noise.gaussian(Sigma(1e12), 200_003))
    assert 100 > np.abs(drawn(noise, Sigma(4.0), 100)).max()
    assert 100 < np.abs(drawn(noise, Scale(1e6), 100)).max()
    for call in (
        lambda: noise.gaussian(Sigma(4.0), -1),
        lambda: noise.beyond(Sigma(4.0), -1, 1),
        lambda: noise.beyond(Sigma(4.0), 2**63, 1),
        lambda: noise.beyond(Sigma(4.0), 1, 1.5),
        lambda: noise.passing(Sigma(4.0), 1, 2**70),
        lambda: noise.passing(Sigma(4.0), -1, 5),
    ):
        with pytest.raises(CallError):
            call()


def test_a_seed_repeats():
    """Same seed and same calls, same draws."""
    first, again, other = (
        [n.gaussian(Sigma(90.0), 50).tolist(), n.beyond(Sigma(90.0), 20, 50).tolist(), n.passing(Sigma(90.0), 20, 10**6)]
        for n in (SeededNoise(3), SeededNoise(3), SeededNoise(4))
    )

    assert first == again != other
