"""What a task is sent of several buckets: each bucket by itself, and never a part of one."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from seqveil.tables.spark import by_bucket


def batch(*buckets: int) -> Any:
    return pa.RecordBatch.from_arrays([pa.array(buckets, pa.int32())], ["bucket"])


def test_buckets_that_span_batches_stay_together():
    """A batch may hold rows of many buckets, and a bucket rows of many batches."""
    batches = [batch(3, 3, 1), batch(), batch(1), batch(1, 7)]
    rows = [[(batches.index(some), row) for some, row in bucket] for bucket in by_bucket(batches)]

    assert [[(0, 0), (0, 1)], [(0, 2), (2, 0), (3, 0)], [(3, 1)]] == rows
    assert [] == list(by_bucket([]))


def test_a_bucket_in_two_parts_is_refused():
    """Its users would be bounded twice, once in each part."""
    with pytest.raises(RuntimeError, match="in two parts"):
        list(by_bucket([batch(3, 1), batch(3)]))
