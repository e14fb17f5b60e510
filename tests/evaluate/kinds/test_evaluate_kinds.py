"""One function compares every kind of release with the raw data, whoever made it; what it finds is marked INTERNAL."""

from __future__ import annotations

import json
from decimal import Decimal
from itertools import combinations

import pytest
from hypothesis import given

import seqveil as sv
from conformance.methods import NAMES, mechanism, world
from seqveil import registry
from seqveil.errors import CallError
from seqveil.evaluate import Comparison, compare, compare_runs
from seqveil.evaluate.beginnings import top_beginnings
from seqveil.evaluate.experiments import average
from seqveil.evaluate.gapped import holding_gapped, top_gapped
from seqveil.evaluate.mined import top_true
from seqveil.evaluate.patterns import ranked
from seqveil.kinds import KINDS
from seqveil.tables.flat import Flat
from strategies import databases


def data(name, copies=30):
    """The made-up data of a method's kind, often enough for something to rise above the noise."""
    own = world(name)
    people = own.bases()[2]
    return own.table(people if registry.method(name).kind == "graph" else people * copies, own.units()[0])


@pytest.mark.parametrize("name", NAMES)
def test_every_release_is_compared(name):
    """Whatever a registered method makes has numbers, JSON, and tables for people under the word INTERNAL."""
    table = data(name)
    close = compare(table, sv.experiment(table, mechanism(name), "20", seed=1), sources=False)

    assert isinstance(close, Comparison)
    assert (table.kind, True, name) == (close.kind, close.to_dict()["internal"], close.to_dict()["release"]["method"])
    assert str(close).startswith("INTERNAL")
    assert all(len(grid.header) == len(row) for grid in close.grids for row in grid.rows)
    assert close.grids


@pytest.mark.parametrize("name", ["ngram", "two-phase", "diffpart", "itemsets", "graph-random"])
def test_several_runs_of_any_method_have_mean_and_interval(name):
    """The same keys, with mean, low and high in place of every number."""
    close = compare_runs(data(name), mechanism(name), "5", 2, sources=False)
    once = compare(data(name), sv.experiment(data(name), mechanism(name), "5", seed=1), sources=False)

    assert once.metrics.keys() == close.metrics.keys()
    assert "2 experiments" in str(close)
    assert "[" in str(close)


def test_the_evaluators_are_those_of_the_kinds():
    """A kind that can be released can be evaluated; streams, what is no table, and labels without a list cannot."""
    assert {"events", "labels"} == {name for name, kind in KINDS.items() if kind.units and kind.evaluator is None}
    with pytest.raises(CallError, match="cannot be evaluated"):
        compare([["a"]], None)


def test_other_data_than_the_release_was_made_from_is_refused():
    """Of another kind, or over another domain."""
    graph, table = data("der"), data("ngram")
    release = sv.experiment(table, mechanism("ngram"), "5", seed=1)

    with pytest.raises(CallError, match="synthetic records, not made from graph"):
        compare(graph, release)
    with pytest.raises(CallError, match=r"read it with release\.domain"):
        compare(sv.table_of([["a"]], sv.Domain.of(["a", "b"])), release)


def test_without_noise_mined_patterns_are_the_true_ones():
    """Prefixes without noise: every pattern is found, no count is off."""
    table = sv.table_of([["a", "b"]] * 30 + [["b", "a"]] * 20 + [["a", "a"]] * 10, sv.Domain.of(["a", "b"]))
    release = sv.experiment(table, sv.FrequentStrings(longest=2, top=3), "1000", seed=None)
    patterns = compare(table, release)["patterns"]

    assert {"form": "prefix", "released": 3, "f_score": 1.0, "support_error": 0.0, "absent": 0}.items() <= patterns.items()
    assert 1.0 == patterns["top_k"][3]["true_positive_ratio"]


def test_released_counts_are_ranked_without_synthesis():
    """With next to no noise the released counts rank as the truth does."""
    table = sv.table_of([["a", "b", "a"]] * 300 + [["b", "b"]] * 100, sv.Domain.of(["a", "b"]))
    release = sv.experiment(table, sv.NGram(l_max=3, n_max=3), "1000", seed=1)

    assert 1.0 == compare(table, release)["top_k_released"]["occurrences_truncated"][20]["true_positive_ratio"]


def parts(record, form):
    """Everything in one record that counts as a pattern of a form, as often as it counts."""
    places = range(len(record))
    if form == "prefix":
        return [tuple(record[:n]) for n in range(1, len(record) + 1)]
    if form == "subsequence":
        return {tuple(record[i] for i in at) for n in range(1, len(record) + 1) for at in combinations(places, n)}
    if form == "itemset":
        return [chosen for n in range(1, len(record) + 1) for chosen in combinations(record, n)]
    return [tuple(record[i:j]) for i in places for j in range(i + 1, len(record) + 1)]


def brute(records, form, longest):
    """Every pattern of a form with its count, by listing all of them."""
    counts = {}
    for pattern in (pattern for record in records for pattern in parts(record, form) if len(pattern) <= longest):
        counts[pattern] = counts.get(pattern, 0) + 1
    return counts


