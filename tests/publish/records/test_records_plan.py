"""What a plan of the record model says before anything is asked is true of the release that follows."""

from __future__ import annotations

import re
from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

import seqveil as sv
from seqveil.simulate.records import TYPICAL, sequences
from seqveil.wall import GRAINS


def within(predictions: list[str], what: str) -> float:
    """The noise that a plan states."""
    line = next(line for line in predictions if line.startswith(what))
    number = re.search(r"±([\d,]+)", line)
    assert number is not None
    return float(number[1].replace(",", ""))


@pytest.mark.parametrize(
    ("labels", "n_max", "l_max", "number"), [(17, 4, 10, 30_000), (70, 2, 5, 3_000), (6, 3, 2, 3_000), (30, 2, 20, 3_000)]
)
def test_the_stated_noise_of_pairs_is_that_of_the_release(labels, n_max, l_max, number):
    """Twice the deviation of all noises that the release says its pairs have."""
    domain, mechanism = sv.Domain.range(1, labels), sv.RecordModel(l_max=l_max, n_max=n_max)
    stated = within(mechanism.plan(GRAINS, domain, sv.Record(), number).predictions, "pairs of labels")
    release = sv.experiment(sequences(TYPICAL, domain, number, 4.0, None, seed=1), mechanism, "1", seed=2)
    row = int(np.flatnonzero((release.grams.lengths == 2) & release.grams.measured)[0])
    released = 2 * sqrt(sum(2 * scale**2 for scale in release.grams.counted.scales(row)))

    # Shares follow from a noisy number of records. Enough of them for every level, or few levels: a plan does not know lengths.
    assert stated == pytest.approx(released, rel=0.03, abs=1)


def test_counts_of_labels_stay_within_the_stated_noise():
    """In 95 of 100 cases and more, because the fit uses more than the formula knows; a tenth of it would be too narrow."""
    domain, mechanism = sv.Domain.range(1, 17), sv.RecordModel(l_max=10, n_max=2)
    table = sequences(TYPICAL, domain, 3000, 4.0, None, seed=1)
    stated = within(mechanism.plan(GRAINS, domain, sv.Record(), 3000).predictions, "single labels")
    flat = table.flat.truncate(10)
    true = np.bincount(flat.items, minlength=17)
    releases = [sv.experiment(table, mechanism, "1", seed=seed) for seed in range(12)]
    errors = np.array(
        [[abs(release.count([label]).value - true[int(label) - 1]) for label in domain.labels(range(17))] for release in releases]
    )

    assert np.mean(errors <= stated) >= 0.95
    assert np.mean(errors <= stated / 10) < 0.8


@pytest.mark.parametrize("l_max", [5, "auto"])
@pytest.mark.parametrize("records", [None, 1, 10**9])
def test_the_stages_are_the_whole_budget(l_max, records):
    """Nothing is left, and nothing is counted twice."""
    plan = sv.RecordModel(l_max=l_max).plan(GRAINS, sv.Domain.range(1, 50), sv.User(max_sequences=3), records)

    assert Fraction(GRAINS) == sum(grains for _, grains, _ in plan.stages)
    assert (records is not None) == any("average label" in line for line in plan.predictions)


@pytest.mark.parametrize(("records", "warned"), [(None, False), (20, True), (2_000, False)])
def test_a_number_of_records_below_its_own_noise_is_warned_of(records, warned):
    """With ε = 1 the number of records has noise of ±50 or so."""
    warnings = sv.RecordModel().plan(GRAINS, sv.Domain.range(1, 6), sv.Record(), records).warnings

    assert warned == any("may be empty" in warning for warning in warnings)
