"""The Spark engine on a small cluster: real worker processes, real shuffles, real failures. Few runs: each costs a second."""

from __future__ import annotations

import os
import signal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from seqveil.audit.replay import fingerprint
from seqveil.engines.local.engine import ENGINE as LOCAL
from seqveil.engines.spark.engine import ENGINE as SPARK
from seqveil.engines.spark.passes import asked
from seqveil.errors import RunFailed
from seqveil.publish.ngram import NGram
from seqveil.tables.domain import Domain
from seqveil.tables.graphs import GraphTable
from seqveil.tables.sets import SetTable
from seqveil.tables.units import User
from seqveil.wall.budget import GRAINS
from seqveil.wall.noise import SeededNoise
from seqveil.wall.run import perform
from sharding import broken, clustered, executor, failing_once, task
from strategies import table_of_codes

pytestmark = pytest.mark.slow

LABELS = 6


def uniform(n: int, size: int) -> Any:
    return np.random.default_rng(5).integers(0, n, size)


@pytest.fixture(scope="module")
def table() -> Any:
    """Records of many lengths, some empty and some equal, of users with one to nine of them."""
    random = np.random.default_rng(1)
    records = [random.integers(0, LABELS, random.integers(0, 9)).tolist() for _ in range(300)]
    return table_of_codes(records, LABELS, random.integers(0, 90, 300).tolist())


@pytest.fixture(scope="module")
def distant(spark: Any, table: Any) -> Any:
    """The same records in executors."""
    return clustered(spark, table)


def test_tallies_are_those_of_one_machine(distant, table):
    """Sums over records in executors, and the heaviest record."""
    pairs = np.array([[a, b] for a in range(LABELS) for b in range(LABELS)])
    codes = np.arange(LABELS, dtype=np.int32)
    for method, arguments, named in (
        ("lengths", (5,), {}),
        ("ends", (codes, codes, LABELS**2, LABELS), {}),
        ("windows", (pairs.astype(np.int32), codes, LABELS), {}),
        ("shrunk_supports", (pairs,), {"l_max": 4, "most": 3, "how": "shrink"}),
    ):
        here, there = (getattr(engine, method)(t, *arguments, **named) for engine, t in ((LOCAL, table), (SPARK, distant)))
        assert (here.index.tolist(), here.count.tolist()) == (there.index.tolist(), there.count.tolist())
        assert here.heaviest == there.heaviest
    assert (LOCAL.size(table), LOCAL.longest(table), LOCAL.most_owned(table)) == (
        SPARK.size(distant), SPARK.longest(distant), SPARK.most_owned(distant),
    )  # fmt: skip


def test_bounds_parts_and_strata_are_those_of_one_machine(distant, table):
    """By the same lots: the executors choose what one machine chooses."""
    for change in (
        lambda engine, t: [engine.bounded(t, 2, uniform)],
        lambda engine, t: engine.parts(t, 2, uniform),
        lambda engine, t: engine.strata(engine.excerpts(t, 5, "window", uniform), [2, 5]),
    ):
        for here, there in zip(change(LOCAL, table), change(SPARK, distant), strict=True):
            first, last = np.arange(LABELS, dtype=np.int32), np.zeros(LABELS, np.int32)
            assert (
                LOCAL.ends(here, first, last, LABELS, 1).count.tolist()
                == SPARK.ends(there, first, last, LABELS, 1).count.tolist()
            )


def test_records_without_owners_fall_into_the_same_parts(spark, table):
    """Equal records come together in a shuffle first, and are told apart by their number."""
    alone = table_of_codes([r.tolist() for r in table.flat], LABELS)
    parts = zip(LOCAL.parts(alone, 2, uniform), SPARK.parts(clustered(spark, alone), 2, uniform), strict=True)
    for here, there in parts:
        assert LOCAL.lengths(here, 9).count.tolist() == SPARK.lengths(there, 9).count.tolist()


