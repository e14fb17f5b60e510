"""The two-phase miner: its worked examples, its model, its allocation, its budgets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import seqveil as sv
from seqveil.engines.local.fingerprints import fingerprint_counts
from seqveil.errors import CallError
from seqveil.mine.refinement import rounded_down
from seqveil.mine.twophase.allocation import average_count, budget
from seqveil.mine.twophase.model import contexts, dynamic_model, fitting_order, sample_model
from seqveil.tables.flat import Flat
from seqveil.trees.tree import LevelTree
from seqveil.wall.budget import grains
from seqveil.wall.run import perform
from strategies import ChosenNoise, chosen_values, databases, domain_of, table_of_codes


def coded(*strings: str) -> list[list[int]]:
    return [["abcd".index(c) for c in s] for s in strings]


EXAMPLE_3_3 = coded("ababbaa", "abab", "babba")


def mined(mechanism, records, labels: int, epsilon: str = "1000") -> dict[tuple[int, ...], float]:
    release = sv.experiment(table_of_codes(records, labels), mechanism, epsilon, seed=None)
    return {release.patterns.pattern(k): float(release.patterns.count[k]) for k in range(len(release))}


@pytest.mark.parametrize(
    "miner",
    [
        sv.PrefixMiner(top=8, shortest=3, longest=3, h=7),
        sv.TwoPhase(top=8, shortest=3, longest=3, h=7, l_prime=7, wider=1.0),
    ],
)
def test_example_3_3(miner):
    """aba and bba occur twice; as prefixes aba twice and bba never."""
    counts = mined(miner, EXAMPLE_3_3, 2)
    begin = mined(type(miner)(top=8, shortest=3, longest=3, h=7, patterns="prefix"), EXAMPLE_3_3, 2)

    assert (2, 2) == (counts[0, 1, 0], counts[1, 1, 0])
    assert {(0, 1, 0): 2.0, (1, 0, 1): 1.0} == begin


def test_example_3_12():
    """[1,1,1,0] for a string that fits, and [1,0,1,1] → [0,0,1,1] for one that must be cut to four symbols."""
    x, y = coded("aabb", "bbcacdcbccddaa")
    patterns = [tuple(p) for p in coded("aa", "ab", "bb", "ac")]

    assert [1, 1, 1, 0] == fingerprint_counts(Flat.of([x]), 4, patterns, 4, 99).dense(4).tolist()
    assert [1, 0, 1, 1] == fingerprint_counts(Flat.of([y]), 4, patterns, 14, 99).dense(4).tolist()
    assert [0, 0, 1, 1] == fingerprint_counts(Flat.of([y]), 4, patterns, 4, 99).dense(4).tolist()


@given(databases(labels=3, records=6, length=7))
def test_without_noise_substrings_of_the_tree_are_those_of_the_data(records):
    """Both miners, all substrings of two and three labels: exactly as often as they occur."""
    truth: dict[tuple[int, ...], float] = {}
    for r in records:
        for n in (2, 3):
            for i in range(len(r) - n + 1):
                truth[tuple(r[i : i + n])] = truth.get(tuple(r[i : i + n]), 0.0) + 1
    every = {"top": 36, "shortest": 2, "longest": 3, "h": 7}

    assert truth == mined(sv.PrefixMiner(**every), records, 3)
    assert truth == mined(sv.TwoPhase(**every, l_prime=7, wider=1.0), records, 3, "100000")


def small_tree() -> LevelTree:
    """a:6 b:4, aa:1 ab:5 ba:3, aba:4."""
    tree = LevelTree(labels=2)
    for parent, symbol, noisy in ([0, 0], [0, 1], [6, 4]), ([1, 1, 2], [0, 1, 0], [1, 5, 3]), ([4], [0], [4]):
        tree.add(np.array(parent), np.array(symbol), np.array(noisy))
    return tree


def test_the_dynamic_model_uses_what_the_tree_knows():
    """Order 1: f(a) = 6 + 1 + 3 among nodes with a known family, f(aa) = 1, f(ab) = 5; b → a seen 3 + 4 of 4 + 5."""
    tree = small_tree()
    model = dynamic_model(tree, order=1)
    a, b = np.array([0]), np.array([1])

    assert [-1, 0, 1, 0, 1, 0, 0] == contexts(tree, 1).tolist()
    assert (0.1, 0.5) == (model.probability(a, a)[0], model.probability(a, b)[0])
    assert (0.5, 7 / 9) == (model.mode(a)[0], model.mode(b)[0])
    assert 0.0 == model.probability(b, b)[0]


def test_the_sample_model_counts_transitions():
    """Order 2 in abab, ab: ab is seen three times and goes on to a once."""
    model = sample_model(Flat.of(coded("abab", "ab")), labels=2, order=2)

    assert [1 / 3] == model.probability(np.array([1]), np.array([0])).tolist()
    assert [0.0] == model.mode(np.array([3])).tolist()
    assert [0.0] == sample_model(Flat.of([]), 2, 2).mode(np.array([0])).tolist()


@given(
    st.lists(st.tuples(st.integers(0, 10**18), st.floats(-1e9, 1e12)), min_size=1, max_size=20),
    st.integers(1, 10),
    st.floats(-1e6, 1e6),
)
@example([(10**17 + 9, 0.0)], 1, 0.0)  # as a float this is more
def test_no_family_gets_more_than_an_even_share(families, levels, size):
    """Algorithm 4 as printed divides by zero and may give 2.5 times or less than nothing; here 0 ≤ ε ≤ rest/levels."""
    remaining = np.array([r for r, _ in families])
    estimate = np.array([c for _, c in families])
    paid = budget(remaining, levels, estimate, average_count(size, 3, 1.0))

    assert (paid >= 0).all()
    assert (paid <= remaining // levels).all()
    assert (paid == remaining // levels)[estimate <= 1].all()  # λ is at least 1: an even share is not rounded
    assert (paid[remaining // levels > 1000] > 0).all()


def test_few_distinct_scales_exist():
    """A million different amounts become at most four a doubling, and none loses more than 16 %."""
    amounts = np.random.default_rng(0).integers(1, 10**12, 10**6)
    rounded = rounded_down(amounts, 10**12)

    assert len(np.unique(rounded)) < 4 * 40
    assert (rounded <= amounts).all()
    assert (rounded[amounts > 10**6] > 0.84 * amounts[amounts > 10**6]).all()


@given(databases(labels=3, records=5, length=5), chosen_values(), st.booleans(), st.booleans())
def test_no_luck_makes_a_path_cost_more_than_epsilon(records, values, prefixes, sample):
    """With noise chosen by an adversary the wall never stops the miner, and the bill sums to at most ε."""
    public = sv.PublicSample(domain_of(3), Flat.of([[0, 1, 2, 0]]), because="a test") if sample else None
    mechanism = sv.TwoPhase(
        top=4, shortest=1, longest=3, h=4, l_most=5, patterns="prefix" if prefixes else "substring", sample=public, order=1
    )
    noise = ChosenNoise([v % 100_000 - 20_000 for v in values])
    release = perform(mechanism, table_of_codes(records, 3), sv.User(max_sequences=2), grains("0.7"), noise)

    assert sum(grains(stage.epsilon) for stage in release.manifest.stages) <= grains("0.7")
    assert len(release) <= 4


@given(databases(labels=3, records=5, length=5), chosen_values(), st.sampled_from(["adaptive", "hybrid", "linear"]))
def test_no_luck_makes_the_prefix_miner_overspend(records, values, strategy):
    """The same for the prefix miner; the printed adaptive strategy forgets what the parent has cost."""
    noise = ChosenNoise([v % 100_000 - 20_000 for v in values])
    mechanism = sv.PrefixMiner(top=5, shortest=1, longest=3, h=4, strategy=strategy, patterns="prefix", q=2)

    assert len(perform(mechanism, table_of_codes(records, 3), sv.Record(), grains("0.7"), noise)) <= 5


WRONG = [
    ({"top": 0}, "at least 1 pattern"),
    ({"shortest": 0}, "1 ≤ shortest"),
    ({"shortest": 5, "longest": 4}, "shortest ≤ longest"),
    ({"longest": 11, "h": 10}, "raise h"),
    ({"first": 1.0}, "0.05 and 0.95"),
    ({"order": 0}, "at least 1; 2 is usual"),
    ({"wider": 0.5}, "number of at least 1"),
    ({"l_prime": 3}, "at least longest"),
    ({"l_most": 3}, "at least longest"),
    ({"deviations": -1}, "above 0"),
    ({"alpha": 0}, "above 0"),
    ({"patterns": "sets"}, "'substring' or 'prefix'"),
    ({"sample": {"records": 3}}, "PublicSample"),
]


@pytest.mark.parametrize(("parameters", "expected"), WRONG)
def test_parameters_that_make_no_sense_are_refused(parameters, expected):
    """Each with what is allowed."""
    with pytest.raises(CallError, match=expected):
        sv.TwoPhase(**parameters)


@pytest.mark.parametrize("mechanism", [sv.TwoPhase(top=60), sv.PrefixMiner(top=60), sv.FrequentStrings(top=60)])
def test_bad_universes_are_refused_before_anything_is_spent(tmp_path, mechanism):
    """More patterns than exist, or one label: nothing is reserved."""
    many = type(mechanism)(top=10**9)
    for labels, asked, expected in ((2, many, "patterns of"), (1, mechanism, "1 label")):
        vault = sv.Vault(table_of_codes([[0]], labels), account="a", home=tmp_path)
        with pytest.raises(CallError, match=expected):
            vault.release(asked, "1")

    assert [] == sv.Ledger(tmp_path).accounts()


def test_a_sample_needs_someone_who_vouches_and_the_same_domain():
    """It gets no protection, so its publicness must be stated; the manifest carries that and a digest, no record."""
    with pytest.raises(CallError, match="no reason given"):
        sv.PublicSample(domain_of(3), Flat.of([[0]]), because=" ")
    sample = sv.PublicSample(domain_of(3), Flat.of([[0, 1]]), because="volunteers")
    with pytest.raises(CallError, match="another domain"):
        sv.TwoPhase(sample=sample).precheck(grains("1"), domain_of(4), sv.Record())

    assert {"records", "digest", "public_because"} == set(sv.TwoPhase(sample=sample).parameters()["sample"])


def test_a_sample_inside_the_data_is_treated_like_any_other():
    """Whether the sample overlaps the protected data is never told: the run goes on without a word."""
    records = [[0, 1, 2, 0, 1]] * 300
    sample = sv.PublicSample(domain_of(3), Flat.of(records[:10]), because="a test")

    assert len(sv.experiment(table_of_codes(records, 3), sv.TwoPhase(top=5, sample=sample), "1", seed=1)) == 5


@pytest.mark.parametrize("mechanism", [sv.TwoPhase(top=5), sv.PrefixMiner(top=5), sv.FrequentStrings(top=5)])
def test_an_empty_table_is_ordinary_data(mechanism):
    """It gives a release like any other, which may hold false patterns or none."""
    assert 0 <= len(sv.experiment(table_of_codes([], 3), mechanism, "1", seed=4)) <= 5


def test_large_alphabets_get_a_lower_order_and_a_higher_threshold():
    """Contexts must fit into one number, and noise must not fill the tree."""
    assert (1, 1, 3) == (fitting_order(2, 10**7), fitting_order(1, 10**8), fitting_order(3, 1000))
    for labels in (17, 175, 10_000):
        sv.TwoPhase().precheck(grains("1"), domain_of(labels), sv.Record())
    with pytest.raises(CallError, match="Leave out deviations"):
        sv.TwoPhase(deviations=2.0).precheck(grains("1"), domain_of(10_000), sv.Record())
