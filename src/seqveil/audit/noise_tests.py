"""Attack on the noise: does every law draw what it says, and would this test have noticed if it did not?

Each law is drawn many times and held against its exact probabilities by a chi-square test. The same draws must *fail*
against a scale (or σ) 20 % larger and one 20 % smaller: a test that accepts those as well has no power and proves nothing.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.audit.findings import Attack
from seqveil.audit.laws import Rungs, log_tail
from seqveil.engines.protocol import Counts
from seqveil.wall import sparse
from seqveil.wall.budget import GRAINS
from seqveil.wall.noise import Law, Noise, Scale, SecureNoise, Sigma
from seqveil.wall.noise.scale import LEAST_SCALE, MOST_SCALE

ALARM = 1e-7
"""A p-value below this is a finding: about one false alarm in 100,000 audits."""

OFF = 1.2
"""The test must notice a scale that is this much off."""

SCALES = (0.6, 3.0, 25.0)

Mass = Callable[[int], float]


def chi_square(drawn: NDArray[Any], mass: Mass, low: int, high: int) -> float:
    """The p-value of draws of whole numbers under a law; values outside low..high, and rare ones, are pooled."""
    from scipy.stats import chi2

    values = np.arange(low, high + 1)
    expected = len(drawn) * np.array([mass(int(v)) for v in values])
    observed = np.array([np.count_nonzero(drawn == v) for v in values], np.float64)
    rest_expected, rest_observed = len(drawn) - expected.sum(), len(drawn) - observed.sum()
    common = expected >= 8
    rest_expected += expected[~common].sum()
    rest_observed += observed[~common].sum()
    statistic = ((observed[common] - expected[common]) ** 2 / expected[common]).sum()
    cells = int(common.sum())
    if rest_expected >= 8:
        statistic += (rest_observed - rest_expected) ** 2 / rest_expected
        cells += 1
    elif rest_observed > rest_expected + 40:  # much where nothing should be
        return 0.0
    return float(chi2.sf(statistic, max(cells - 1, 1)))


def laplace_mass(scale: float) -> Mass:
    a = 1 / scale
    return lambda x: math.tanh(a / 2) * math.exp(-a * abs(x))


def tail_mass(scale: float) -> Mass:
    a = 1 / scale
    return lambda k: -math.expm1(-a) * math.exp(-a * k) if k >= 0 else 0.0


def gaussian_mass(sigma: Sigma) -> Mass:
    """From the definition: weights over the sum of all weights."""
    total = sum(
        math.exp(-x * x / (2 * sigma.square)) for x in range(-math.ceil(12 * sigma.value), math.ceil(12 * sigma.value) + 1)
    )
    return lambda x: math.exp(-x * x / (2 * sigma.square)) / total


def _beyond_mass(sigma: Sigma, threshold: int) -> Mass:
    def weight(k: int) -> float:
        return math.exp(-k * (k + 2 * threshold) / (2 * sigma.square))

    total = sum(weight(k) for k in range(math.ceil(12 * sigma.value) + 1))
    return lambda k: weight(k) / total if k >= 0 else 0.0


def same_variance(sigma: Sigma) -> float:
    """The scale of the discrete Laplace law whose variance is nearest to that of the Gaussian one."""
    low, high = LEAST_SCALE, 2 * sigma.value + 1
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if Scale(middle).variance < sigma.variance else (low, middle)
    return high


def around(law: Any) -> tuple[Any, Any, Any]:
    """The law, one that is 20 % too wide, and one that is 20 % too narrow."""
    factor = OFF**2 if isinstance(law, Sigma) else OFF
    width = law.square if isinstance(law, Sigma) else law.value
    return law, type(law)(width * factor), type(law)(width / factor)


def _binomial_mass(slots: int, chance: float) -> Mass:
    from scipy.stats import binom

    return lambda k: float(binom.pmf(k, slots, chance))


def attack_noise(noise: Noise, attack: Attack, draws: int) -> None:
    """Every law of a source of noise."""
    for scale in SCALES:
        _laplace(noise, scale, draws, attack)
        _gaussian(noise, scale, draws, attack)
        _geometric(noise, scale, draws, attack)
        for thresholds in (0.0, 0.7, 4.0):
            _beyond(noise, Sigma(scale**2), math.ceil(thresholds * scale), draws, attack)
    _passing(noise, Scale(2.0), 4, draws // 10, attack)
    _passing(noise, Sigma(9.0), 5, draws // 10, attack)
    _rounded_up(attack)
    _choices(noise, draws // 10, attack)
    _ladder(noise, draws // 10, attack)
    _uniform(noise, draws, attack)
    if noise.private:
        _fresh(type(noise), attack)
    attack.summary = f"{attack.tried:,} draws: every law fits its exact probabilities, and none fits a scale or a σ 20 % off."


def _judge(attack: Attack, name: str, fits: float, off: list[float]) -> None:
    if fits < ALARM:
        attack.violated(f"{name} does not follow its law (p = {fits:.1g})")
    elif max(off, default=0.0) > ALARM:
        attack.missed(f"{name}: too few draws to detect a scale that is 20 % off")


def _laplace(noise: Noise, scale: float, draws: int, attack: Attack) -> None:
    drawn = noise.laplace(Scale(scale), draws)
    attack.tried += draws
    if drawn.dtype != np.int64:
        attack.violated(f"discrete Laplace noise of type {drawn.dtype}: it must be whole numbers")
        return
    reach = math.ceil(12 * scale) + 1
    fits, *off = (chi_square(drawn, laplace_mass(s), -reach, reach) for s in (scale, scale * OFF, scale / OFF))
    _judge(attack, f"discrete Laplace of scale {scale:g}", fits, off)


def _gaussian(noise: Noise, width: float, draws: int, attack: Attack) -> None:
    """Fits its law, and neither one of another width nor the discrete Laplace law of the same variance."""
    sigma = Sigma(width**2)
    drawn = noise.gaussian(sigma, draws)
    attack.tried += draws
    if drawn.dtype != np.int64:
        attack.violated(f"discrete Gaussian noise of type {drawn.dtype}: it must be whole numbers")
        return
    reach = math.ceil(8 * width) + 1
    fits, *off = (chi_square(drawn, gaussian_mass(s), -reach, reach) for s in around(sigma))
    peaked = chi_square(drawn, laplace_mass(same_variance(sigma)), -reach, reach)
    _judge(attack, f"discrete Gaussian of σ = {width:g}", fits, [*off, peaked])


def _beyond(noise: Noise, sigma: Sigma, threshold: int, draws: int, attack: Attack) -> None:
    """The excess over a threshold: where the law has a memory, unlike the geometric one."""
    drawn = noise.beyond(sigma, threshold, draws)
    attack.tried += draws
    reach = math.ceil(8 * sigma.value) + 1
    fits, *off = (chi_square(drawn, _beyond_mass(s, threshold), 0, reach) for s in around(sigma))
    _judge(attack, f"discrete Gaussian of σ = {sigma.value:g} beyond {threshold}", fits, off if sigma.value > 1 else [])


def _rounded_up(attack: Attack) -> None:
    """The bridge from exact amounts to floats adds noise, if anything: one float too low is a promise that is not kept."""
    for square, grains in product((1, 3, 7, 20, 10**9 + 7), (1, 7 * 10**5, 3 * 10**11, 10**12, 10**13 + 1)):
        attack.tried += 2
        if Sigma.of(square, grains).exact < Fraction(square * GRAINS, 2 * grains):
            attack.violated(f"σ² for a squared sensitivity of {square} and {grains} grains of ρ is rounded down")
        if square * GRAINS <= grains * MOST_SCALE and Scale.of(square, grains).exact < Fraction(square * GRAINS, grains):
            attack.violated(f"the scale for a sensitivity of {square} and {grains} grains of ε is rounded down")


def _geometric(noise: Noise, scale: float, draws: int, attack: Attack) -> None:
    drawn = noise.beyond(Scale(scale), 0, draws)
    attack.tried += draws
    reach = math.ceil(12 * scale) + 1
    fits, *off = (chi_square(drawn, tail_mass(s), 0, reach) for s in (scale, scale * OFF, scale / OFF))
    _judge(attack, f"geometric tail of scale {scale:g}", fits, off)


def _passing(noise: Noise, law: Law, threshold: int, draws: int, attack: Attack) -> None:
    """How many of many zeros pass."""
    slots = 300
    drawn = np.array([noise.passing(law, threshold, slots) for _ in range(draws)])
    attack.tried += draws
    chances = [math.exp(log_tail(threshold, law)) for law in around(law)]
    fits, *off = (chi_square(drawn, _binomial_mass(slots, chance), 0, slots) for chance in chances)
    _judge(attack, f"the number of zeros that pass {law.stated}", fits, off)


def _choices(noise: Noise, draws: int, attack: Attack) -> None:
    scores, rate = np.array([0, 3, 1, 3, -2], np.int64), Fraction(1, 2)
    drawn = np.array([noise.exponential(scores, rate) for _ in range(draws)])
    hits = np.array([noise.overlap(6, 9, 5, rate) for _ in range(draws)])
    attack.tried += 2 * draws

    def chosen(r: float) -> Mass:
        weight = np.exp(r * scores)
        return lambda i: float(weight[i] / weight.sum())

    def overlapping(r: float) -> Mass:
        weight = np.array([math.comb(6, w) * math.comb(9, 5 - w) * math.exp(r * w) for w in range(6)])
        return lambda w: float(weight[w] / weight.sum())

    half = float(rate)
    _judge(attack, "the exponential mechanism", chi_square(drawn, chosen(half), 0, 4), [])
    _judge(attack, "the overlap of an arrangement", chi_square(hits, overlapping(half), 0, 5), [])
    if chi_square(drawn, chosen(half * OFF**2), 0, 4) > ALARM and draws >= 10_000:
        attack.missed("the exponential mechanism: too few draws to detect a rate that is 44 % off")


def _ladder_mass(widths: NDArray[np.int64], scale: float) -> Mass:
    law = Rungs(0, widths, scale)
    return lambda x: math.exp(law.log(x))


def _ladder(noise: Noise, draws: int, attack: Attack) -> None:
    """Rungs of growing width, and the geometric tail beyond them."""
    widths, scale = np.array([1, 3, 4], np.int64), 2.5
    drawn = np.array([noise.ladder(widths, Scale(scale)) for _ in range(draws)])
    attack.tried += draws
    fits, *off = (chi_square(drawn, _ladder_mass(widths, s), -80, 80) for s in (scale, scale * OFF, scale / OFF))
    _judge(attack, "the ladder mechanism", fits, off if draws >= 10_000 else [])


def _uniform(noise: Noise, draws: int, attack: Attack) -> None:
    parts = noise.below(7, draws)
    attack.tried += draws
    _judge(attack, "the assignment to parts", chi_square(parts, lambda _: 1 / 7, 0, 6), [])
    pairs = parts[: draws // 2 * 2].reshape(-1, 2)
    _judge(attack, "two units' parts together", chi_square(pairs[:, 0] * 7 + pairs[:, 1], lambda _: 1 / 49, 0, 48), [])
    chosen = np.concatenate([noise.distinct(2, 5) for _ in range(draws // 20)])
    _judge(attack, "distinct slots", chi_square(chosen, lambda _: 1 / 5, 0, 4), [])


def _fresh(kind: type[Any], attack: Attack) -> None:
    """No seed, not even one that somebody set, may make noise come twice."""
    runs = []
    for _ in range(2):
        np.random.seed(0)
        random.seed(0)
        source = kind()
        runs.append([source.laplace(Scale(1e6), 64).tolist(), source.below(2**60, 64).tolist()])
    attack.tried += 256
    if runs[0][0] == runs[1][0] or runs[0][1] == runs[1][1]:
        attack.violated("the same noise came twice: it follows from a seed")


def attack_survivors(attack: Attack, draws: int, noise: Noise | None = None) -> None:
    """What the wall tells of a family of counts, slot by slot: zeros must pass as often as noise alone would lift them."""
    for law, wider in ((Scale(2.0), Scale(3.0)), (Sigma(6.25), Sigma(14.0))):
        _family(law, wider, noise or SecureNoise(), draws, attack)
    attack.summary = (
        f"{attack.tried:,} families of counts: slots pass their threshold as often, and by as much, as their law states."
    )


def _family(law: Law, wider: Law, source: Noise, draws: int, attack: Attack) -> None:
    true, threshold = {1: 5, 4: 2, 6: 1}, 3
    counts = Counts(np.zeros(3, np.int64), np.array([1, 4, 6]), np.array([5, 2, 1]))
    answers: list[list[int]] = [[] for _ in range(8)]
    for _ in range(draws):
        passed = sparse.survivors(counts, [8], law, threshold, source)
        for rank, noisy in zip(passed.rank.tolist(), passed.noisy.tolist(), strict=True):
            answers[rank].append(noisy)
    attack.tried += draws
    for slot in range(8):
        count = true.get(slot, 0)
        fits, *off = (_slot_law(answers[slot], count, threshold, each, draws) for each in (law, wider))
        _judge(attack, f"a slot with a count of {count}, with {law.stated},", fits, off if count == 0 else [])


def _slot_law(answers: list[int], count: int, threshold: int, law: Law, draws: int) -> float:
    """The law of one slot: a value from the threshold on, or nothing, which is written as the threshold less one."""
    values = np.array(answers + [threshold - 1] * (draws - len(answers)))
    mass = gaussian_mass(law) if isinstance(law, Sigma) else laplace_mass(law.value)
    below = 1 - math.exp(log_tail(threshold - count, law))
    return chi_square(values, lambda v: below if v == threshold - 1 else mass(v - count), threshold - 1, threshold + 60)
