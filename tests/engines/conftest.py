"""The engines that the conformance suite runs over, each with a way to make and to read its tables.

A new engine joins with one entry in `WORLDS`: then every test of this folder that takes `world` holds it to brute force.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np
import pytest

from seqveil.engines.local.engine import ENGINE, STREAMS
from seqveil.engines.protocol import Engine, StreamEngine
from seqveil.engines.spark.engine import ENGINE as SPARK
from seqveil.engines.spark.passes import mapped
from seqveil.tables.domain import Domain
from seqveil.tables.graphs import GraphTable
from seqveil.tables.sets import SetTable
from seqveil.tables.shards import Shard
from sharding import sharded
from strategies import table_of_codes


class World(Protocol):
    """An engine and its tables."""

    engine: Engine
    streams: StreamEngine

    def sequences(self, records: Iterable[Sequence[int]], labels: int, owners: Sequence[int] | None = None) -> Any:
        """A table of sequences; records may be empty."""

    def sets(self, records: Iterable[Sequence[int]], labels: int) -> Any:
        """A table of sets."""

    def graph(self, edges: Iterable[tuple[int, int]], vertices: int) -> Any:
        """A table of edges."""

    def records(self, table: Any) -> list[tuple[int | None, tuple[int, ...]]]:
        """(owner, record) of a table of sequences."""


class Local:
    """Tables of this process."""

    engine, streams = ENGINE, STREAMS

    def sequences(self, records: Any, labels: int, owners: Any = None) -> Any:
        return table_of_codes(records, labels, owners)

    def sets(self, records: Any, labels: int) -> Any:
        return SetTable.of(table_of_codes(records, labels))

    def graph(self, edges: Any, vertices: int) -> Any:
        ends = np.array(list(edges), np.int64).reshape(-1, 2)
        return GraphTable.of(Domain.range(1, vertices), ends[:, 0], ends[:, 1])

    def records(self, table: Any) -> list[tuple[int | None, tuple[int, ...]]]:
        owners = [None] * len(table) if table.owners is None else table.owners.tolist()
        return [(owner, tuple(record.tolist())) for owner, record in zip(owners, table.flat, strict=True)]


class Sharded:
    """Tables of the Spark engine whose shards are in this process: the code of the cluster without the cluster.

    Four shards, one of them empty; records of one owner lie in one of them. `spark/test_cluster.py` runs on a cluster.
    """

    engine, streams = SPARK, STREAMS

    def sequences(self, records: Any, labels: int, owners: Any = None) -> Any:
        return sharded(table_of_codes(records, labels, owners))

    def sets(self, records: Any, labels: int) -> Any:
        return sharded(SetTable.of(table_of_codes(records, labels)))

    def graph(self, edges: Any, vertices: int) -> Any:
        return sharded(Local().graph(edges, vertices))

    def records(self, table: Any) -> list[tuple[int | None, tuple[int, ...]]]:
        rows = mapped(table, same).frame
        return [row for shard in rows for row in owned_records(shard)]


def owned_records(shard: Shard) -> list[tuple[int | None, tuple[int, ...]]]:
    """(owner, record) of a shard; in these tables the name of an owner is their number."""
    owners = [None] * len(shard.flat) if shard.names is None else shard.names.view(np.int64).tolist()
    return [(owner, tuple(record.tolist())) for owner, record in zip(owners, shard.flat, strict=True)]


def same(shard: Shard) -> Shard:
    """Nothing more to do."""
    return shard


WORLDS: dict[str, World] = {"local": Local(), "spark": Sharded()}


@pytest.fixture(scope="session", params=list(WORLDS))
def world(request: pytest.FixtureRequest) -> World:
    """Every engine in turn."""
    return WORLDS[request.param]
