"""The Spark engine on a small cluster: real worker processes, real shuffles, real failures. Few runs: each costs a second."""

from __future__ import annotations

import os
import signal
from pathlib import Path
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
    """Sums over records in executors, the heaviest record, and what is known of the table as a whole."""
    pairs = np.array([[a, b] for a in range(LABELS) for b in range(LABELS)])
    here, there = (
        engine.shrunk_supports(t, pairs, l_max=4, most=3, how="shrink") for engine, t in ((LOCAL, table), (SPARK, distant))
    )

    assert (here.index.tolist(), here.count.tolist(), here.heaviest) == (
        there.index.tolist(),
        there.count.tolist(),
        there.heaviest,
    )
    assert (LOCAL.size(table), LOCAL.longest(table), LOCAL.most_owned(table)) == (
        SPARK.size(distant), SPARK.longest(distant), SPARK.most_owned(distant),
    )  # fmt: skip


def test_parts_and_strata_are_those_of_one_machine(distant, table):
    """By the same lots: the executors choose what one machine chooses."""
    codes = np.arange(LABELS, dtype=np.int32)
    for change in (
        lambda engine, t: engine.parts(t, 2, uniform)[1],
        lambda engine, t: engine.strata(engine.excerpts(t, 5, "window", uniform), [2, 5])[1],
    ):
        here = LOCAL.ends(change(LOCAL, table), codes, codes, LABELS**2, LABELS)
        there = SPARK.ends(change(SPARK, distant), codes, codes, LABELS**2, LABELS)
        assert (here.index.tolist(), here.count.tolist()) == (there.index.tolist(), there.count.tolist())


def test_caps_of_users_are_those_of_one_machine(distant, table):
    """A shard has all records of its users, so capping shards one by one caps users."""
    codes, each = np.arange(LABELS, dtype=np.int32), np.arange(LABELS, dtype=np.int32)[:, None]
    here, there = (
        engine.windows(t, each, codes, LABELS, cap=2, by_owner=True) for engine, t in ((LOCAL, table), (SPARK, distant))
    )
    root = np.zeros(1, np.int64)
    local, shards = (engine.grams(t, 3, cap=1, by_owner=True).children(root) for engine, t in ((LOCAL, table), (SPARK, distant)))

    assert (here.index.tolist(), here.count.tolist()) == (there.index.tolist(), there.count.tolist())
    assert (here.heaviest, here.owner_square) == (there.heaviest, there.owner_square)
    assert (local.count.tolist(), local.most) == (shards.count.tolist(), shards.most)
    assert local.count.max() <= 90


def test_sets_without_owners_fall_into_the_same_parts(spark, table):
    """Equal records come together in a shuffle first, and are told apart by their number."""
    alone = SetTable.of(table_of_codes([r.tolist() for r in table.flat], LABELS))
    here, there = LOCAL.parts(alone, 2, uniform)[0], SPARK.parts(clustered(spark, alone), 2, uniform)[0]

    assert LOCAL.itemsets(here).count.tolist() == SPARK.itemsets(there).count.tolist()


def test_a_question_is_a_few_tasks_for_every_core_however_many_partitions_there_are(spark, table):
    """A task costs its start in Python. Every record is counted once."""
    distant = clustered(spark, table, 11)
    tasks = asked(distant, task)

    assert 12 == distant.rows.frame.rdd.getNumPartitions()
    assert 2 <= len(tasks.a) <= 4 * spark.sparkContext.defaultParallelism == 8
    assert len(table) == tasks.n.sum()


def test_an_executor_that_is_killed_in_mid_run_changes_nothing(spark, table):
    """Its share is computed again elsewhere, by the same lots: the release is the one of a run in which nobody died."""
    distant = clustered(spark, table)
    alive = [int(process) for process in asked(distant, executor).a]

    def kill(stage: str) -> None:
        if stage == "exploration tree":  # users are bounded, and what is left of them is kept: nothing was asked of it yet
            os.kill(alive[0], signal.SIGKILL)

    here, there = (
        fingerprint(perform(NGram(l_max=5, n_max=2), t, User(max_sequences=2), 3 * GRAINS, SeededNoise(9), heard))
        for t, heard in ((table, lambda stage: None), (distant, kill))
    )

    assert not Path(f"/proc/{alive[0]}").exists()
    assert here == there


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
    from pyspark import StorageLevel

    distant = clustered(spark, table, 2)
    distant.rows.keep(StorageLevel.MEMORY_AND_DISK)
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
