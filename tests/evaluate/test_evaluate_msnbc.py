"""The whole of MSNBC: the bars of the method, and how fast it is measured."""

from __future__ import annotations

from time import process_time

import pytest

import seqveil as sv
from seqveil.evaluate.bench.data import read
from seqveil.evaluate.contiguous import top_contiguous
from seqveil.evaluate.count_queries import workload
from seqveil.evaluate.gapped import top_gapped
from seqveil.evaluate.trie import occurrences
from seqveil.evaluate.yardstick import Yardstick

pytestmark = [pytest.mark.data, pytest.mark.slow]


@pytest.fixture(scope="module")
def msnbc(real_data):
    """989,818 sequences over 17 items."""
    return read(real_data("msnbc.seq.gz"), "1..17")


def test_counts_and_patterns_meet_the_bars(msnbc):
    """T ≤ .040 and F ≤ .10 at ε = 1, and nearly all of the top 20 under every reading."""
    release = sv.experiment(msnbc, sv.NGram(l_max=20, n_max=5), epsilon="1.0", seed=1)
    yard = Yardstick(msnbc.flat, 17, 20)
    errors, patterns = yard.count_error(release.synthetic), yard.top_k(release.synthetic)

    assert errors["truncated"][4] <= 0.040
    assert errors["full"][4] <= 0.10
    assert min(metrics[20]["true_positive_ratio"] for metrics in patterns.values()) >= 0.9


@pytest.mark.parametrize(
    ("work", "seconds"),
    [
        (lambda flat: top_contiguous(flat, 17, 100, "occurrences"), 2),
        (lambda flat: top_contiguous(flat, 17, 100, "documents"), 2),
        (lambda flat: top_gapped(flat, 17, 100), 6),
        (lambda flat: occurrences(flat, workload(17), 17), 1),
    ],
    ids=["contiguous by occurrences", "contiguous by documents", "gapped", "50,000 count queries"],
)
def test_raw_data_are_measured_in_seconds(msnbc, work, seconds):
    """Three times the bar, of processor time, and three tries: neither compiling nor neighbours on the machine decide."""
    for _ in range(3):
        began = process_time()
        work(msnbc.flat)
        if (took := process_time() - began) <= 3 * seconds:
            return

    assert took <= 3 * seconds