def test_sets_and_graphs(spark, table):
    """Itemsets, and the ends of edges."""
    sets = SetTable.of(table)
    assert LOCAL.itemsets(sets).count.tolist() == SPARK.itemsets(clustered(spark, sets)).count.tolist()
    ends = np.random.default_rng(2).integers(0, 12, (40, 2))
    graph = GraphTable.of(Domain.range(1, 12), ends[:, 0], ends[:, 1])
    assert LOCAL.degrees(graph).count.tolist() == SPARK.degrees(clustered(spark, graph)).count.tolist()


def release(table: Any) -> Any:
    return fingerprint(perform(NGram(l_max=5, n_max=3), table, User(max_sequences=2), 3 * GRAINS, SeededNoise(9)))


def test_a_question_is_a_few_tasks_for_every_core_however_many_partitions_there_are(spark, table):
    """A task costs its start in Python. Every record is counted once, and the answers are those of one machine."""
    distant = clustered(spark, table, 11)
    tasks = asked(distant, task)

    assert 12 == distant.rows.frame.rdd.getNumPartitions()
    assert 2 <= len(tasks.a) <= 4 * spark.sparkContext.defaultParallelism == 8
    assert len(table) == tasks.n.sum()
    assert LOCAL.lengths(table, 9).count.tolist() == SPARK.lengths(distant, 9).count.tolist()


def test_an_executor_that_is_killed_changes_nothing(spark, table):
    """Its share is computed again elsewhere, by the same lots: the release is the one of a run in which nobody died."""
    distant = clustered(spark, table)
    bounded = SPARK.bounded(distant, 2, SeededNoise(9).below)
    counted = SPARK.lengths(bounded, 9)
    executors = [int(process) for process in asked(bounded, executor).a]
    assert 1 <= len(executors) <= 2
    os.kill(executors[0], signal.SIGKILL)
    again = SPARK.lengths(bounded, 9)

    assert counted.count.tolist() == again.count.tolist()
    assert release(table) == release(distant)


def test_a_task_that_fails_once_is_counted_once(distant, table):
    """Spark runs it again and takes its numbers one time."""
    assert [len(table)] == asked(distant, failing_once).n.tolist()


def test_a_job_that_fails_says_nothing_of_what_it_met(distant):
    """The sentence names no value, no file and no row."""
    with pytest.raises(RunFailed, match="Spark could not finish a job") as failed:
        asked(distant, broken)

    assert "secret" not in str(failed.value)
    assert failed.value.__cause__ is None
    assert failed.value.__suppress_context__


def test_the_tables_are_let_go(spark, table):
    """What executors keep for a run is dropped with the last reference to it."""
    distant = clustered(spark, table, 2)
    SPARK.size(distant)
    kept = distant.rows.frame
    assert kept.is_cached
    del distant

    assert not kept.is_cached


def test_ten_thousand_labels_in_a_frontier(spark):
    """A frontier of many nodes is sent to the executors and answered in one pass."""
    records = [[i % 5_000, (i * 7) % 5_000] for i in range(10_000)]
    table = table_of_codes(records, 5_000)
    here, there = LOCAL.grams(table, 3), SPARK.grams(clustered(spark, table, 4), 3)
    root = np.zeros(1, np.int64)
    assert here.children(root).count.tolist() == there.children(root).count.tolist()
    parents, ranks = np.zeros(5_000, np.int64), np.arange(5_000)
    here, there = here.descend(parents, ranks), there.descend(parents, ranks)
    first, second = here.children(np.arange(5_000)), there.children(np.arange(5_000))

    assert first.rank.tolist() == second.rank.tolist()
    assert first.count.tolist() == second.count.tolist()


def test_nothing_of_the_data_is_in_a_plan(distant):
    """What Spark shows of a question (plans, descriptions of jobs) holds no code, count or name."""
    frame = distant.rows.frame
    explained = frame._jdf.queryExecution().toString()

    assert "mapInArrow" in explained or "MapInArrow" in explained
    assert pa.types.is_binary(frame.limit(0).toArrow().schema.field("items").type)
