"""Pattern metrics, shapes, sources of error, intervals of experiments: worked examples and their limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

import seqveil as sv
from seqveil.evaluate import compare, compare_runs
from seqveil.evaluate.baseline import exactly, mechanism_of
from seqveil.evaluate.experiments import average, flatten, interval
from seqveil.evaluate.histogram import Histogram, jensen_shannon
from seqveil.evaluate.mining import f_score, false_positives, support_error, true_positive_ratio, utility_loss
from seqveil.evaluate.shape import shape, transition_divergence
from seqveil.evaluate.yardstick import KS, Yardstick
from seqveil.tables.flat import Flat

TRUE = {(0, 1): 10, (1, 2): 8, (2, 0): 5, (0, 0): 4}


@pytest.mark.parametrize(
    ("mined", "k", "ratio", "wrong", "loss"),
    [
        (TRUE, 4, 1.0, 0, 0.0),
        ({}, 4, 0.0, 0, 1.0),
        ({(0, 1): 5, (1, 2): 8}, 2, 1.0, 0, 0.25),
        ({(3, 3): 99, (0, 1): 10}, 2, 0.5, 1, 0.5),
        ({(0, 1): 30, (1, 2): 8, (2, 0): 5, (0, 0): 4}, 4, 1.0, 0, 0.5),
    ],
)
def test_top_k_metrics_by_hand(mined, k, ratio, wrong, loss):
    """True positive ratio, false positives and utility loss of small rankings [Chen 2012, §6.2.2]."""
    actual = [metric(TRUE, mined, k) for metric in (true_positive_ratio, false_positives, utility_loss)]

    assert [ratio, wrong, loss] == actual


@pytest.mark.parametrize(("mined", "score", "error"), [(TRUE, 1.0, 0.0), ({}, 0.0, 1.0), ({(0, 1): 9, (9, 9): 7}, 2 / 6, 0.1)])
def test_frequent_pattern_metrics_by_hand(mined, score, error):
    """F-score and the median relative error of supports [Xu 2015, §VII]."""
    assert (score, error) == (pytest.approx(f_score(TRUE, mined)), pytest.approx(support_error(TRUE, mined)))


@given(st.lists(st.integers(0, 5), min_size=1), st.lists(st.integers(0, 5), min_size=1))
def test_the_divergence_is_that_of_scipy(one, other):
    """scipy gives its square root."""
    p, q = np.bincount(one, minlength=6), np.bincount(other, minlength=6)
    ours = jensen_shannon(Histogram.of(np.array(one)), Histogram.of(np.array(other)))

    assert ours == pytest.approx(jensenshannon(p, q, base=2) ** 2, abs=1e-9)


def test_rows_of_the_transition_matrix_are_weighted_by_the_truth():
    """Three steps out of 0 agree, the one step out of 1 is missing: a quarter of the weight at distance 1."""
    truth, other = Flat.of([[0, 0, 0, 0], [1, 0]]), Flat.of([[0, 0]])

    assert 0.25 == transition_divergence(Histogram.of(truth.steps(2)), Histogram.of(other.steps(2)), 2)


def test_shapes_of_disjoint_data_are_as_far_apart_as_can_be():
    """Everything that can differ differs."""
    distances = shape(Flat.of([[0, 0]] * 3), Flat.of([[1, 1, 1]]), 2)

    worst = {name for name, value in distances.items() if value == 1.0}

    assert {"lengths", "starts", "ends", "trips", "transitions", "items"} == worst


def test_shapes_of_nothing_are_defined():
    """Empty data raise nothing."""
    nothing = Flat.of([])

    assert 0.0 == shape(nothing, nothing, 2)["trips"]
    assert 1.0 == shape(Flat.of([[0, 1]]), nothing, 2)["transitions"]


def test_the_sources_of_error_cover_the_whole_error():
    """Each is measured, they sum to at least the total, and each vanishes where its cause does."""
    raw = Flat.of([[0, 1, 2, 0, 1, 2], [1, 1]] * 100)
    yard = Yardstick(raw, 3, l_max=3)
    noisy = Flat.of([[0, 1, 2], [1, 1]] * 90)
    sources = yard.error_sources(noisy, exact=yard.cut)

    for parts in sources.values():
        assert parts["model"] == 0.0
        assert parts["truncation"] > 0 < parts["noise"]
        assert parts["total"] <= parts["truncation"] + parts["model"] + parts["noise"] + 1e-12
    assert yard.error_sources(yard.cut, yard.cut)[4]["noise"] == 0.0
    assert sources[4]["total"] == pytest.approx(yard.count_error(noisy)["full"][4])


@pytest.fixture(scope="module")
def table():
    """Two habits and a rare one."""
    domain = sv.Domain.of(["a", "b", "c"])
    return sv.table_of([["a", "b", "c"]] * 900 + [["b", "b"]] * 500 + [["c"]] * 100, domain)


def test_an_evaluation_has_the_documented_keys(table):
    """The keys that docs/evaluate.md promises, whatever the numbers are."""
    release = sv.experiment(table, sv.NGram(l_max=4, n_max=3), epsilon="2.0", seed=1)
    comparison = compare(table, release).to_dict()

    assert ["full", "truncated"] == list(comparison["count_error"])
    assert [4, 8, 12, 16, 20] == list(comparison["count_error"]["full"]) == list(comparison["count_error"]["truncated"])
    assert ["occurrences_truncated", "documents_full", "gapped_documents"] == list(comparison["top_k"])
    for by_k in comparison["top_k"].values():
        assert list(KS) == list(by_k)
        assert {"true_positive_ratio", "utility_loss", "false_positives"} == set(by_k[20])
    assert {"lengths", "starts", "ends", "trips", "transitions", "items", "coverage"} < set(comparison["shape"])
    assert {"truncation", "model", "noise", "total"} == set(comparison["error_sources"][4])
    assert ("ngram", "2.0", False) == tuple(comparison["release"][key] for key in ("method", "epsilon", "private"))
    assert {"visited_all", "prefix"} == set(comparison["other_queries"])


def test_without_noise_only_truncation_and_model_are_left(table):
    """The Baseline's noise is nothing, its counts are exact and its intervals cover."""
    release = sv.experiment(table, exactly(sv.NGram(l_max=4, n_max=4)), epsilon="1.0", seed=None)
    comparison = compare(table, release)

    assert {0.0} == {parts["noise"] for parts in comparison["error_sources"].values()}
    assert 0.0 == comparison["count_error"]["full"][4]
    assert 1.0 == comparison["intervals"]["covered"]
    assert 1.0 == comparison["top_k"]["gapped_documents"][20]["true_positive_ratio"]


