"""A release is compared with records that were cut as it cut them."""

from __future__ import annotations

import pytest

import seqveil as sv
from seqveil.evaluate.cut import drawn, records_of
from seqveil.evaluate.kinds.sequences import SequenceEvaluator
from strategies import table_of_codes

TABLE = table_of_codes([range(12)] * 400 + [(3, 4)] * 100, 12)


@pytest.mark.parametrize("cut", ["first", "window", "sample"])
def test_the_yardstick_is_cut_as_the_release_was(cut):
    """Late labels are in the truth of "truncated" only where they may be kept; error bars are checked only where it is known."""
    release = sv.experiment(TABLE, sv.NGram(l_max=4, n_max=2, cut=cut), epsilon="50", seed=1)
    metrics = SequenceEvaluator(TABLE).measure(release, False, lambda step: None)
    records = records_of(release, TABLE)

    assert (cut != "first") == drawn(release) == (11 in records.items) == ("intervals" not in metrics)
    assert 4 == records.lengths.max()
    assert metrics["count_error"]["truncated"][4] < 0.2
