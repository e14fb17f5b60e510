"""What a notebook shows of a release: for every kind, with everything escaped."""

from __future__ import annotations

import numpy as np
import pytest

import record_models
from sealing import sealed
from seqveil.facts import Holder
from seqveil.release.graphs import GraphRelease
from seqveil.release.patterns import PatternRelease, PatternTable
from seqveil.tables.domain import Domain

LABELS = Domain.of(["<script>", "b", "c"])


def model():
    return record_models.model_of([(0, 1), (1, 0)], LABELS)


def patterns():
    table = PatternTable.of([[0, 1], [2]], noisy=[900, 60], scale=20.0, threshold=50)
    return PatternRelease(LABELS, patterns=table, kind="substring", about="records with it")


def graph():
    return GraphRelease(LABELS, low=np.array([0, 1]), high=np.array([1, 2]))


@pytest.mark.parametrize("make", [model, patterns, graph])
def test_every_kind_is_shown_and_escaped(make):
    shown = sealed(make(), holder=Holder(dataset="<i>taps</i>"))._repr_html_()

    assert "ε = 1.0" in shown
    assert "For any two datasets that differ in one record" in shown
    assert "&lt;script&gt;" in shown
    assert "<script" not in shown
    assert "&lt;i&gt;taps" in shown
    assert 'style="background' in shown


def test_an_experiment_says_so_and_an_unsealed_release_shows_nothing():
    assert "EXPERIMENT" in sealed(model(), private=False)._repr_html_()
    assert model()._repr_html_() is None


def test_numbers_stand_with_their_intervals_and_what_they_count():
    shown = sealed(model())._repr_html_()
    best, size = model().top(8, shortest=2)[0], model().size()

    assert f"({size.low:,} to {size.high:,}), {size.about}" in shown
    assert best["about"] in shown
    assert (f"({best['low']:,} to {best['high']:,})" if best["low"] is not None else "(estimate)") in shown
