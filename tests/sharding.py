"""Tables of the Spark engine for tests: their shards in this process, or in the executors of a small cluster."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

from seqveil.engines.spark.passes import Sums
from seqveil.tables.shards import SCHEMA, batch_of
from seqveil.tables.spark import TABLES, Rows, pieces, table_of_shards


def sharded(table: Any, n: int = 3) -> Any:
    """The same records before the code of the cluster, without the cluster."""
    return table_of_shards(table.kind, table.domain, pieces(table, n))


def clustered(spark: Any, table: Any, n: int = 3) -> Any:
    """The same records in executors: a shard per partition."""
    shards = pieces(table, n)
    frame = spark.range(0, len(shards), 1, len(shards)).mapInArrow(
        partial(_placed, batches=[batch_of([s]) for s in shards]), SCHEMA
    )
    return TABLES[table.kind](table.domain, Rows(frame, "shards", 2), table.owners is not None)


def _placed(rows: Any, *, batches: list[Any]) -> Any:
    for batch in rows:
        for i in batch.column("id").to_pylist():
            yield batches[i]


def executor(table: Any) -> Sums:
    """Runs in an executor: the executor's own process, which is the parent of the daemon that forked the worker."""
    daemon = os.getppid()
    return Sums.of([int(Path(f"/proc/{daemon}/stat").read_text().rpartition(")")[2].split()[1])], n=[1])


def task(table: Any) -> Sums:
    """Runs in an executor: the number of records, by the task that counts them."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return Sums.of([0 if context is None else context.partitionId()], n=[len(table)])


def failing_once(table: Any) -> Sums:
    """Runs in an executor: the number of records, but the first attempt of every other task fails."""
    from pyspark import TaskContext

    context = TaskContext.get()
    if context is not None and context.attemptNumber() == 0 and context.partitionId() % 2 == 0:
        raise RuntimeError("the first attempt")
    return Sums.of([0], n=[len(table)])


def broken(table: Any) -> Sums:
    """Runs in an executor, and never ends well."""
    raise RuntimeError("secret value")
