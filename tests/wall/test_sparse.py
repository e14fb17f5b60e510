"""Survivors of a threshold have the law of noise on every slot: number, identity and values, whatever is pooled or skipped."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from seqveil.engines.protocol import Counts
from seqveil.errors import CallError
from seqveil.wall import sparse
from seqveil.wall.noise import Scale, SecureNoise, SeededNoise, Sigma, drawn
from seqveil.wall.noise.nothing import NoNoise
from seqveil.wall.sparse import POOL, survivors
from strategies import ChosenNoise

P_THRESHOLD = 1e-6
"""Below this a law is wrong. Seeded tests cannot flake; the few secure ones fail by chance once in 10⁵ runs."""


def counts_of(families: list[dict[int, int]]) -> Counts:
    """Non-zero slots of families, given as rank to count."""
    rows = [(f, r, c) for f, family in enumerate(families) for r, c in sorted(family.items())]
    parent, rank, count = (np.array([row[i] for row in rows], np.int64) for i in range(3))
    return Counts(parent, rank, count)


def enumerated(families: list[dict[int, int]], fan_out: list[int], scale, threshold, noise) -> dict[tuple[int, int], int]:
    """The long way: noise for every slot."""
    dense = {(f, r): families[f].get(r, 0) for f, wide in enumerate(fan_out) for r in range(wide)}
    draws = drawn(noise, scale, len(dense)).tolist()
    noisy = {slot: c + x for (slot, c), x in zip(dense.items(), draws, strict=True)}
    return {slot: y for slot, y in noisy.items() if threshold is None or y >= threshold}


def sampled(families, fan_out, scale, threshold, noise, earlier=None) -> dict[tuple[int, int], int]:
    """The short way; also checks that the answer is sorted and names every slot once."""
    s = survivors(counts_of(families), fan_out, scale, threshold, noise, earlier)
    slots = list(zip(s.family.tolist(), s.rank.tolist(), strict=True))
    assert sorted(set(slots)) == slots
    assert all(0 <= r < fan_out[f] for f, r in slots)
    return dict(zip(slots, s.noisy.tolist(), strict=True))


def joint_p(families, fan_out, scale, threshold, noise, times, law_scale=None) -> float:
    """The p-value of the joint outcome of few slots (which pass, values in three bins) against its exact probability."""
    p = (law_scale or scale).probability
    cuts = [0, 2, 5]
    slots = [(f, r) for f, wide in enumerate(fan_out) for r in range(wide)]
    cells = []
    for f, r in slots:
        reach = [p(threshold + cut - families[f].get(r, 0)) for cut in cuts]
        cells.append([1 - reach[0], *(-np.diff([*reach, 0.0]))])
    observed = np.zeros((4,) * len(slots))
    for _ in range(times):
        answer = sampled(families, fan_out, scale, threshold, noise)
        outcome = [np.searchsorted(cuts, answer[s] - threshold, side="right") if s in answer else 0 for s in slots]
        observed[tuple(outcome)] += 1
    expected = times * np.array([math.prod(c) for c in itertools.product(*cells)])
    keep = expected >= 5
    pooled = [*observed.ravel()[keep], observed.ravel()[~keep].sum()], [*expected[keep], expected[~keep].sum()]
    o, e = (x if pooled[1][-1] > 0 else x[:-1] for x in pooled)
    return float(stats.chisquare(o, e).pvalue)


laws = pytest.mark.parametrize("law", [Scale(1.7), Sigma(6.0)], ids=["Laplace", "Gaussian"])
"""Of about the same variance."""

FEW = [  # families (rank to count), fan-outs, threshold
    ([{}], [3], 2),
    ([{1: 2}], [3], 2),
    ([{0: 1}, {}], [1, 2], 1),
    ([{0: 4, 2: 1}], [3], 0),
    ([{}], [1], 3),
    ([{}, {0: 1}, {}], [0, 1, 2], 1),
]


@pytest.mark.slow
@pytest.mark.parametrize(("families", "fan_out", "threshold"), FEW)
@pytest.mark.parametrize("pool", [1, POOL], ids=["pooled", "single"])
@laws
def test_joint_law_of_few_slots_is_exact(families, fan_out, threshold, pool, law, monkeypatch):
    """Every joint outcome of up to three slots has its exact probability: empty families, fan-out 0 and 1, θ = 0."""
    monkeypatch.setattr(sparse, "POOL", pool)

    assert joint_p(families, fan_out, law, threshold, SeededNoise(11), 3_000) > P_THRESHOLD


@pytest.mark.slow
@laws
def test_joint_law_with_secure_noise(law, monkeypatch):
    """The same with the noise of real releases, pooled counts included."""
    monkeypatch.setattr(sparse, "POOL", 1)

    assert joint_p([{1: 2}], [3], law, 2, SecureNoise(), 3_000) > P_THRESHOLD


@pytest.mark.slow
@pytest.mark.parametrize("wrong", [0.8, 1.2])
@pytest.mark.parametrize("families", [[{}], [{1: 2}]], ids=["zeros", "a count"])
def test_the_joint_law_test_rejects_a_scale_20_percent_off(families, wrong):
    """The test above has power: the same draws do not fit the law of a scale 20 % off."""
    assert joint_p(families, [3], Scale(1.7 * wrong), 2, SeededNoise(12), 6_000, law_scale=Scale(1.7)) < P_THRESHOLD


@pytest.mark.slow
@pytest.mark.parametrize("mistake", [Sigma(6.0 * 1.1**2), Sigma(6.0 / 1.1**2), Scale(1.7)], ids=["wider", "narrower", "Laplace"])
def test_the_joint_law_test_rejects_what_is_not_the_gaussian_law(mistake):
    """A width 10 % off and Laplace noise of the same variance do not fit the law of Gaussian noise."""
    assert joint_p([{1: 2}], [3], mistake, 2, SeededNoise(12), 10_000, law_scale=Sigma(6.0)) < P_THRESHOLD


@pytest.mark.slow
def test_pooled_counts_remember_how_far_they_were_from_the_threshold(monkeypatch):
    """Gaussian tails have a memory: an excess that is drawn as if the count were zero is noticed."""

    class Forgetful(SeededNoise):
        def beyond(self, law, threshold, size):
            return super().beyond(law, 6, size)

    monkeypatch.setattr(sparse, "POOL", 1)

    assert joint_p([{0: 5, 1: 5}], [2], Sigma(6.0), 6, SeededNoise(13), 6_000) > P_THRESHOLD
    assert joint_p([{0: 5, 1: 5}], [2], Sigma(6.0), 6, Forgetful(13), 6_000) < P_THRESHOLD


@pytest.mark.slow
@pytest.mark.parametrize("off", [-1, 1])
def test_the_joint_law_test_rejects_a_threshold_off_by_one(off):
    """Letting slots pass one too early or one too late is noticed."""

    class Shifted(SeededNoise):
        def passing(self, scale, threshold, slots):
            return super().passing(scale, threshold + off, slots)

    assert joint_p([{}], [3], Scale(1.7), 2, Shifted(13), 3_000) < P_THRESHOLD


@pytest.mark.slow
def test_the_joint_law_test_rejects_zeros_that_take_occupied_slots():
    """Empty slots are counted without the occupied ones: drawing for all of them is noticed."""

    class Greedy(SeededNoise):
        def passing(self, scale, threshold, slots):
            return min(slots, super().passing(scale, threshold, slots + 1))

    assert joint_p([{1: 2}], [3], Scale(1.7), 2, Greedy(14), 6_000) < P_THRESHOLD


def two_sample_p(a: list[int], b: list[int]) -> float:
    """Chi-square of two samples of integers over bins that hold at least 20 of the two together."""
    values, counts = np.unique(np.concatenate([a, b]), return_counts=True)
    bins = np.minimum(np.cumsum(counts) - counts, len(a) + len(b) - 20) // 20
    table = np.zeros((2, bins.max() + 1))
    for row, sample in zip(table, (a, b), strict=True):
        np.add.at(row, bins[np.searchsorted(values, sample)], 1)
    table = table[:, table.sum(axis=0) > 0]
    return 1.0 if table.shape[1] == 1 else float(stats.chi2_contingency(table).pvalue)


FEATURES = {
    "number": len,
    "first": lambda answer: min(answer, default=(0, -1))[1],
    "last family": lambda answer: max(answer, default=(-1, 0))[0],
    "least": lambda answer: min(answer.values(), default=-1),
    "largest": lambda answer: max(answer.values(), default=-1),
    "spread": lambda answer: sum((f + 1) * (r + 1) * y for (f, r), y in answer.items()) // 2_000,
    "among the counted": lambda answer: sum(r % 2 for _, r in answer),
}


FOUR = Scale(4.0)


def differing(families, fan_out, threshold, times=400, short=FOUR, long=FOUR) -> dict[str, float]:
    """How far the short way and the long way look alike, feature by feature."""
    noise = SeededNoise(15)
    quick = [sampled(families, fan_out, short, threshold, noise) for _ in range(times)]
    slow = [enumerated(families, fan_out, long, threshold, noise) for _ in range(times)]
    return {name: two_sample_p([f(x) for x in quick], [f(x) for x in slow]) for name, f in FEATURES.items()}


POOLED = [{r: 3 for r in range(1, 2 * POOL + 40, 2)}, {0: 50, 7: 3, 8: 1}, {}]
"""A family with more than POOL slots of one count, on odd ranks; one with few; an empty one."""

WIDE = [2 * POOL + 60, 12, 30]


@pytest.mark.slow
@pytest.mark.parametrize("threshold", [0, 3, 9, -2, None])
@pytest.mark.parametrize("law", [Scale(4.0), Sigma(32.0)], ids=["Laplace", "Gaussian"])
def test_pooled_counts_look_like_enumeration(threshold, law):
    """Slots of one count beyond the pooling boundary, at, below and above their threshold; negative and none enumerate."""
    answer = differing(POOLED, WIDE, threshold, short=law, long=law)

    assert min(answer.values()) > P_THRESHOLD, answer


@pytest.mark.slow
def test_the_comparison_with_enumeration_rejects_a_scale_20_percent_off():
    """That comparison has power too."""
    assert min(differing(POOLED, WIDE, 9, times=800, short=Scale(4.8)).values()) < P_THRESHOLD


@pytest.mark.parametrize("size", [POOL - 1, POOL, POOL + 1])
def test_pooling_starts_at_its_boundary(size):
    """From POOL slots of one count on they are drawn together; below, one by one."""
    noise = ChosenNoise([0])
    survivors(counts_of([{r: 2 for r in range(size)}]), [size], Scale(1.0), 5, noise)
    drawn = sum(n for law, _, n in noise.scales if law == "laplace")

    assert (size if size < POOL else 0) == drawn


@pytest.mark.parametrize("noise", [SeededNoise(16), SecureNoise()], ids=lambda noise: noise.kind)
def test_a_million_empty_slots(noise):
    """Fan-out 10⁶ with one count in it: about as many false survivors as the law says, spread evenly, none on the count."""
    scale, threshold = Scale(10.0), 60
    answer = sampled([{500_000: 10_000}], [10**6], scale, threshold, noise)
    false = np.array([r for (_, r), y in answer.items() if r != 500_000])
    law = stats.binom(10**6 - 1, scale.probability(threshold))

    assert (0, 500_000) in answer
    assert P_THRESHOLD < law.cdf(len(false)) < 1 - P_THRESHOLD
    assert stats.kstest(false, stats.uniform(0, 10**6).cdf).pvalue > P_THRESHOLD
    assert min(answer.values()) >= threshold


def test_an_empty_table_and_an_all_zero_level():
    """No families, families without slots, and families without counts all have an answer."""
    assert {} == sampled([], [], Scale(2.0), 3, SeededNoise(1))
    assert {} == sampled([{}, {}], [0, 0], Scale(2.0), 0, SeededNoise(1))
    assert {(1, 0), (1, 1)} >= sampled([{}, {}], [0, 2], Scale(2.0), 0, SeededNoise(1)).keys()
    assert {(0, 0): 0, (0, 1): 0} == sampled([{}], [2], Scale(2.0), None, NoNoise())


HUGE = [[2**70, 2**66], [2**62], [2**62 - 1, 1], [2**61, 2**61], [2**280]]


@pytest.mark.parametrize("fan_out", HUGE, ids=lambda fan_out: f"{fan_out[0].bit_length()} bits")
@pytest.mark.parametrize("passing", [0, 2])
def test_fan_outs_beyond_int64(fan_out, passing):
    """Ranks of any size: sorted, in range, beside the occupied slot; their type follows from the public fan-out alone."""

    class Some(SeededNoise):
        def passing(self, scale, threshold, slots):
            assert sum(fan_out) - 1 == slots
            return passing

    answer = survivors(counts_of([{5: 10**6}]), fan_out, Scale(1.0), 1_000, Some(17))
    ranks = answer.rank.tolist()

    assert 1 + passing == len(ranks) == len(set(zip(answer.family.tolist(), ranks, strict=True)))
    assert 5 == ranks[0]
    assert all(0 <= r < fan_out[f] for f, r in zip(answer.family.tolist(), ranks, strict=True))
    assert (object if sum(fan_out) >= 2**62 else np.int64) == answer.rank.dtype


@given(st.data())
def test_the_ranks_of_empty_slots(data):
    """Whatever is occupied, empty slot number k over all families is the k-th slot that is not occupied."""
    fan_out = data.draw(st.lists(st.integers(0, 7), max_size=5))
    families = [data.draw(st.dictionaries(st.integers(0, w - 1), st.just(1), max_size=w)) if w else {} for w in fan_out]
    empty = [(f, r) for f, w in enumerate(fan_out) for r in range(w) if r not in families[f]]
    chosen = data.draw(st.lists(st.sampled_from(range(len(empty))), unique=True)) if empty else []

    class These(SeededNoise):
        def passing(self, scale, threshold, slots):
            assert len(empty) == slots
            return len(chosen)

        def distinct(self, k, n):
            return np.array(sorted(chosen), np.int64)

    family, rank = sparse._passing_zeros(counts_of(families), fan_out, Scale(1.0), 9, These(1))

    assert [empty[k] for k in sorted(chosen)] == list(zip(family.tolist(), rank.tolist(), strict=True))


@given(st.data())
def test_what_was_told_is_not_asked_again(data):
    """With `told`, exactly the other slots are answered, empty or not, at every kind of threshold."""
    fan_out = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    families = [data.draw(st.dictionaries(st.integers(0, w - 1), st.integers(1, 9))) for w in fan_out]
    slots = [(f, r) for f, w in enumerate(fan_out) for r in range(w)]
    released = sorted(data.draw(st.sets(st.sampled_from(slots))))
    threshold = data.draw(st.sampled_from([None, -3, 0, 5]))
    earlier = Counts(*(np.array([k[i] for k in released], np.int64) for i in range(2)), np.zeros(len(released), np.int64))

    class All(NoNoise):
        def passing(self, scale, threshold, slots):
            return slots

    answer = sampled(families, fan_out, Scale(1.0), threshold, All(), earlier if released else None)
    truth = {(f, r): families[f].get(r, 0) for f, r in slots if (f, r) not in released}
    wanted = {s for s, c in truth.items() if threshold is None or c >= threshold or (threshold >= 0 and c == 0)}

    assert wanted == answer.keys()


def test_a_flood_is_refused_from_public_numbers_alone():
    """A threshold that lets too much noise pass is refused whatever the data, before a draw."""
    noise = ChosenNoise([0])
    for families in ([{}], [{3: 5}], [{r: 1 for r in range(400)}]):
        with pytest.raises(CallError, match="raise the threshold"):
            survivors(counts_of(families), [10**12], Scale(10.0), 3, noise)
        with pytest.raises(CallError, match="threshold of at least 0"):
            survivors(counts_of(families), [10**12], Scale(10.0), -1, noise)

    assert [] == noise.scales


def test_a_flood_of_counts_is_never_refused(monkeypatch):
    """How many slots share a count is raw: however many they are, no refusal depends on it."""
    monkeypatch.setattr(sparse, "MOST_PASSING", 300)
    noise = ChosenNoise([0])
    answer = survivors(counts_of([{r: 5 for r in range(301)}]), [301], Scale(1.0), 5, noise)

    assert 301 == len(answer.noisy)
    assert [] == [n for law, _, n in noise.scales if law == "passing" and n > 0]
