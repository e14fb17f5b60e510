"""The engine of tables whose records lie in the executors of a Spark cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.local.engine import ENGINE as LOCAL
from seqveil.engines.local.excerpts import excerpted
from seqveil.engines.local.records import ANY, kept
from seqveil.engines.local.triangles import triangles
from seqveil.engines.local.views import rows_within
from seqveil.engines.protocol import Counter, Engine, Excerpt, Largest, RegionCounter, Tally, Triangles, Uniform
from seqveil.engines.spark.copies import gathered_copies
from seqveil.engines.spark.counter import SparkCounter, SparkRegions
from seqveil.engines.spark.levels import largest_supports
from seqveil.engines.spark.passes import Sums, asked, mapped
from seqveil.tables.doubling import Doubling
from seqveil.tables.granularity import Granularities
from seqveil.tables.lots import Key, chosen, draw_key, lots_of, part_of_owners, part_of_records
from seqveil.tables.shards import Shard
from seqveil.tables.taxonomy import Taxonomy
from seqveil.tables.triangle import cells_at, root
from seqveil.tables.trie import Trie


@dataclass(frozen=True, slots=True)
class Cut:
    """The first l_max items of every record; of the records only those that have, then, from `low` to `high` items."""

    l_max: int
    low: int = 0
    high: int = ANY

    def __call__(self, shard: Shard) -> Shard:
        scope = (shard.flat.items, shard.flat.offsets, self.low, self.high, self.l_max)
        rows = rows_within(*scope[1:])
        users, names = (None if column is None else column[rows] for column in (shard.users, shard.names))
        return Shard(kept(scope), users, names)


@dataclass(frozen=True, slots=True, eq=False)
class Excerpted:
    """A contiguous part of every record that is longer than l_max, by lots."""

    l_max: int
    how: Excerpt
    key: Key

    def __call__(self, shard: Shard) -> Shard:
        lots = lots_of(shard.flat, shard.users, shard.names, self.key)
        return shard._replace(flat=excerpted(shard.flat, self.l_max, self.how, lots))


@dataclass(frozen=True, slots=True, eq=False)
class Bounded:
    """At most m records of each owner, by lots."""

    m: int
    key: Key

    def __call__(self, shard: Shard) -> Shard:
        if shard.users is None:
            return shard
        return shard.take(np.flatnonzero(chosen(shard.flat, shard.users, shard.names, self.m, self.key)))


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The records of one part of n, by lots."""

    i: int
    n: int
    key: Key

    def __call__(self, shard: Shard) -> Shard:
        if shard.users is None:
            part = part_of_records(shard.flat, self.n, self.key)
        else:
            part = part_of_owners(shard.users, shard.names, self.n, self.key)
        return shard.take(np.flatnonzero(part == self.i))