def test_the_mechanism_is_rebuilt_from_the_manifest(table):
    """The Baseline uses the parameters that made the release, and a threshold that keeps everything."""
    release = sv.experiment(table, sv.NGram(l_max=3, n_max=2, approximate=False), epsilon="1.0", seed=1)

    assert sv.NGram(l_max=3, n_max=2, approximate=False) == mechanism_of(release)
    assert sv.NGram(3, 2, "uniform", approximate=False, theta=1.0) == exactly(mechanism_of(release))


def test_a_model_that_does_not_fit_is_left_out(table, monkeypatch):
    """Everything else is measured all the same."""
    import seqveil.wall.vault as vault

    release = sv.experiment(table, sv.NGram(l_max=3, n_max=2), epsilon="1.0", seed=1)

    def too_large(*_, **__):
        raise MemoryError

    monkeypatch.setattr(vault, "experiment", too_large)
    comparison = compare(table, release)

    assert "error_sources" not in comparison
    assert "shape" in comparison


def test_experiments_give_means_and_intervals(table):
    """Several seeds under the same keys; the mean lies inside its interval, and the seeds repeat."""
    first = compare_runs(table, sv.NGram(l_max=3, n_max=2), "0.5", runs=3, sources=False)
    again = compare_runs(table, sv.NGram(l_max=3, n_max=2), "0.5", runs=3, sources=False)
    error = first["count_error"]["full"][4]

    assert error["low"] <= error["mean"] <= error["high"]
    assert flatten(first["count_error"]) == flatten(again["count_error"])
    assert (3, False) == (first.subject["experiments"]["runs"], first.subject["experiments"]["private"])


def test_one_run_has_no_interval():
    """Nobody can tell how far off a single run is."""
    assert {"mean": 2.0, "low": None, "high": None} == interval([2.0])
    assert {"a": {"mean": 1.0, "low": None, "high": None}} == average([{"a": 1.0, "name": "x"}])


def test_no_frequent_pattern_is_no_error():
    """100 records that share no two labels in a row: nothing is held by 2 % of them, in the raw data or in a perfect copy."""
    raw = Flat.of([[2 * i, 2 * i + 1] for i in range(100)])
    measures = Yardstick(raw, labels=200, l_max=2).shape(raw)

    assert (1.0, 0.0) == (measures["frequent_f_score"], measures["frequent_support_error"])
