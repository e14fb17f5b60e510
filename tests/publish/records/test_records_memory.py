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
from seqveil.tables.flat import Flat
from seqveil.tables.sequences import SequenceTable

stratum.calls = lambda *_: 2  # time is not what is measured
items = np.cumsum(np.random.default_rng(1).choice([1, 1, 1, 2, 7], 20_000)).astype(np.int32) % 300
records = Flat(items, np.arange(0, 20_001, 400))
domain = sv.Domain.of([f"l{k}" for k in range(300)], public_because="made up")
release = sv.experiment(SequenceTable(domain, records, None), sv.RecordModel(l_max=400, n_max=2), "1000", seed=1)
assert abs(len(release.synthetic) - 50) <= 5
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
"""


@pytest.mark.slow
def test_records_of_400_items_of_300_labels_take_less_than_one_and_a_half_gigabytes() -> None:
    run = subprocess.run([sys.executable, "-c", LONG], capture_output=True, text=True, check=True, env=os.environ)

    assert float(run.stdout) < 1.5
