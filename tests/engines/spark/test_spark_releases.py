"""The same seed gives the same release on Spark as on one machine, for every method, bit for bit, however records are divided.

Shards lie in this process here, so that all methods can be tried; `test_cluster.py` has some in executors, and `make spark-full`
runs all of this there, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.methods import NAMES, mechanism, world
from seqveil.audit.account import overspent
from seqveil.audit.replay import excess, fingerprint, record, replay
from seqveil.engines.local.engine import ENGINE as LOCAL
from seqveil.engines.spark.engine import ENGINE as SPARK
from seqveil.tables.domain import Domain
from seqveil.tables.graphs import GraphTable
from seqveil.tables.sequences import table_of
from seqveil.wall.budget import GRAINS
from seqveil.wall.noise import SeededNoise
from seqveil.wall.run import perform
from sharding import sharded

CARRIED = [name for name in NAMES if world(name) is not None]


def people(name: str, seed: int) -> list[Any]:
    """Made-up units of the method's kind: those of its world, many times, and a few odd ones."""
    random, made_up = np.random.default_rng(seed), world(name)
    unit = made_up.units()[-1]
    every = [*made_up.bases()[-1] * 6, *made_up.worst(unit)[:3]]
    if made_up.table(every, unit).kind == "graph":
        return every
    every += [((0, 1), (1, 2, 0), (2,), (0, 1), (1, 1, 2))] * 9  # users with more records than are used
    return [every[i] for i in random.permutation(len(every))]


@pytest.mark.parametrize("name", CARRIED)
def test_the_same_seed_gives_the_same_release(name, placed):
    """For every unit, in one shard and in several, with empty ones among them."""
    for unit in world(name).units():
        if not isinstance(unit, mechanism(name).units):
            continue
        table = world(name).table(people(name, 3), unit)
        here = fingerprint(perform(mechanism(name), table, unit, 5 * GRAINS, SeededNoise(11)))
        for n in (1, 4):
            assert here == fingerprint(perform(mechanism(name), placed(table, n), unit, 5 * GRAINS, SeededNoise(11)))


@pytest.mark.parametrize("name", CARRIED)
def test_the_order_of_records_does_not_matter(name, placed):
    """Shuffled within and across shards: the same bytes."""
    unit = world(name).units()[-1]
    table = world(name).table(people(name, 5), unit)
    order = np.random.default_rng(1).permutation(len(table))
    shuffled = table if table.kind == "graph" else table.take(order)
    first, second = (
        fingerprint(perform(mechanism(name), t, unit, 5 * GRAINS, SeededNoise(2))) for t in (table, placed(shuffled, 3))
    )

    assert first == second


@pytest.mark.slow
@pytest.mark.parametrize("name", CARRIED)
def test_a_replay_over_spark_shows_nothing(name, placed):
    """The audit's replay: a neighbour cannot be distinguished, and the loss stays within ε."""
    made_up = world(name)
    unit, base = made_up.units()[-1], made_up.bases()[2]
    for number, content in enumerate(made_up.worst(unit)[:2]):
        tables = [placed(made_up.table(some, unit), 2) for some in (base, [*base, content])]
        for here, there in (tables, tables[::-1]):
            tape, heard = record(mechanism(name), here, unit, GRAINS, SeededNoise(number))
            outcome = replay(tape, heard, mechanism(name), there, unit, GRAINS, joins=number, leaves=len(base))
            assert heard.error is None
            assert [] == overspent(tape)
            assert () == outcome.differences
            assert excess(outcome, GRAINS) <= 1 + 1e-9


def test_scores_of_a_large_graph():
    """Where many edges share a block of the grid of cuts, at several depths."""
    ends = np.random.default_rng(3).integers(0, 400, (3_000, 2))
    table = GraphTable.of(Domain.range(1, 400), ends[:, 0], ends[:, 1])
    here, there = (engine.regions(t, (50, 20), 0) for engine, t in ((LOCAL, table), (SPARK, sharded(table, 5))))
    split = np.array([[100, 300]])
    for nodes in (np.zeros(1, np.int64), np.array([1, 0, 3])):
        first, second = here.scores(nodes), there.scores(nodes)
        assert first.start.tolist() == second.start.tolist()
        assert first.score.tolist() == second.score.tolist()
        assert first.score.max() > 0
        here, there = (counter.descend(np.zeros(4, np.int64), np.arange(4), split.repeat(4, 0)) for counter in (here, there))


def test_a_table_in_a_cluster_tells_nothing():
    """Neither its repr nor what the ledger makes a fingerprint of depends on rows."""
    domain = Domain.of(["a", "b"])
    one, other = (sharded(table_of(records, domain)) for records in ([["a"]], [["b", "a"]] * 9))

    assert "SparkSequences(domain=2 labels)" == repr(one) == repr(other)
