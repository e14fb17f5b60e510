"""One question is one pass: shards go in where they lie, partial counts come out, and are added by key.

The same kernels as in the local engine count every shard. What they find is a few columns of numbers, (a, b) → n and h: the n of
equal keys are added up by Spark and of the h the largest is taken, before anything reaches this process. So this process
holds what the local engine would have found, and no more, however large the data are.

A pass is pure: a task that Spark runs again, elsewhere or twice at once, gives the same numbers, and Spark takes them once.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from seqveil.tables.domain import Domain
from seqveil.tables.graphs import GraphTable
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.sets import SetTable
from seqveil.tables.shards import Shard, batch_of, shards_of
from seqveil.tables.spark import Rows, SparkTable, Step, failing_quietly

_SUMS = "a long, b long, n long, h long"
_MANY = 1 << 20
"""Partial counts of one task are added up whenever there are this many."""
_TASKS = 4
"""A question is at most so many tasks for every core."""


class Sums(NamedTuple):
    """Numbers by key, keys ascending: `n` is a sum over all shards, `h` a maximum."""

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    n: NDArray[np.int64]
    h: NDArray[np.int64]

    @classmethod
    def of(cls, a: Any, b: Any = 0, n: Any = 0, h: Any = 0) -> Sums:
        """From columns, of which all but the first may be one number."""
        first = np.asarray(a, np.int64)
        rest = (np.broadcast_to(np.asarray(column, np.int64), first.shape) for column in (b, n, h))
        return cls(first, *rest)

    @classmethod
    def added(cls, parts: Iterable[Sums]) -> Sums:
        """Equal keys added up.

        >>> total = Sums.added([Sums.of([1, 2], n=[3, 4], h=[1, 1]), Sums.of([1], n=[5], h=[2])])
        >>> total.a.tolist(), total.n.tolist(), total.h.tolist()
        ([1, 2], [8, 4], [2, 1])
        """
        columns = [np.concatenate(column) for column in zip(cls.of(np.zeros(0, np.int64)), *parts, strict=True)]
        order = np.lexsort((columns[1], columns[0]))
        a, b, n, h = (column[order] for column in columns)
        if not len(a):
            return cls(a, b, n, h)
        first = np.flatnonzero(np.concatenate([[True], (a[1:] != a[:-1]) | (b[1:] != b[:-1])]))
        return cls(a[first], b[first], np.add.reduceat(n, first), np.maximum.reduceat(h, first))


Count = Callable[[Any], Sums]
"""What is counted in one shard, given as a table of the local engine."""


def asked(table: SparkTable, count: Count) -> Sums:
    """What a count finds in all shards of a table."""
    work = partial(counted, kind=table.kind, labels=len(table.domain), steps=table.steps, count=count)
    rows = table.rows
    if isinstance(rows.frame, list):  # a rehearsal: through the same doors, in this process
        return _collected(_here(work, rows.frame))
    with failing_quietly():
        from pyspark import StorageLevel
        from pyspark.sql import functions as f

        rows.keep(StorageLevel.MEMORY_AND_DISK)
        partial_sums = together(rows.frame).mapInArrow(work, _SUMS).groupBy("a", "b")
        return _collected(partial_sums.agg(f.sum("n").alias("n"), f.max("h").alias("h")).toArrow().to_batches())


def together(frame: Any) -> Any:
    """Kept shards in at most a few tasks for every core that there is now.

    A task costs its start in Python however little it has to do, and more than a few of them do not balance better. Shards
    remain kept one by one, as they were made: a task takes those of its own machine first, one after the other.
    """
    return frame.coalesce(_TASKS * max(1, int(frame.sparkSession.sparkContext.defaultParallelism)))


def mapped(table: SparkTable, step: Step) -> Rows:
    """New rows: every shard after the steps of the table and one more. Computed when they are first asked."""
    work = partial(stepped, steps=(*table.steps, step))
    rows = table.rows
    if isinstance(rows.frame, list):
        return Rows(list(shards_of(_here(work, rows.frame))), rows.origin)
    return Rows(rows.frame, rows.origin, rows.partitions, (*rows.works, work))


def counted(batches: Iterable[Any], *, kind: str, labels: int, steps: tuple[Step, ...], count: Count) -> Iterator[Any]:
    """In an executor: the partial counts of one task."""
    parts: list[Sums] = []
    for shard in shards_of(batches):
        parts.append(count(local_table(kind, labels, _after(shard, steps))))
        if sum(len(part.a) for part in parts) > _MANY:
            parts = [Sums.added(parts)]
    yield _batch(Sums.added(parts))


def stepped(batches: Iterable[Any], *, steps: tuple[Step, ...]) -> Iterator[Any]:
    """In an executor: the shards of one task after some steps."""
    for shard in shards_of(batches):
        yield batch_of([_after(shard, steps)])


def _after(shard: Shard, steps: tuple[Step, ...]) -> Shard:
    for step in steps:
        shard = step(shard)
    return shard


def local_table(kind: str, labels: int, shard: Shard) -> Any:
    """A shard as a table of the local engine. Kernels count codes: which labels they stand for is not needed here."""
    domain = Domain.range(0, labels - 1)
    if kind == "graph":
        ends = shard.flat.items.reshape(-1, 2)
        return GraphTable.of(domain, ends[:, 0], ends[:, 1])
    table = SetTable if kind == "sets" else SequenceTable
    return table(domain, shard.flat, shard.users, shard.names)


def _batch(sums: Sums) -> Any:
    return pa.RecordBatch.from_arrays([pa.array(column, pa.int64()) for column in sums], list(Sums._fields))


def _collected(batches: Iterable[Any]) -> Sums:
    return Sums.added(Sums(*(batch.column(name).to_numpy() for name in Sums._fields)) for batch in batches)


def _here(work: Any, shards: list[Shard]) -> Iterator[Any]:
    """The work in this process, sent through the same formats as to an executor."""
    again = pickle.loads(pickle.dumps(work))
    return iter([batch for shard in shards for batch in again(iter([batch_of([shard])]))])
