"""The engine of tables that lie in this process: NumPy and Numba over flat arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.local import records
from seqveil.engines.local.bins import bins
from seqveil.engines.local.capped import CappedGrams
from seqveil.engines.local.clipping import clipped_supports, contained
from seqveil.engines.local.density import DensityCounter
from seqveil.engines.local.dyadic import LisBlocks, TotalBlocks
from seqveil.engines.local.ends import closed_lengths, ends
from seqveil.engines.local.excerpts import excerpts
from seqveil.engines.local.fingerprints import fingerprint_counts
from seqveil.engines.local.grams import GramCounter
from seqveil.engines.local.itemsets import truncated_supports
from seqveil.engines.local.layers import Layers
from seqveil.engines.local.matching import matched, matches
from seqveil.engines.local.members import BurstLengths, MatchLengths
from seqveil.engines.local.packing import PackingBlocks, PrefixPacking, WindowPacking
from seqveil.engines.local.partitions import PartitionCounter
from seqveil.engines.local.patience import PrefixLis, WindowLis
from seqveil.engines.local.prefixes import PrefixCounter
from seqveil.engines.local.ranking import rank
from seqveil.engines.local.shrinking import DELETE, SHRINK, shrunk_supports
from seqveil.engines.local.subsequences import supports
from seqveil.engines.local.totals import PrefixTotal, WindowTotal
from seqveil.engines.local.triangles import triangles
from seqveil.engines.local.views import cut, owners_in_scope, scope, strata
from seqveil.engines.local.weighing import weights
from seqveil.engines.local.windows import capped_windows, windows
from seqveil.engines.protocol import (
    Counter,
    Engine,
    Exact,
    Excerpt,
    LabelEngine,
    Largest,
    RegionCounter,
    StreamEngine,
    Table,
    Tally,
    Triangles,
    Uniform,
    Weighed,
)
from seqveil.tables.doubling import Doubling
from seqveil.tables.granularity import Granularities
from seqveil.tables.sets import SetTable
from seqveil.tables.taxonomy import Taxonomy
from seqveil.tables.triangle import numbers_at, root
from seqveil.tables.trie import Trie


class LocalEngine:
    """Answers about tables whose records are arrays of this process."""

    name = "local"

    def size(self, table: Any) -> int:
        return len(table)

    def longest(self, table: Any) -> int:
        return records.longest(scope(table))

    def most_owned(self, table: Any) -> int:
        return min(1, len(table)) if table.owners is None else records.most_owned(table.owners)

    def bounded(self, table: Table, m: int, uniform: Uniform) -> Table:
        return records.bounded(table, m, uniform)  # type: ignore[no-any-return]

    def cut(self, table: Any, l_max: int) -> Any:
        return cut(table, l_max)

    def excerpts(self, table: Any, l_max: int, how: Excerpt, uniform: Uniform) -> Any:
        return excerpts(table, l_max, how, uniform)

    def parts(self, table: Table, n: int, uniform: Uniform) -> list[Table]:
        return records.parts(table, n, uniform)

    def strata(self, table: Any, bounds: Sequence[int]) -> list[Any]:
        return strata(table, bounds)

    def grams(self, table: Any, deepest: int, *, cap: int | None = None, by_owner: bool = False) -> Counter:
        if cap is None:
            return GramCounter.root(table.flat, len(table.domain), deepest)
        return CappedGrams.capped(table.flat, table.owners if by_owner else None, len(table.domain), deepest, cap)

    def prefixes(self, table: Any, fine: Granularities) -> Counter:
        return PrefixCounter.root(table.flat, fine)

    def partitions(self, table: Any, taxonomy: Taxonomy) -> Counter:
        return PartitionCounter.root(SetTable.of(table).flat, taxonomy)

    def regions(self, table: Any, least: tuple[int, ...], step: int) -> RegionCounter:
        return DensityCounter.root(table.low, table.high, len(table.domain), least, step)

    def lengths(self, table: Any, most: int) -> Tally:
        return Tally.of(records.lengths(scope(table), most), heaviest=1)

    def closed_lengths(self, table: Any, most: int) -> Tally:
        return closed_lengths(scope(table), most)

    def ends(self, table: Any, first: NDArray[np.int32], last: NDArray[np.int32], slots: int, wide: int) -> Tally:
        return ends(scope(table), first, last, slots, wide)

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
        if cap is None:
            return windows(scope(table), contexts, codes, wide)
        return capped_windows(scope(table), owners_in_scope(table) if by_owner else None, contexts, codes, wide, cap)

    def itemsets(self, table: Any) -> Tally:
        return Tally(*records.itemsets(SetTable.of(table).flat), heaviest=1)

    def supports(self, table: Any, patterns: NDArray[np.integer]) -> Tally:
        return supports(table.flat, patterns, len(table.domain)).once()

    def shrunk_supports(self, table: Any, patterns: NDArray[np.integer], *, l_max: int, most: int, how: str) -> Tally:
        way = {"shrink": SHRINK, "delete": DELETE}[how]
        return shrunk_supports(table.flat, patterns, len(table.domain), l_max=l_max, most=most, how=way).once()

    def truncated_supports(self, table: Any, patterns: NDArray[np.integer], *, l_max: int, most: int) -> Tally:
        return truncated_supports(table.flat, patterns, len(table.domain), l_max=l_max, most=most).once()

    def clipped_supports(self, table: Any, patterns: NDArray[np.integer], *, most: int, fair: bool) -> Tally:
        return clipped_supports(table.flat, patterns, len(table.domain), most=most, fair=fair).once()

    def contained(self, table: Any, patterns: NDArray[np.integer], bounds: NDArray[np.int64]) -> Tally:
        return contained(table.flat, patterns, len(table.domain), bounds)

    def bins(self, table: Any, bases: Sequence[Sequence[int]]) -> Tally:
        return bins(table.flat, bases, len(table.domain)).once()

    def fingerprints(self, table: Any, patterns: Sequence[tuple[int, ...]], *, l_max: int, most: int) -> Tally:
        return fingerprint_counts(table.flat, len(table.domain), list(patterns), l_max, most)

    def matches(self, table: Any, patterns: Doubling | Trie, *, most: int, once: bool) -> Tally:
        tally = matches(scope(table), patterns, most=most, once=once)
        return tally.once() if once else tally

    def matched(self, table: Any, patterns: Doubling | Trie, bounds: NDArray[np.int64], *, once: bool) -> Tally:
        return matched(scope(table), patterns, bounds, once=once)

    def degrees(self, table: Any) -> Tally:
        return Tally.of(table.degrees, heaviest=2).once()  # an edge has two ends, which differ

    def edges(self, table: Any) -> Tally:
        top, bottom, left, right = root(len(table.domain)).tolist()
        index = numbers_at(top, bottom, left, right, table.low, table.high)
        return Tally(index, np.ones(len(index), np.int64), heaviest=1).once()

    def triangles(self, table: Any) -> Triangles:
        return triangles(table.low, table.high, len(table.domain))

    def largest_supports(self, table: Any, *, least: int, longest: int, most: int) -> Largest:
        ranking = rank(table.flat, len(table.domain), least=least, longest=longest, most=most)
        best = np.zeros(longest + 1, np.int64)
        np.maximum.at(best, ranking.length, ranking.support)
        return Largest(best[1:], ranking.least)


class LocalLabels:
    """Labels of this process that nobody has listed."""

    def weights(self, table: Any, shares: NDArray[np.int64], uniform: Uniform) -> Weighed:
        return weights(table, shares, uniform)


class LocalStreams:
    """Kernels over the events that arrive in this process."""

    def prefix_lis(self, strict: bool) -> Exact:
        return PrefixLis(strict)

    def window_lis(self, width: int, strict: bool) -> Exact:
        return WindowLis(width, strict)

    def block_lis(self, levels: int, every: bool, strict: bool) -> Exact:
        return LisBlocks(levels, every, strict)

    def prefix_total(self) -> Exact:
        return PrefixTotal()

    def window_total(self, width: int) -> Exact:
        return WindowTotal(width)

    def block_total(self, levels: int, every: bool) -> Exact:
        return TotalBlocks(levels, every)

    def match_lengths(self, pattern: tuple[int, ...], edits: int) -> Exact:
        return MatchLengths(pattern, edits)

    def burst_lengths(self, at_least: int, within: int) -> Exact:
        return BurstLengths(at_least, within)

    def prefix_packing(self) -> Exact:
        return PrefixPacking()

    def window_packing(self, width: int) -> Exact:
        return WindowPacking(width)

    def block_packing(self, levels: int, every: bool) -> Exact:
        return PackingBlocks(levels, every)

    def layers(self, layers: int, buckets: int, strict: bool) -> Exact:
        return Layers(layers, buckets, strict)


ENGINE: Engine = LocalEngine()
LABELS: LabelEngine = LocalLabels()
STREAMS: StreamEngine = LocalStreams()
