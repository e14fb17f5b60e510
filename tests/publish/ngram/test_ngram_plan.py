"""What a plan says before anything is asked: its advice is true of the release that follows."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seqveil as sv
from seqveil.wall import GRAINS
from strategies import domain_of, table_of_codes


def advised(predictions: list[str]) -> int:
    """The number of records that a plan asks for."""
    number = re.search(r"from about ([\d,]+) records on", predictions[-1])
    assert number is not None
    return int(number[1].replace(",", ""))


def planned(labels: int, l_max: int, epsilon: int, records: int, n_max: int = 5) -> list[str]:
    return sv.NGram(l_max=l_max, n_max=n_max).plan(epsilon, domain_of(labels), sv.Record(), records).predictions


@given(st.integers(1, 400), st.integers(1, 40), st.integers(GRAINS // 100, 10 * GRAINS), st.integers(1, 10**6))
def test_the_advice_is_about_the_noise(labels, l_max, epsilon, records):
    """With as many records as advised, noise is at most a tenth of an average count, and with fewer it is more."""
    enough = advised(planned(labels, l_max, epsilon, records))
    noise = 3 * l_max / (epsilon // min(5, l_max + 1) / GRAINS)

    assert enough * min(l_max, 5) / labels >= 10 * noise * (1 - 1e-9)
    assert (enough - 1) * min(l_max, 5) / labels <= 10 * noise * (1 + 1e-9)


def test_a_formula_warns_of_nothing_that_depends_on_the_data():
    """How many labels stand out depends on how frequent they are: of that, only a simulation may warn."""
    assert [] == sv.NGram().plan(GRAINS, domain_of(5000), sv.Record(), 1000).warnings
    assert 1200 == advised(planned(labels=2, l_max=20, epsilon=GRAINS, records=28))


@pytest.mark.slow
def test_the_advised_number_of_records_gives_the_promised_accuracy():
    """1,200 records of five items over two labels: 95 % of the single labels come out within ±10 %."""
    table = table_of_codes([[0, 1, 0, 1, 0], [1, 0, 1, 0, 1]] * 600, 2)
    releases = [sv.experiment(table, sv.NGram(second_look=False), "1", seed=seed) for seed in range(300)]
    errors = np.concatenate([np.abs(r.grams.noisy[:2] - 3000) for r in releases])

    assert np.mean(errors <= 300) > 0.93
    assert np.mean(errors <= 100) < 0.93  # the test can tell