@pytest.mark.parametrize("form", ["substring", "prefix", "subsequence", "itemset"])
@given(records=databases(labels=3, records=6, length=5))
def test_true_patterns_are_those_of_brute_force(form, records):
    """Of every form, up to a longest length."""
    rows = [sorted(set(record)) for record in records] if form == "itemset" else records

    assert ranked(brute(rows, form, 2), 7) == top_true(form, Flat.of(rows), 3, 7, 1, 2)


@given(records=databases(labels=3, records=6, length=5))
def test_gapped_and_beginning_counts_are_those_of_brute_force(records):
    """What is counted one by one agrees with what is mined."""
    flat = Flat.of(records)
    mined = top_gapped(flat, 3, k=None, shortest=1, longest=3)

    assert list(mined.values()) == holding_gapped(flat, Flat.of(mined), 3).tolist()
    assert brute(records, "prefix", 5) == top_beginnings(flat, 3, k=10**6)


@pytest.mark.parametrize("epsilon", ["0.1", "0.3"])
def test_a_mean_over_runs_of_different_sizes_is_over_all_of_them(epsilon):
    """Runs of a miner release different numbers of patterns; every K is measured in each run, so every mean has an interval."""
    table = sv.table_of([["a", "b", "c"], ["b", "c"], ["c", "a"]] * 40, sv.Domain.of([*"abcdef"]))
    miner = sv.FrequentStrings(longest=2, top=30)
    released = [len(sv.experiment(table, miner, epsilon, seed=seed)) for seed in range(1, 6)]
    comparison = compare_runs(table, miner, epsilon, runs=5)
    tops = comparison["patterns"]["top_k"]

    assert len(set(released)) > 1
    assert [20, 30] == list(tops)
    assert [] == [k for k, of in tops.items() for metric in of.values() if metric["low"] is None]


def test_a_run_that_released_nothing_does_not_end_the_evaluation():
    """It has no interval that could cover anything; the share is that of the others."""
    some, none = {"intervals": {"grams": 3, "covered": 0.5}}, {"intervals": {"grams": 0, "covered": None}}

    assert 0.5 == average([some, none, some])["intervals"]["covered"]["mean"]
    assert 0.5 == average([none, some])["intervals"]["covered"]["mean"]
    assert None is average([none, none])["intervals"]["covered"]
    assert 2.0 == average([some, none, some])["intervals"]["grams"]["mean"]


def test_epsilon_is_given_as_everywhere():
    """A number or a Decimal instead of text makes the same comparison, and JSON of it."""
    text, number, decimal = (compare_runs(data("ffs"), mechanism("ffs"), given, 2) for given in ("1.5", 1.5, Decimal("1.5")))

    assert json.dumps(text.to_dict()) == json.dumps(number.to_dict()) == json.dumps(decimal.to_dict())


def test_fragments_are_seen_beside_exact_counts():
    """Whole records against the same labels in pieces: twice as many, half as long, wrong ends, in words that people read."""
    table = sv.table_of([["a", "b", "a", "b", "a", "b"]] * 400, sv.Domain.of(["a", "b"]))
    release = sv.experiment(table, sv.NGram(l_max=4, n_max=2), "20", seed=1)
    release._synthetic = Flat.of([[0, 1, 0, 1]] * 400)
    whole = compare(table, release, sources=False)
    release._synthetic = Flat.of([[0], [1, 0, 1]] * 400)
    pieces = compare(table, release, sources=False)

    assert {"records": 1, "length": 1, "lengths": 0, "first": 0, "last": 0, "trip": 0} == whole["whole_records"]
    assert {"records": 2, "length": 0.5, "lengths": 1, "first": 0.5, "last": 0.5, "trip": 1} == pieces["whole_records"]
    assert "number of records, synthetic / raw" in str(pieces)
    assert "share of records with a wrong pair of first and last label  1.0000" in str(pieces)


def test_paths_that_nobody_took_are_counted():
    """Two of 1,202 records with a false step move no total variation, but stand in the comparison; so does a lost step."""
    table = sv.table_of([["a", "b", "c"]] * 1_100 + [["a", "c"]] * 100, sv.Domain.of(["a", "b", "c"]))
    release = sv.experiment(table, sv.RecordModel(l_max=3), "1", seed=1)
    release._synthetic = Flat.of([[0, 1, 2]] * 1_200 + [[2, 1]] * 2)
    comparison = compare(table, release, sources=False)

    assert {"false_steps": 2 / 2_402, "missing_steps": 100 / 2_300, "unseen_records": 2 / 1_202, "unseen": 2} == comparison[
        "paths"
    ]
    assert comparison["whole_records"]["first"] < 0.01
    assert "share of synthetic steps that occur nowhere in the raw data" in str(comparison)
    assert "number of synthetic records that no raw record equals" in str(comparison)


@pytest.mark.parametrize(("cut", "judged"), [("first", True), ("window", False), ("sample", False)])
def test_intervals_are_judged_only_where_their_truth_is_known(cut, judged):
    """Which window of a long record was kept is secret, so the true counts in it are not to be had."""
    table = sv.table_of([["a", "b", "a", "b"], ["b"]] * 300, sv.Domain.of(["a", "b"]))
    release = sv.experiment(table, sv.NGram(l_max=2, n_max=2, cut=cut), "5.0", seed=1)

    assert judged == ("intervals" in sv.evaluate.compare(table, release))
