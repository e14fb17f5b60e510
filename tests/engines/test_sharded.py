"""A table whose records lie in several places: the wall needs nothing of it but sums and maxima of what its engine answers.

The engine here holds shards, asks the local engine about each, and adds up. It stands for a distributed one.
"""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from seqveil.engines.local.engine import ENGINE as LOCAL
from seqveil.engines.protocol import Counts, Tally
from seqveil.publish.ngram import NGram
from seqveil.tables.units import Record
from seqveil.wall.noise import SeededNoise
from seqveil.wall.run import perform
from strategies import table_of_codes


class Shards:
    """A table that cannot be opened: it has a domain and the name of its engine."""

    engine, kind, __slots__ = "sharded", "sequences", ("__shards",)

    def __init__(self, shards: list[Any]) -> None:
        self.__shards = shards

    @property
    def domain(self) -> Any:
        return self.__shards[0].domain


def inside(table: Any) -> list[Any]:
    """What only its engine may look at."""
    shards: list[Any] = table._Shards__shards
    return shards


class ShardedCounter:
    """The sum of one counter per shard."""

    def __init__(self, counters: list[Any]) -> None:
        self._counters = counters

    def fan_out(self, nodes: Any, split: Any = None) -> list[int]:
        return list(self._counters[0].fan_out(nodes, split))

    def count(self, nodes: Any) -> Any:
        return np.sum([counter.count(nodes) for counter in self._counters], axis=0)

    def children(self, nodes: Any, split: Any = None) -> Counts:
        sums: dict[tuple[int, int], int] = {}
        for counts in (counter.children(nodes, split) for counter in self._counters):
            for parent, rank, count in zip(counts.parent.tolist(), counts.rank.tolist(), counts.count.tolist(), strict=True):
                sums[parent, rank] = sums.get((parent, rank), 0) + count
        slots = sorted(sums)
        columns = ([p for p, _ in slots], [r for _, r in slots], [sums[slot] for slot in slots])
        return Counts(*(np.array(column, np.int64) for column in columns))

    def descend(self, parents: Any, ranks: Any, split: Any = None) -> ShardedCounter:
        return ShardedCounter([counter.descend(parents, ranks, split) for counter in self._counters])


class ShardedEngine:
    """What n-grams need of an engine."""

    name = "sharded"

    def size(self, table: Any) -> int:
        return sum(LOCAL.size(shard) for shard in inside(table))

    def longest(self, table: Any) -> int:
        return max(LOCAL.longest(shard) for shard in inside(table))

    def cut(self, table: Any, l_max: int) -> Any:
        return Shards([LOCAL.cut(shard, l_max) for shard in inside(table)])

    def grams(self, table: Any, deepest: int, **capped: Any) -> Any:
        return ShardedCounter([LOCAL.grams(shard, deepest, **capped) for shard in inside(table)])

    def lengths(self, table: Any, most: int) -> Tally:
        tallies = [LOCAL.lengths(shard, most) for shard in inside(table)]
        return Tally.of(np.sum([tally.dense(most + 1) for tally in tallies], axis=0), max(t.heaviest or 0 for t in tallies))


@pytest.mark.parametrize("l_max", [4, "auto"])
def test_a_release_is_the_same_wherever_the_records_lie(l_max, monkeypatch):
    """Three shards, one of them empty, give the same n-grams as one table with the same noise."""
    random = np.random.default_rng(3)
    records = [random.integers(0, 5, random.integers(1, 9)).tolist() for _ in range(600)]
    whole = table_of_codes(records, 5)
    shards = Shards([table_of_codes(part, 5) for part in (records[:250], [], records[250:])])
    module = SimpleNamespace(ENGINE=ShardedEngine())
    # one entry at a time: to restore all modules would unload those that Numba loads meanwhile
    for name, part in (("seqveil.engines.sharded", SimpleNamespace()), ("seqveil.engines.sharded.engine", module)):
        monkeypatch.setitem(sys.modules, name, part)
    releases = [perform(NGram(l_max=l_max, n_max=3), table, Record(), 10**12, SeededNoise(7)) for table in (whole, shards)]
    here, there = (release.grams for release in releases)

    assert len(here.noisy) > 20
    assert here.symbols.tolist() == there.symbols.tolist()
    assert here.noisy.tolist() == there.noisy.tolist()
