"""What a plan says before anything is asked: its warnings and its advice are true of the release that follows."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seqveil as sv
from seqveil.surface import command_line, speaking
from seqveil.wall import GRAINS
from strategies import domain_of, table_of_codes


def advised(warning: str) -> int:
    """The number of records that a warning asks for."""
    number = re.search(r"about ([\d,]+) records are needed", warning)
    assert number is not None
    return int(number[1].replace(",", ""))


def planned(labels: int, l_max: int, epsilon: int, records: int, n_max: int = 5) -> list[str]:
    return sv.NGram(l_max=l_max, n_max=n_max).plan(epsilon, domain_of(labels), sv.Record(), records).warnings


@given(st.integers(1, 400), st.integers(1, 40), st.integers(GRAINS // 100, 10 * GRAINS), st.integers(1, 10**6))
def test_the_advice_is_about_the_noise(labels, l_max, epsilon, records):
    """With as many records as advised there is no warning, and noise is at most a tenth of an average count."""
    for warning in planned(labels, l_max, epsilon, records):
        enough = advised(warning)
        noise = 3 * l_max / (epsilon // min(5, l_max + 1) / GRAINS)

        assert enough > records
        assert [] == planned(labels, l_max, epsilon, enough)
        assert enough * min(l_max, 5) / labels >= 10 * noise * (1 - 1e-9)


def test_noise_above_the_counts_is_warned_of():
    """Two labels, ε = 1: the threshold of 69 is passed by 28 records, but noise of ±300 swamps their 70 occurrences."""
    (warning,) = planned(labels=2, l_max=20, epsilon=GRAINS, records=28)

    assert 1200 == advised(warning)
    assert [] == planned(labels=2, l_max=20, epsilon=GRAINS, records=1200)


@pytest.mark.slow
def test_the_advised_number_of_records_gives_the_promised_accuracy():
    """1,200 records of five items over two labels: 95 % of the single labels come out within ±10 %."""
    table = table_of_codes([[0, 1, 0, 1, 0], [1, 0, 1, 0, 1]] * 600, 2)
    releases = [sv.experiment(table, sv.NGram(second_look=False), "1", seed=seed) for seed in range(300)]
    errors = np.concatenate([np.abs(r.grams.noisy[:2] - 3000) for r in releases])

    assert np.mean(errors <= 300) > 0.93
    assert np.mean(errors <= 100) < 0.93  # the test can tell


def test_messages_name_parameters_as_they_were_given():
    """An argument in Python, an option on the command line."""
    (warning,) = planned(labels=2, l_max=20, epsilon=GRAINS, records=28)
    with speaking(command_line):
        (typed,) = planned(labels=2, l_max=20, epsilon=GRAINS, records=28)

    assert "a smaller l_max or" in warning
    assert "a smaller --l-max or" in typed
