"""Labels that were discovered, as a release: saved, loaded, asked; and damage."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seqveil as sv
from seqveil.errors import CallError, ReleaseDamaged
from seqveil.release import load
from seqveil.release.discovery import LabelRelease
from seqveil.release.discovery.bars import bars
from seqveil.release.labels import UnknownLabel
from seqveil.release.manifest import Manifest
from seqveil.tables.unlisted import labels_of

WORDS = [["Ely", "Ware"]] * 300 + [["Ely"]] * 200 + [["Oz"]]


def discovered(records=WORDS, seed=1):
    return sv.experiment(labels_of(records), sv.Discover(most=5), 1, seed=seed, delta="1e-6")


def test_what_is_loaded_is_what_was_saved(tmp_path):
    release = discovered()
    saved = load(release.save(tmp_path / "r"), LabelRelease)

    assert ["Ely", "Ware"] == saved.domain.labels(range(2))
    assert release.noisy.tolist() == saved.noisy.tolist()
    assert (release.grid, release.sigma, release.threshold, release.most) == (saved.grid, saved.sigma, saved.threshold, 5)
    assert release.digest == saved.digest
    assert saved.domain.discovered.release == release.manifest.release
    assert not saved.empty


def test_a_discovery_of_nothing_is_a_release_too(tmp_path):
    """With an empty file of labels; a forged one that says so, and is not, is damage."""
    saved = load(discovered([["Ely"]]).save(tmp_path / "r"))
    manifest = saved.manifest.to_json().replace('"content": "labels"', '"content": "patterns"')

    assert (True, 0, []) == (saved.empty, len(saved), saved.top(3))
    with pytest.raises(ReleaseDamaged, match=r"0 at 'domain\.size'"):
        Manifest.from_json(manifest)


def test_questions_are_about_single_labels():
    release = discovered()
    first, second = release.top(5)

    assert (["Ely"], ["Ware"]) == (first["pattern"], second["pattern"])
    assert {"pattern": ["Ely"], **release.count(["Ely"]).to_json()} == first
    assert [] == release.top(5, shortest=2)
    assert abs(release.count(["Ware"]).value - 300 / 2**0.5) < 40
    with pytest.raises(CallError, match="give one label"):
        release.count(["Ely", "Ware"])
    with pytest.raises(UnknownLabel):
        release.count(["Oz"])


@pytest.mark.parametrize(("weight", "passing"), [(0, 3), (250, 3), (400, 3), (2_000, 3)])
def test_bars_cover_the_true_weight_given_that_it_passed(weight, passing):
    """At least 95 % of what is seen, whatever the true weight: 20,000 draws; 94 % would be 6 standard errors off."""
    sigma, threshold = 100.0, 300
    noisy = weight + np.random.default_rng(1).normal(0, sigma, 400_000).round().astype(np.int64)
    seen = noisy[noisy >= threshold][:20_000]
    low, high = bars(seen, sigma, threshold)

    assert len(seen) > 300
    assert ((low <= weight) & (weight <= high)).mean() > 0.944
    assert (low <= high).all()


@given(st.integers(1, 10**6), st.integers(0, 10**6), st.floats(0.5, 1e5))
def test_bars_contain_the_answer(threshold, above, sigma):
    low, high = bars(np.array([threshold + above]), sigma, threshold)

    assert 0 <= low[0] <= threshold + above <= high[0]


@pytest.mark.parametrize("fact", ["threshold", "grid", "sigma", "most"])
def test_facts_that_no_discovery_has_are_damage(fact, tmp_path, monkeypatch):
    release = discovered()
    facts = release.facts() | {fact: -1}
    monkeypatch.setattr(LabelRelease, "facts", lambda self: facts)
    again = discovered()
    folder = again.save(tmp_path / "r")

    with pytest.raises(ReleaseDamaged):
        load(folder)


def test_a_weight_below_the_threshold_is_damage(tmp_path, monkeypatch):
    monkeypatch.setattr(LabelRelease, "facts", lambda self: {"grid": 1, "sigma": 1.0, "threshold": 10**15, "most": 1})
    folder = discovered().save(tmp_path / "r")

    with pytest.raises(ReleaseDamaged, match="do not hold labels"):
        load(folder)
