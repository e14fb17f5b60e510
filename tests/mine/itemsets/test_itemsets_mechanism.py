"""Frequent itemsets: what is found without noise, how sets are truncated, and how bad and empty input is taken."""

import math
import sys
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seqveil as sv
from seqveil.cli.app import main
from seqveil.engines.local.itemsets import truncated_supports
from seqveil.engines.local.subsequences import supports
from seqveil.errors import CallError
from seqveil.tables.flat import Flat
from seqveil.wall.budget import grains

GOODS = sv.Domain.of(list("abcdefgh"))


def baskets(n=2000, seed=2):
    """Baskets around {a, b, c} and {b, e}."""
    random = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        row = set("abc" if random.random() < 0.6 else "be") | {"abcdefgh"[i] for i in random.integers(0, 8, 3)}
        rows.append(sorted(row)[:: 1 if random.random() < 0.5 else -1])
    return sv.sets_of(rows, GOODS)


def truth(table, least):
    """Supports by enumerating the subsets of every basket."""
    out = {}
    for row in table.flat:
        for k in range(1, len(row) + 1):
            for s in combinations(row.tolist(), k):
                out[s] = out.get(s, 0) + 1
    return {s: n for s, n in out.items() if n >= least}


def found_in(release):
    return {release.patterns.pattern(k): int(release.patterns.noisy[k]) for k in range(len(release))}


@pytest.mark.parametrize("how", [{"variant": "sampled"}, {"variant": "clip", "clip": 500}])
def test_without_noise_all_frequent_itemsets_are_found(how):
    """Whatever order a basket is written in."""
    table = baskets()
    release = sv.experiment(table, sv.FrequentItemsets(support=0.25, zeta=0.001, **how), 1.0, seed=None)
    expected = truth(table, math.ceil(0.25 * len(table)))

    assert len(expected) > 12
    assert expected == found_in(release)
    assert "itemset" == release.kind


@pytest.mark.parametrize("how", [{"variant": "tt", "l_most": 4}, {"variant": "clip"}, {"variant": "clip", "clip": 9}])
def test_cut_and_clipped_sets_lose_support_but_invent_none(how):
    """Without noise: every itemset reported is frequent, its support too small if anything."""
    table = baskets()
    expected = truth(table, math.ceil(0.25 * len(table)))
    supports = found_in(sv.experiment(table, sv.FrequentItemsets(support=0.25, **how), 1.0, seed=None))

    assert set(supports) <= set(expected)
    assert all(supports[s] <= expected[s] for s in supports)
    assert {(0,), (0, 1)} <= set(supports)


@given(st.lists(st.sets(st.integers(0, 7)), max_size=6), st.integers(1, 3), st.integers(1, 8), st.data())
@settings(max_examples=150, deadline=None)
def test_truncation_never_adds_and_spares_short_sets(sets, k, l_max, data):
    """A set within l_max relevant items counts for everything it contains."""
    patterns = np.array(
        data.draw(st.lists(st.sampled_from(list(combinations(range(8), k))), min_size=1, max_size=15, unique=True))
    )
    flat = Flat.of(sorted(s) for s in sets)
    cut = truncated_supports(flat, patterns, 8, l_max=l_max, most=len(patterns)).dense(len(patterns))
    whole = supports(flat, patterns, 8).dense(len(patterns))

    assert np.all(cut <= whole)
    if max((len(s & set(patterns.ravel().tolist())) for s in sets), default=0) <= l_max:
        assert whole.tolist() == cut.tolist()


def test_truncation_keeps_the_items_of_most_candidates():
    """Of six items the three that candidates are made of stay."""
    pairs = np.array([[1, 3], [1, 5], [3, 5], [0, 2]])

    assert [1, 1, 1, 0] == truncated_supports(Flat.of([[0, 1, 2, 3, 4, 5]]), pairs, 6, l_max=3, most=4).dense(4).tolist()


def test_equal_items_are_not_favoured_by_their_place_in_the_domain():
    """Single items of long sets stay about equally often; keeping the first four by code would give one 2000 and another 0."""
    rows = [sorted(np.random.default_rng(i).choice(12, 8, replace=False).tolist()) for i in range(3000)]
    counts = truncated_supports(Flat.of(rows), np.arange(12)[:, None], 12, l_max=4, most=4).dense(12)

    assert 12_000 == counts.sum()
    assert counts.min() > 750
    assert counts.max() < 1250


@pytest.mark.parametrize("variant", ["clip", "sampled", "tt"])
@pytest.mark.parametrize("seed", [None, 0, 1])
def test_empty_tables_and_one_label(variant, seed):
    """Ordinary data: nothing is found in nothing, and one label has one itemset."""
    empty = sv.experiment(sv.sets_of([], GOODS), sv.FrequentItemsets(support=0.1, variant=variant), 1.0, seed=seed)
    only = sv.sets_of([["a"]] * 3000, sv.Domain.of(["a"]))
    one = sv.experiment(only, sv.FrequentItemsets(support=0.5, variant=variant), 1.0, seed=seed)

    assert 0 == len(empty)
    assert {(0,)} == set(found_in(one))


@pytest.mark.parametrize("variant", ["clip", "sampled", "tt"])
@pytest.mark.parametrize("parameters", [{"support": 0.2}, {"top": 10}])
def test_no_variant_spends_more_than_it_was_given(variant, parameters):
    """For several seeds."""
    for seed in range(3):
        release = sv.experiment(baskets(500), sv.FrequentItemsets(variant=variant, **parameters), "0.7", seed=seed)
        assert sum(grains(stage.epsilon) for stage in release.manifest.stages) <= grains("0.7")


@pytest.mark.parametrize("wrong", [{}, {"support": 0}, {"support": 2}, {"support": 0.1, "variant": "x"}, {"top": -1}])
def test_wrong_parameters_are_refused(wrong):
    """Before anything is read."""
    with pytest.raises(CallError):
        sv.FrequentItemsets(**wrong)


def test_from_the_command_line(monkeypatch, capfd, tmp_path):
    """One transaction per line in, itemsets out; the order of a query does not matter."""
    (tmp_path / "baskets.dat").write_text("3 1 2\n1 2\n2 1 4\n" * 1000)
    monkeypatch.setattr(
        sys, "argv",
        ["seqveil", "mine", str(tmp_path / "baskets.dat"), "--method", "itemsets", "--support", "0.5", "--domain", "1..5", 
         "--epsilon", "1", "--out", str(tmp_path / "out"), "--account", "itemsets-cli", "--public-because", "printed"],
    )  # fmt: skip
    with pytest.raises(SystemExit) as end:
        main()
    capfd.readouterr()
    release = sv.load(tmp_path / "out")

    assert not end.value.code
    assert release.count(["1", "2"]) == release.count(["2", "1"])
    assert abs(release.count(["2", "1"]).value - 3000) < 500
