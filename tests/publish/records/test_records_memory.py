"""What a fit holds is bounded by public parameters, however long records may be."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from seqveil.publish.records.labels import MOST_CELLS, TABLES, most_symbols
from seqveil.publish.records.measuring import most_contexts


@pytest.mark.parametrize("high", [3, 5, 20, 100, 300, 1000])
@pytest.mark.parametrize("labels", [2, 17, 64, 65, 256, 100_000])
def test_states_of_all_levels_fit_into_memory(high: int, labels: int) -> None:
    symbols = min(labels, most_symbols(high, labels))
    states = symbols
    for _ in range(6):
        states += min(most_contexts(symbols, high, states), states * symbols)

    assert high * (states * symbols + TABLES * symbols**2) <= MOST_CELLS


def test_usual_records_are_not_bounded_by_memory() -> None:
    for high in (5, 20, 50):
        assert most_symbols(high, 10_000) == 384
        assert most_contexts(17, high, 17 + 3 * 4000) == 4000
        assert most_contexts(256, high, 256) == 2288


LONG = """
import resource, sys
import numpy as np
import seqveil as sv
from seqveil.models.records import stratum
from seqveil.publish.records import labels, measuring
from seqveil.tables.flat import Flat
from seqveil.tables.sequences import SequenceTable

stratum.calls = lambda *_: 2  # time is not what is measured
labels.MOST_CELLS = measuring.MOST_CELLS = float(sys.argv[1])


def publish(length, size):
    items = np.random.default_rng(1).integers(0, size, 20_000).astype(np.int32)
    records = Flat(items, np.arange(0, 20_001, length))
    domain = sv.Domain.range(1, size, public_because="made up")
    table = SequenceTable(domain, records, None)
    return sv.experiment(table, sv.RecordModel(l_max=length, n_max=3), "100000", seed=1)


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


publish(5, 5)  # what is imported and compiled is in the memory before the fit
before = peak()
release = publish(500, 60)
assert len(release.synthetic) == 40
print(peak() - before)
"""

CELLS, MARGIN, ASIDE = 1.2e7, 1.25, 40e6
"""A twentieth of the usual room, so that the test is quick. Allowed beyond four bytes per cell: a quarter for arrays that do not
grow with the length of records, and so many bytes for the data and the tables of the release."""


def test_long_records_take_no_more_memory_than_the_bound_says() -> None:
    run = subprocess.run([sys.executable, "-c", LONG, str(CELLS)], capture_output=True, text=True, check=True, env=os.environ)

    assert float(run.stdout) < MARGIN * 4 * CELLS + ASIDE
