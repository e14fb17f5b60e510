"""`prefix` and `prefix-hybrid` as mechanisms and releases: refusals before spending, budgets, files, answers."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seqveil as sv
from seqveil.errors import CallError
from seqveil.registry import make
from seqveil.release.prefixes import PrefixRelease
from seqveil.wall.budget import grains
from seqveil.wall.run import perform
from strategies import ChosenNoise, chosen_values, databases, domain_of, table_of_codes

CLICKS = table_of_codes([[0, 1, 2], [0, 1], [2, 2]] * 400, 3)


@pytest.mark.parametrize("labels", [60, 175, 5000])
def test_what_noise_would_fill_is_refused_before_anything_is_spent(tmp_path, labels):
    """Beyond some 34 labels a simple tree explodes; the advice that is given works, and the account stays empty."""
    vault = sv.Vault(table_of_codes([[0, 1]], labels), account="trips", home=tmp_path)
    with pytest.raises(CallError, match="false prefixes") as refused:
        vault.release(sv.PrefixPublication(h=30), "1")
    refusal = str(refused.value)
    advice = re.search(r"Use the method prefix-hybrid, or h=(\d+), or deviations=([\d.]+)\.$", refusal)
    assert advice is not None
    h, deviations = int(advice[1]), float(advice[2])
    plan = sv.PrefixPublication(h=30).plan(grains("1"), domain_of(labels), sv.Record())

    assert [refusal] == plan.warnings
    assert "trips" not in [account.name for account in sv.Ledger(tmp_path).accounts()]
    for tried in (sv.PrefixPublication(h=h), sv.PrefixPublication(h=30, deviations=deviations)):
        tried.precheck(grains("1"), domain_of(labels), sv.Record())
    sv.PrefixPublication(h=12, granularity="hybrid").precheck(grains("1"), domain_of(labels), sv.Record())


WRONG = [
    ({"h": 0}, "from 1 to 10,000"),
    ({"h": 10**8}, "from 1 to 10,000"),
    ({"granularity": "fine"}, "'simple' or 'hybrid'"),
    ({"granularity": "hybrid", "fan_out": 1}, "at least 2 labels"),
    ({"granularity": "hybrid", "levels": 1}, "at least 2"),
    ({"deviations": 0}, "above 0"),
]


@pytest.mark.parametrize(("parameters", "expected"), WRONG)
def test_parameters_that_make_no_sense_are_refused(parameters, expected):
    """Each with what is allowed."""
    with pytest.raises(CallError, match=expected):
        sv.PrefixPublication(**parameters)


def test_one_label_and_too_little_epsilon_are_refused():
    """One label tells only lengths; ε must be divisible over the levels."""
    with pytest.raises(CallError, match="1 label"):
        sv.PrefixPublication().precheck(grains("1"), domain_of(1), sv.Record())
    with pytest.raises(CallError, match="too small"):
        sv.PrefixPublication(h=20).precheck(10, domain_of(3), sv.Record())


@given(databases(labels=4, records=6, length=4), chosen_values(), st.booleans())
def test_no_luck_makes_a_path_cost_more_than_epsilon(records, values, hybrid):
    """With noise chosen by an adversary the wall never has to stop the mechanism, and the release is well formed."""
    mechanism = sv.PrefixPublication(h=3, granularity="hybrid" if hybrid else "simple", fan_out=2, levels=2)
    noise = ChosenNoise([v % 10_000 - 5_000 for v in values])
    release = perform(mechanism, table_of_codes(records, 4), sv.User(max_sequences=2), grains("0.7"), noise)

    assert [("prefix tree", "prefixes", "0.7")] == [(s.name, s.kind, s.epsilon) for s in release.manifest.stages]
    assert all(scale >= 2 * 3 / 0.7 - 1e-9 for _, scale, _ in noise.scales)


def test_an_empty_table_is_ordinary_data():
    """It gives a release like any other."""
    release = sv.experiment(table_of_codes([], 3), sv.PrefixPublication(), "1", seed=1)

    assert len(release.synthesize()) < 300
    assert "not released" == release.count(["^", "I1", "I1", "I1", "I1", "I1"]).kind


@pytest.mark.parametrize("method", ["prefix", "prefix-hybrid"])
def test_a_release_comes_back_from_its_files(tmp_path, method):
    """Counts, bars, records and parameters survive; the registry makes it by name."""
    release = sv.experiment(CLICKS, make(method, {"h": "3"}, "publish"), "2", seed=5)
    release.save(tmp_path / "out")
    again = sv.load(tmp_path / "out")

    assert isinstance(again, PrefixRelease)
    assert method == again.manifest.mechanism.name
    assert again.count(["^", "I1", "I2"]) == release.count(["^", "I1", "I2"])
    assert np.array_equal(release.synthetic.items, again.synthetic.items)
    assert again.top(3) == release.top(3)


def test_answers_say_what_they_are():
    """A beginning has a bar, an occurrence is an estimate, sums of beginnings have a bar of their own."""
    release = sv.experiment(CLICKS, sv.PrefixPublication(h=3), "2", seed=5)
    begin, inside = release.count(["^", "I1", "I2"]), release.count(["I1", "I2"])
    both = release.total([["^", "I1"], ["^", "I3"]])

    assert begin.low <= 800 <= begin.high
    assert ("estimate", None) == (inside.kind, inside.low)
    assert abs(inside.value - 800) < 60
    assert both.low <= 1200 <= both.high
    assert "estimate" == release.total([["^", "I1"], ["I3"]]).kind
    with pytest.raises(CallError, match="its labels are"):
        release.count(["^", "I9"])
    with pytest.raises(CallError, match="at least one label"):
        release.count(["^"])


@pytest.mark.slow
def test_bars_cover_the_truth_of_kept_prefixes():
    """Of all prefixes that were kept in many runs at least 95 % have their true count within the bar, false ones included."""
    hits = total = 0
    for seed in range(150):
        release = sv.experiment(CLICKS, sv.PrefixPublication(h=3, deviations=1.0), "0.5", seed=seed)
        truth = {(0,): 800, (2,): 400, (0, 1): 800, (2, 2): 400, (0, 1, 2): 400}
        for row, answer in enumerate(release.answers(range(len(release.prefixes)))):
            hits += answer.low <= truth.get(release.prefixes.gram(row), 0) <= answer.high
            total += 1

    assert hits / total > 0.94
