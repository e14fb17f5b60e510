"""The same seed gives the same release on Spark as on one machine, for every method, bit for bit, however records are divided.

Shards lie in this process here, so that all methods can be tried; `test_cluster.py` has them in executors.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.methods import NAMES, mechanism, world
from seqveil.audit.account import overspent
from seqveil.audit.replay import excess, fingerprint, record, replay
from seqveil.errors import CallError
from seqveil.kinds import KINDS
from seqveil.tables.domain import Domain
from seqveil.tables.sequences import table_of
from seqveil.wall.budget import GRAINS
from seqveil.wall.noise import SeededNoise
from seqveil.wall.rehearsal import rehearse
from seqveil.wall.run import perform
from sharding import sharded

REFUSED = {"der"}
"""Methods that the Spark engine does not have (docs/cluster.md)."""

CARRIED = [name for name in NAMES if world(name) is not None and name not in REFUSED]


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
def test_the_same_seed_gives_the_same_release(name):
    """For every unit, in one shard and in several, with empty ones among them."""
    for unit in world(name).units():
        if not isinstance(unit, mechanism(name).units):
            continue
        table = world(name).table(people(name, 3), unit)
        here = fingerprint(perform(mechanism(name), table, unit, 5 * GRAINS, SeededNoise(11)))
        for n in (1, 4):
            assert here == fingerprint(perform(mechanism(name), sharded(table, n), unit, 5 * GRAINS, SeededNoise(11)))


@pytest.mark.parametrize("name", CARRIED)
def test_the_order_of_records_does_not_matter(name):
    """Shuffled within and across shards: the same bytes."""
    unit = world(name).units()[-1]
    table = world(name).table(people(name, 5), unit)
    order = np.random.default_rng(1).permutation(len(table))
    shuffled = table if table.kind == "graph" else table.take(order)
    first, second = (
        fingerprint(perform(mechanism(name), t, unit, 5 * GRAINS, SeededNoise(2))) for t in (table, sharded(shuffled))
    )

    assert first == second


@pytest.mark.slow
@pytest.mark.parametrize("name", CARRIED)
def test_a_replay_over_spark_shows_nothing(name):
    """The audit's replay: a neighbour cannot be distinguished, and the loss stays within ε."""
    made_up = world(name)
    unit, base = made_up.units()[-1], made_up.bases()[2]
    for number, content in enumerate(made_up.worst(unit)[:2]):
        tables = [sharded(made_up.table(some, unit), 2) for some in (base, [*base, content])]
        for here, there in (tables, tables[::-1]):
            tape, heard = record(mechanism(name), here, unit, GRAINS, SeededNoise(number))
            outcome = replay(tape, heard, mechanism(name), there, unit, GRAINS, joins=number, leaves=len(base))
            assert heard.error is None
            assert [] == overspent(tape)
            assert () == outcome.differences
            assert excess(outcome, GRAINS) <= 1 + 1e-9


@pytest.mark.parametrize("name", sorted(REFUSED & set(NAMES)))
def test_what_spark_does_not_count_is_refused_in_the_rehearsal(name):
    """Before anything is reserved: the rehearsal goes through the engine of the real table."""

    class Input:
        kind, domain = "graph", KINDS["graph"].small_world().domain

        def specimen(self) -> Any:
            return sharded(KINDS["graph"].small_world().rehearsal(self.domain, users=False))

    with pytest.raises(CallError, match="Spark engine does not count"):
        rehearse(mechanism(name), Input(), world(name).units()[0])  # type: ignore[arg-type]


def test_a_table_in_a_cluster_tells_nothing():
    """Neither its repr nor what the ledger makes a fingerprint of depends on rows."""
    domain = Domain.of(["a", "b"])
    one, other = (sharded(table_of(records, domain)) for records in ([["a"]], [["b", "a"]] * 9))

    assert "SparkSequences(domain=2 labels)" == repr(one) == repr(other)