class SparkEngine:
    """Answers about tables of shards (`tables.spark`): one pass per question, with the kernels of the local engine."""

    name = "spark"

    def _census(self, table: Any) -> tuple[int, int, int]:
        """Size, longest record and most records of one owner, counted once."""
        facts = table.rows.facts
        if table.steps not in facts:
            sums = asked(table, _census)
            facts[table.steps] = tuple(
                [int(sums.n[sums.a == 0].sum()), *(int(sums.h[sums.a == i].max(initial=0)) for i in (1, 2))]
            )
        census: tuple[int, int, int] = facts[table.steps]
        return census

    def size(self, table: Any) -> int:
        return self._census(table)[0]

    def longest(self, table: Any) -> int:
        return self._census(table)[1]

    def most_owned(self, table: Any) -> int:
        return self._census(table)[2]

    def bounded(self, table: Any, m: int, uniform: Uniform) -> Any:
        if not table.owned:
            return table
        return replace(table, rows=mapped(table, Bounded(m, draw_key(uniform))), steps=())

    def cut(self, table: Any, l_max: int) -> Any:
        return replace(table, steps=(*table.steps, Cut(l_max)))

    def excerpts(self, table: Any, l_max: int, how: Excerpt, uniform: Uniform) -> Any:
        key = draw_key(uniform)
        table = _together(table, key)
        return replace(table, steps=(*table.steps, Excerpted(l_max, how, key)))

    def parts(self, table: Any, n: int, uniform: Uniform) -> list[Any]:
        key = draw_key(uniform)
        table = _together(table, key)
        return [replace(table, steps=(*table.steps, Part(i, n, key))) for i in range(n)]

    def strata(self, table: Any, bounds: Sequence[int]) -> list[Any]:
        lows = [1, *(bound + 1 for bound in bounds[:-1])]
        cuts = [Cut(int(bounds[-1]), low, int(high)) for low, high in zip(lows, bounds, strict=True)]
        return [replace(table, steps=(*table.steps, cut)) for cut in cuts]

    def grams(self, table: Any, deepest: int, *, cap: int | None = None, by_owner: bool = False) -> Counter:
        return SparkCounter.root(table, "grams", deepest, cap=cap, by_owner=by_owner)

    def prefixes(self, table: Any, fine: Granularities) -> Counter:
        return SparkCounter.root(table, "prefixes", fine)

    def partitions(self, table: Any, taxonomy: Taxonomy) -> Counter:
        return SparkCounter.root(table, "partitions", taxonomy)

    def regions(self, table: Any, least: tuple[int, ...], step: int) -> RegionCounter:
        return SparkRegions.root(table, "regions", least, step)

    def lengths(self, table: Any, most: int) -> Tally:
        return _tally(table, "lengths", most)

    def closed_lengths(self, table: Any, most: int) -> Tally:
        return _tally(table, "closed_lengths", most)

    def ends(self, table: Any, first: NDArray[np.int32], last: NDArray[np.int32], slots: int, wide: int) -> Tally:
        return _tally(table, "ends", first, last, slots, wide)

    def windows(
        self,
        table: Any,
        contexts: NDArray[np.int32],
        codes: NDArray[np.int32],
        wide: int,
        *,
        cap: int | None = None,
        by_owner: bool = False,
    ) -> Tally:
        """All records of an owner lie in one shard (`tables.shards`), so a shard is capped by itself."""
        return _tally(table, "windows", contexts, codes, wide, cap=cap, by_owner=by_owner)

    def steps(self, table: Any, codes: NDArray[np.int32], listed: NDArray[np.int32], slots: int, most: int) -> Tally:
        return _tally(table, "steps", codes, listed, slots, most)

    def itemsets(self, table: Any) -> Tally:
        return _tally(table, "itemsets")

    def supports(self, table: Any, patterns: NDArray[np.integer]) -> Tally:
        return _tally(table, "supports", patterns)

    def shrunk_supports(self, table: Any, patterns: NDArray[np.integer], *, l_max: int, most: int, how: str) -> Tally:
        return _tally(table, "shrunk_supports", patterns, l_max=l_max, most=most, how=how)

    def truncated_supports(self, table: Any, patterns: NDArray[np.integer], *, l_max: int, most: int) -> Tally:
        return _tally(table, "truncated_supports", patterns, l_max=l_max, most=most)

    def clipped_supports(self, table: Any, patterns: NDArray[np.integer], *, most: int, fair: bool) -> Tally:
        return _tally(table, "clipped_supports", patterns, most=most, fair=fair)

    def contained(self, table: Any, patterns: NDArray[np.integer], bounds: NDArray[np.int64]) -> Tally:
        return _tally(table, "contained", patterns, bounds)

    def bins(self, table: Any, bases: Sequence[Sequence[int]]) -> Tally:
        return _tally(table, "bins", bases)

    def fingerprints(self, table: Any, patterns: Sequence[tuple[int, ...]], *, l_max: int, most: int) -> Tally:
        return _tally(table, "fingerprints", patterns, l_max=l_max, most=most)

    def matches(self, table: Any, patterns: Doubling | Trie, *, most: int, once: bool) -> Tally:
        return _tally(table, "matches", patterns, most=most, once=once)

    def matched(self, table: Any, patterns: Doubling | Trie, bounds: NDArray[np.int64], *, once: bool) -> Tally:
        return _tally(table, "matched", patterns, bounds, once=once)

    def degrees(self, table: Any) -> Tally:
        return _tally(table, "degrees")

    def edges(self, table: Any) -> Tally:
        return _tally(table, "edges")

    def triangles(self, table: Any) -> Triangles:
        """On the driver, which takes the edges in: a graph that can be published fits there."""
        whole = root(len(table.domain))
        low, high = cells_at(whole, self.edges(table).index)
        return triangles(low, high, len(table.domain))

    def largest_supports(self, table: Any, *, least: int, longest: int, most: int) -> Largest:
        return largest_supports(partial(self.supports, table), table, least=least, longest=longest, most=most)


def _together(table: Any, key: Key) -> Any:
    """The table with equal records in one shard, where they own themselves: they are told apart by their number alone."""
    return table if table.owned else replace(table, rows=gathered_copies(table, key), steps=())


def _census(table: Any) -> Sums:
    longest = 0 if table.kind == "graph" else LOCAL.longest(table)
    return Sums.of([0, 1, 2], n=[len(table), 0, 0], h=[0, longest, LOCAL.most_owned(table)])


def _tally(table: Any, method: str, *arguments: Any, **named: Any) -> Tally:
    """A tally of the local engine, added up over all shards: b is 0 for slots, and 1, 2 and 3 for the maxima of the shards."""
    sums = asked(table, partial(_slots, method, arguments, named))
    slots = sums.b == 0
    largest = {int(b): int(sums.h[sums.b == b].max()) for b in np.unique(sums.b[~slots])}
    return Tally(sums.a[slots], sums.n[slots], largest.get(1, 0), largest.get(2), largest.get(3))


def _slots(method: str, arguments: tuple[Any, ...], named: dict[str, Any], table: Any) -> Sums:
    tally: Tally = getattr(LOCAL, method)(table, *arguments, **named)
    maxima = [(b, h) for b, h in enumerate((tally.heaviest, tally.heaviest_square, tally.owner_square), 1) if h is not None]
    nowhere = np.zeros(len(maxima), np.int64)
    return Sums(
        np.concatenate([tally.index, nowhere]),
        np.concatenate([np.zeros(len(tally.index), np.int64), [b for b, _ in maxima]]).astype(np.int64),
        np.concatenate([tally.count, nowhere]),
        np.concatenate([np.zeros(len(tally.index), np.int64), [h for _, h in maxima]]).astype(np.int64),
    )


ENGINE: Engine = SparkEngine()
