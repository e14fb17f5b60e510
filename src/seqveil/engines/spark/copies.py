"""Equal records brought together: where records own themselves, equal ones are told apart by their number alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from seqveil.engines.spark.passes import stepped
from seqveil.tables.flat import Flat
from seqveil.tables.lots import Key, twin_digests
from seqveil.tables.shards import Shard, batch_of, shards_of
from seqveil.tables.spark import Rows, SparkTable, Work, by_bucket, failing_quietly, few, worked

_BUCKET = "bucket int, items binary, lengths binary"


def gathered_copies(table: SparkTable, key: Key) -> Rows:
    """The rows of a table, shuffled such that equal records lie in one shard."""
    rows = table.rows
    if isinstance(rows.frame, list):
        work = partial(stepped, steps=table.steps)
        batches = [batch for shard in rows.frame for batch in work([batch_of([shard])])]
        joined = list(shards_of(_joined(_scattered(batches, key=key, buckets=1))))
        return Rows(joined, rows.origin)
    with failing_quietly():
        buckets = rows.partitions
        works: tuple[Work, ...] = (partial(stepped, steps=table.steps), partial(_scattered, key=key, buckets=buckets))
        return Rows(
            few(worked(rows.frame, (*rows.works, *works), _BUCKET).repartitionById(buckets, "bucket")),
            rows.origin,
            buckets,
            (_joined,),
        )


def _scattered(batches: Iterable[Any], *, key: Key, buckets: int) -> Iterator[Any]:
    """In an executor: every shard in pieces, by the digests of its records."""
    for shard in shards_of(batches):
        bucket = (twin_digests(shard.flat, key)[0] % np.uint64(buckets)).astype(np.int32)
        present = np.unique(bucket)
        pieces = [shard.take(np.flatnonzero(bucket == b)).packed() for b in present]
        yield pa.RecordBatch.from_arrays(
            [
                pa.array(present, pa.int32()),
                *(pa.array([piece[name] for piece in pieces], pa.binary()) for name in ("items", "lengths")),
            ],
            ["bucket", "items", "lengths"],
        )


def _joined(batches: Iterable[Any]) -> Iterator[Any]:
    """In an executor: one shard of everything that came to a bucket."""
    for rows in by_bucket(batches):
        items, lengths = (
            np.concatenate([np.frombuffer(batch.column(name)[row].as_buffer() or b"", "<i4") for batch, row in rows])
            for name in ("items", "lengths")
        )
        yield batch_of([Shard(Flat(items, np.append(0, np.cumsum(lengths, dtype=np.int64))))])
