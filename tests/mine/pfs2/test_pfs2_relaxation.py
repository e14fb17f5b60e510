"""The law of normal plus Laplace: against Monte-Carlo, against quadrature deep in the tails, and its quantile."""

import numpy as np
import pytest
from scipy.integrate import simpson
from scipy.special import log_ndtr

from seqveil.mine.pfs2.relaxation import cdf, relaxed


@pytest.mark.parametrize(("mean", "deviation", "scale"), [(0, 1, 1), (10, 5, 0.5), (1875, 43, 50), (0, 0.01, 3), (5, 3, 0.01)])
def test_the_cdf_against_monte_carlo(mean, deviation, scale):
    """Two million draws; a scale 20 % off would be seen."""
    random = np.random.default_rng(1)
    drawn = random.normal(mean, deviation, 2_000_000) + random.laplace(0, scale, 2_000_000)
    spread = deviation + scale
    points = mean + spread * np.array([-3, -1, -0.3, 0, 0.5, 2])
    measured = [(drawn <= z).mean() for z in points]
    wrong = [cdf(z, mean, 1.2 * deviation, 1.2 * scale) for z in points]

    assert measured == pytest.approx([cdf(z, mean, deviation, scale) for z in points], abs=2e-3)
    assert max(np.abs(np.array(wrong) - measured)) > 1e-2


@pytest.mark.parametrize("scale", [0.01, 0.5, 1, 4, 100])
@pytest.mark.parametrize("d", [-2, -8, -20, -36])
def test_the_lower_tail_against_quadrature(d, scale):
    """Down to 1e-280 the relative error stays below 1e-6: nothing cancels or overflows."""

    def density(y):  # P(X ≤ d − y) times the density of y, in units of e^top
        return np.exp(log_ndtr(d - y) - np.abs(y) / scale - top)

    low, high = max(d - 10.0, -400 * scale), min(60.0, 400 * scale)
    top = max(log_ndtr(d - y) - abs(y) / scale for y in np.linspace(low, high, 4001))
    n = 200_000  # on both sides of the kink at 0
    area = simpson(density(np.linspace(low, 0, n + 1)), dx=-low / n) + simpson(density(np.linspace(0, high, n + 1)), dx=high / n)
    beyond = np.exp(low / scale - top) * scale if low == d - 10.0 else 0.0  # there P(X ≤ d − y) is 1
    expected = (area + beyond) * np.exp(top) / (2 * scale)

    assert cdf(d, 0, 1, scale) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("ratio", [1e-12, 1e-4, 1, 1e4, 1e12])
def test_the_cdf_rises_from_zero_to_one_whatever_the_ratio(ratio):
    """No overflow, no warning, symmetric around the mean."""
    points = np.linspace(-60, 60, 241)
    values = [cdf(z, 0, 1, ratio) for z in points]

    assert np.all(np.diff(values) >= -1e-15)
    assert values == pytest.approx([1 - v for v in values[::-1]], abs=1e-12)
    assert 0.0 <= values[0] <= values[-1] <= 1.0


@pytest.mark.parametrize("zeta", [1e-9, 0.01, 0.3, 0.5, 0.7, 0.999])
@pytest.mark.parametrize(
    ("threshold", "size", "parts", "scale"), [(15_000, 1e6, 8, 50), (1, 1, 1, 400), (100, 100, 3, 2), (1, -5, 2, 9)]
)
def test_the_relaxed_threshold_is_the_quantile(threshold, size, parts, scale, zeta):
    """Also for a pattern in every record, and for a noisy size that came out negative."""
    sample = max(size, 1) / parts
    f = min(threshold / max(size, 1), 1)
    quantile = relaxed(threshold, size, parts, scale, zeta)

    assert cdf(quantile, f * sample, (f * (1 - f) * sample) ** 0.5, scale) == pytest.approx(zeta, rel=1e-6)
