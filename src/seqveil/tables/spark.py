"""Tables whose records lie in the executors of a Spark cluster, as shards. Raw: they never cross the wall.

Nothing here imports Spark: a table holds a DataFrame (or, for a rehearsal, a few shards in this process) and passes it on to its
engine unopened.
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Self

from seqveil.errors import CallError, RunFailed
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.shards import SCHEMA, Shard

Step = Callable[[Shard], Shard]
"""What is done to every shard by itself before it is counted; a pure function, sent to the executors."""

Work = Callable[[Iterable[Any]], Iterator[Any]]
"""What an executor makes of the batches of one task; pure as well."""

TASKS = 256
"""Reading is at most so many tasks, or four for every core where that is more."""


@dataclass(eq=False, repr=False)
class Rows:
    """Where shards lie: `frame` is a DataFrame of them, in `partitions` tasks, or a list. `origin` says what they were read from.

    `works` are still to be done in an executor, one after the other, to have the shards from the frame: in one go, so that
    rows pass between Java and Python once. Shards that are asked a first time are kept in the executors from then on, and let go
    when nobody holds these rows any more.
    """

    frame: Any
    origin: str = ""
    partitions: int = 1
    works: tuple[Work, ...] = ()
    kept: bool = field(default=False, init=False)
    facts: dict[Any, Any] = field(default_factory=dict, init=False)

    def keep(self, level: Any) -> None:
        """Have the executors keep what they compute, so that every later question is one pass over it."""
        if not self.kept:
            self.frame, self.works = self.shards().persist(level), ()
            self.kept = True
            weakref.finalize(self, _let_go, self.frame)

    def shards(self) -> Any:
        """A frame of the shards."""
        return worked(self.frame, self.works, SCHEMA) if self.works else self.frame

    def __repr__(self) -> str:
        return self.origin


def worked(frame: Any, works: tuple[Work, ...], schema: str) -> Any:
    """A frame of what some works make of another, one after the other, in one process."""
    return frame.mapInArrow(partial(_chained, works=works), schema)


def few(frame: Any) -> Any:
    """The same rows in a bounded number of tasks, however many the partitions are; none of them is moved.

    A task costs its start in Python, a tenth of a second, however little it has to do. Where a cluster grows while it works,
    more tasks than it has cores for at first are needed, so `TASKS` of them are never too many.
    """
    return frame.coalesce(most_tasks(frame.sparkSession))


def most_tasks(spark: Any) -> int:
    return max(TASKS, 4 * int(spark.sparkContext.defaultParallelism))


def by_bucket(batches: Iterable[Any]) -> Iterator[list[tuple[Any, int]]]:
    """In an executor: the rows of each bucket that a task was sent, as (batch, row). Buckets follow each other, each once."""
    rows: list[tuple[Any, int]] = []
    now, done = None, set()
    for batch in batches:
        for row, bucket in enumerate(batch.column("bucket").to_pylist()):
            if bucket != now:
                if rows:
                    yield rows
                if bucket in done:  # its records would be bounded twice
                    raise RuntimeError("a bucket came in two parts")
                rows, now = [], bucket
                done.add(bucket)
            rows.append((batch, row))
    if rows:
        yield rows


def _chained(batches: Iterable[Any], *, works: tuple[Work, ...]) -> Iterator[Any]:
    """In an executor: all works of one task."""
    for work in works:
        batches = work(batches)
    return iter(batches)


def _let_go(frame: Any) -> None:
    with suppress(Exception):  # the session may have ended before
        frame.unpersist()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SparkTable:
    """Records of one kind in a cluster. `steps` are still to be applied to every shard. Its repr says nothing of the data."""

    kind: ClassVar[str] = ""
    engine: ClassVar[str] = "spark"

    domain: Domain
    rows: Rows
    owned: bool = False
    steps: tuple[Step, ...] = ()

    @property
    def users(self) -> bool | None:
        """None where every record stands for itself. Who owns what is not to be seen from here."""
        return True if self.owned else None

    def adopt(self, table: Any) -> Self:
        """A small table of this process as one that this table's engine answers for: for rehearsals."""
        return type(self)(table.domain, Rows([shard_of(table)], "a rehearsal"), table.owners is not None)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(domain={len(self.domain):,} labels)"


class SparkSequences(SparkTable):
    """Sequences in a cluster."""

    __slots__ = ()
    kind: ClassVar[str] = "sequences"


class SparkSets(SparkTable):
    """Sets in a cluster: every record is ascending and without repeats."""

    __slots__ = ()
    kind: ClassVar[str] = "sets"


class SparkGraph(SparkTable):
    """Edges in a cluster: every record holds the two ends, the smaller first, and no edge is there twice."""

    __slots__ = ()
    kind: ClassVar[str] = "graph"


TABLES: dict[str, type[SparkTable]] = {table.kind: table for table in (SparkSequences, SparkSets, SparkGraph)}
"""The tables in a cluster, by kind."""


def shard_of(table: Any) -> Shard:
    """A table of this process as one shard."""
    import numpy as np

    from seqveil.tables.lots import names_of

    if table.kind == "graph":
        return Shard(Flat(np.stack([table.low, table.high], axis=1).reshape(-1), np.arange(len(table) + 1) * 2))
    if table.users is None:
        return Shard(table.flat)
    order = np.argsort(table.users, kind="stable")
    _, number = np.unique(table.users[order], return_inverse=True)
    return Shard(table.flat.take(order), number, names_of(table.users, table.names)[order])


def refuse_kind(kind: str) -> None:
    """Refuse kinds that no table in a cluster holds."""
    if kind not in TABLES:
        raise CallError(f"kind {kind!r} cannot be read with Spark: use {', '.join(TABLES)}, or the local engine.")


def table_of_shards(kind: str, domain: Domain, parts: Sequence[Shard]) -> SparkTable:
    """A table whose shards are in this process: for tests of an engine."""
    return TABLES[kind](domain, Rows(list(parts), "shards"), any(part.users is not None for part in parts))


def pieces(table: Any, n: int) -> list[Shard]:
    """A table of this process in n shards of whole owners, in order, and one more that is empty: for tests and audits."""
    import numpy as np

    whole = shard_of(table)
    owner = np.arange(len(table)) if whole.users is None else whole.users
    shard = n * owner // max(1, int(owner.max(initial=-1)) + 1)
    parts = [whole.take(np.flatnonzero(shard == i)) for i in range(n)]
    return [*parts[:1], whole.take(np.zeros(0, np.int64)), *parts[1:]]


@contextmanager
def failing_quietly() -> Iterator[None]:
    """What fails in Spark is told without what it says: its messages quote tracebacks, paths and values."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about versions of libraries, at every call
            yield
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in ("pyspark", "py4j") and not isinstance(error, OSError):
            raise
        raise RunFailed(
            "Spark could not finish a job, for example because of a lost or damaged file, or too little memory: the logs of the "
            "executors and the full traceback say why. Both may quote raw data."
        ) from None
