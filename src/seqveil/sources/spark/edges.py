"""Graphs with Spark: the two ends of every edge, each edge once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from seqveil.errors import InputProblems
from seqveil.sources.columns import as_text, is_text_like
from seqveil.sources.formats import FRAME
from seqveil.sources.layout import Layout
from seqveil.sources.spark.frames import Loaded, types_of
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.shards import Shard, batch_of
from seqveil.tables.spark import Rows, SparkGraph, by_bucket, failing_quietly, few

_ENDS = "bucket int, pairs binary"


def load_edges(spark: Any, data: Any, name: str, layout: Layout) -> Loaded:
    """The two columns of a DataFrame; more or fewer are refused, so that nobody guesses which ones are meant."""
    from pyspark.sql import functions as f

    if layout.format != FRAME:
        raise InputProblems(name, ["graphs are read from a DataFrame here: give read_spark a DataFrame with two columns"])
    schema = types_of(data)
    if len(schema.names) != 2 or not all(is_text_like(kind) for kind in schema.types):
        raise InputProblems(name, ["must have two columns of text or numbers, the ends of every edge: select them"])
    first, second = (f.col("`" + column.replace("`", "``") + "`") for column in schema.names)
    return Loaded(
        data.select(first.alias("first"), second.alias("second")), "columns", {}, f"a DataFrame {data.schema.simpleString()}"
    )


def read_edges(loaded: Loaded, domain: Domain, buckets: int) -> SparkGraph:
    """Loops, repeats and edges to vertices outside the domain are dropped silently, as everywhere."""
    with failing_quietly():
        public = Domain(domain.names)
        ends = few(loaded.frame).mapInArrow(partial(_pairs, domain=public, buckets=buckets), _ENDS)
        pairs = ends.repartitionById(buckets, "bucket")
        return SparkGraph(domain, Rows(few(pairs), loaded.origin, buckets, (partial(_edges, labels=len(domain)),)))


def _pairs(batches: Iterable[Any], *, domain: Domain, buckets: int) -> Iterator[Any]:
    """In an executor: edges as numbers, by what they leave when divided by the number of tasks."""
    for batch in batches:
        ends = [domain.find(as_text(batch.column(name))).astype(np.int64) for name in ("first", "second")]
        low, high = np.minimum(*ends), np.maximum(*ends)
        pair = np.unique((low * len(domain) + high)[(low >= 0) & (low < high)])
        bucket = pair % buckets
        parts = [pair[bucket == b].tobytes() for b in np.unique(bucket)]
        yield pa.RecordBatch.from_arrays(
            [pa.array(np.unique(bucket), pa.int32()), pa.array(parts, pa.binary())], ["bucket", "pairs"]
        )


def _edges(batches: Iterable[Any], *, labels: int) -> Iterator[Any]:
    """In an executor: each edge once."""
    for rows in by_bucket(batches):
        parts = [np.frombuffer(batch.column("pairs")[row].as_buffer(), np.int64) for batch, row in rows]
        pair = np.unique(np.concatenate(parts))
        items = np.stack([pair // labels, pair % labels], axis=1).astype(np.int32).reshape(-1)
        yield batch_of([Shard(Flat(items, np.arange(len(pair) + 1) * 2))])
