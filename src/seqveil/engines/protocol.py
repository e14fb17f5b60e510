"""What an engine answers: exact counts of the records of a table. Raw side; nothing here is noisy.

A table names the engine that holds its records (`engine = "local"`: arrays of this process); `engine_of` finds it. The wall and
its questions ask that engine and nothing else: they never see a record, only sums over records, so an engine may hold its
records anywhere, for example in the executors of a cluster.

What an engine must guarantee, and what `tests/engines/` holds every engine to, against brute force:
- every answer is a function of the records alone, and *local*: a sum (or the stated order statistic) over records, in which what
  one record adds depends on this record and public parameters only. Counts of several parts of the data may be added up.
- `bounded`, `cut`, `excerpts`, `parts` and `strata` treat every unit of privacy by itself.
What makes a stated sensitivity true (bounding, cutting, capping) is ordered and verified by the wall: `wall/clip.py`.

A new engine is a package `seqveil/engines/NAME/` with a module `engine.py` that has an `ENGINE`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import Any, Literal, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from seqveil.tables.doubling import Doubling
from seqveil.tables.granularity import Granularities
from seqveil.tables.taxonomy import Taxonomy
from seqveil.tables.trie import Trie

Table = TypeVar("Table")

Uniform = Callable[[int, int], NDArray[Any]]
"""`uniform(n, size)`: so many independent uniform integers of 0..n-1 from the secret randomness of the run.

An engine that draws where its records are asks for a few of them once, as the secret key of a keyed hash of the unit.
"""


Excerpt = Literal["window", "sample"]
"""Which part of a long record is kept, if not the first: see `Engine.excerpts`."""


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """The non-zero children of some nodes: sorted by parent (a position in the `nodes` that were asked), then rank.

    `most` is the most that one unit was counted at any of them: measured by counters that cap it, None elsewhere.
    """

    parent: NDArray[np.int64]
    rank: NDArray[np.int64]
    count: NDArray[np.int64]
    most: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Public candidates per node with exact integer scores, for the exponential mechanism.

    `start[i]:start[i + 1]` are the candidates of the i-th node asked; each path a unit walks moves any score by at
    most `sensitivity`.
    """

    start: NDArray[np.int64]
    score: NDArray[np.int64]
    sensitivity: int


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Exact counts: the non-zero slots, ascending, their counts, and the most that any one record added to all of them together.

    `heaviest` is measured while counting; the wall compares it with the sensitivity that the question states. It is None where
    the numbers are no sums over records (order statistics); then the question's own argument must do.

    `heaviest_square` is the largest sum of squares that one record added, where it may be less than the square of `heaviest`.
    `owner_square` takes its place where counts are capped: the largest sum of squares of all that one owner added.

    >>> Tally.of(np.array([0, 3, 1]), heaviest=2).index.tolist()
    [1, 2]
    """

    index: NDArray[np.int64]
    count: NDArray[np.int64]
    heaviest: int | None
    heaviest_square: int | None = None
    owner_square: int | None = None

    @classmethod
    def of(cls, counts: NDArray[np.integer], heaviest: int | None, heaviest_square: int | None = None) -> Tally:
        """From one count per slot."""
        index = np.flatnonzero(counts)
        return cls(index, np.asarray(counts[index], np.int64), heaviest, heaviest_square)

    def once(self) -> Tally:
        """The same, where a record adds at most 1 to every slot: what it adds, squared, sums to what it adds.

        >>> Tally.of(np.array([0, 3, 1]), heaviest=2).once().heaviest_square
        2
        """
        return replace(self, heaviest_square=self.heaviest)

    def dense(self, slots: int) -> NDArray[np.int64]:
        """One count per slot."""
        counts = np.zeros(slots, np.int64)
        counts[self.index] = self.count
        return counts


@dataclass(frozen=True, slots=True, eq=False)
class Largest:
    """The largest supports there are: `best[i]` is that of a pattern of i + 1 items, 0 where none reaches `least`.

    `least` is the least support that was looked for in the end: at most a public number of patterns have that much or more.
    """

    best: NDArray[np.int64]
    least: int


@dataclass(frozen=True, slots=True, eq=False)
class Triangles:
    """How many triangles a graph has, and how many more a few edges could make.

    `ends[a]` is the largest d_i + d_j − 2·[i and j are joined] over pairs of vertices i ≠ j with at least a common neighbours:
    vertices that are joined to both count twice, those that are joined to one of them once. It ends where no pair has as many
    common neighbours, and is empty where there is no pair.
    """

    count: int
    ends: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Weighed:
    """Labels that nobody has listed, and the weight that units gave to each: above 0, in the order of the labels' bytes.

    `heaviest_square` is the largest sum of squares that one unit added, `most` the most labels that one unit gave weight to.
    `of_owners` says whether a unit was all that an owner has, and not a record.
    """

    labels: list[str]
    weight: NDArray[np.int64]
    heaviest_square: int
    most: int
    of_owners: bool


class Counter(Protocol):
    """Exact counts of the children of a frontier of a tree.

    Nodes are numbered 0..n-1 within one counter; a fresh counter has the root alone, as node 0. A child is named by its parent
    and its *rank*, a public number in 0..fan_out-1 that means the same whatever the data. The counts of the children of a node
    sum to at most the count of the node. `split` is public and says how each asked node is divided; counters whose nodes divide
    in one way only ignore it.
    """

    def fan_out(self, nodes: NDArray[np.int64], split: Any = None) -> list[int]:
        """How many children each node has in the public domain; may exceed 2**63."""
        ...

    def children(self, nodes: NDArray[np.int64], split: Any = None) -> Counts:
        """The children that occur, with their exact counts."""
        ...

    def count(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        """The exact counts of the nodes themselves."""
        ...

    def scores(self, nodes: NDArray[np.int64]) -> Scores:
        """Public ways to split each node, scored; counters whose nodes divide in one way only refuse."""
        ...

    def descend(self, parents: NDArray[np.int64], ranks: NDArray[np.int64], split: Any = None) -> Counter:
        """A new counter whose node i is the child `ranks[i]` of node `parents[i]`; records follow these children only."""
        ...


class RegionCounter(Counter, Protocol):
    """A counter whose nodes are regions of the pairs of vertices of a graph."""

    def region(self, node: int) -> NDArray[np.int64]:
        """The region of a node; public."""
        ...

    def occupied(self, node: int) -> NDArray[np.int64]:
        """The numbers of a region's cells that hold an edge, ascending."""
        ...


class Engine(Protocol):
    """Exact answers about the records of the tables that name it. Tables are passed through unopened."""

    @property
    def name(self) -> str:
        """What tables call it."""
        ...

    # The records themselves.

    def size(self, table: Any) -> int:
        """How many records there are."""
        ...

    def longest(self, table: Any) -> int:
        """The length of the longest record; 0 where there is none."""
        ...

    def most_owned(self, table: Any) -> int:
        """The most records that one owner has; where records have no owners, every record is its own."""
        ...

    def bounded(self, table: Table, m: int, uniform: Uniform) -> Table:
        """At most m records of each owner, chosen uniformly and independently of all other owners."""
        ...

    def cut(self, table: Table, l_max: int) -> Table:
        """The first l_max items of every record; no record is dropped."""
        ...

    def excerpts(self, table: Table, l_max: int, how: Excerpt, uniform: Uniform) -> Table:
        """Of every record that is longer than l_max, a contiguous part of at most l_max items; no record is dropped.

        Each part is drawn uniformly, by the secret randomness of the run, for each record by itself. "window": l_max items, from
        any of the L - l_max + 1 places of a record of L. "sample": one of B = ceil(L / l_max) consecutive blocks; block b has the
        items from floor(b·L / B) up to floor((b + 1)·L / B), so that every item is as likely to be kept as any other.

        An engine that draws where its records are takes one secret key and a keyed hash of what identifies the record (its owner
        and place, or where it was read), so that a task that runs twice draws the same. Records that are not cut draw as well.
        """
        ...

    def parts(self, table: Table, n: int, uniform: Uniform) -> list[Table]:
        """n parts: every owner, with all their records, falls into one of them, uniformly and independently of all others."""
        ...

    def strata(self, table: Table, bounds: Sequence[int]) -> list[Table]:
        """One table for each of some rising bounds: every record is cut to the last bound, and lies in the stratum of its own
        length then, the first whose bound it does not exceed. A record without items is in none.

        Whoever asks a stratum sees cut records. A view will do: a filter on the length that every question applies.
        """
        ...

    # Trees.

    def grams(self, table: Any, deepest: int, *, cap: int | None = None, by_owner: bool = False) -> Counter:
        """The n-grams of at most `deepest` symbols, one walk per item of a record; a terminator follows the last item.

        With a cap, a record (`by_owner`: an owner, with all records in the table) is counted at most `cap` times at a node: of
        its walks that stand at the parent and go on to the child, the first `cap` do, and the others end at the parent. The
        root counts all walks. `Counts.most` is measured.
        """
        ...

    def prefixes(self, table: Any, fine: Granularities) -> Counter:
        """What records begin with, through the groups of public granularities; one walk per record."""
        ...

    def partitions(self, table: Any, taxonomy: Taxonomy) -> Counter:
        """Records as sets, divided by cuts of a public taxonomy; one walk per record that is not empty."""
        ...

    def regions(self, table: Any, least: tuple[int, ...], step: int) -> RegionCounter:
        """The edges of a graph by regions of the pairs of vertices; one walk per edge."""
        ...

    # Tallies.

    def lengths(self, table: Any, most: int) -> Tally:
        """Records by length: slot l holds those of l items, slot `most` those of `most` or more."""
        ...

    def closed_lengths(self, table: Any, most: int) -> Tally:
        """Records cut to `most` items, by length and by whether they end where they began: slot 2·(l − 1) + [first = last].

        A record without items is in no slot.
        """
        ...

    def ends(self, table: Any, first: NDArray[np.int32], last: NDArray[np.int32], slots: int, wide: int) -> Tally:
        """Records by their two ends: slot first[x]·wide + last[y] for a record that begins with x and ends with y.

        `first` and `last` have one code per label; with codes that are all 0, one end alone counts. There are `slots` slots in
        all, most of which may be empty: cost and memory follow the records. A record without items is in no slot.
        """
        ...

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
        """How often each context is followed by each code inside a record: slot c·wide + x for context c and code x.

        `codes` has one code of 0..wide-1 per label. `contexts` has one row of d codes per context, all different; it occurs
        before an item if the d items of the same record before it have these codes. With d = 0 there is one context, which
        stands before every item. A record adds one for every item that follows a context. `heaviest` is the most that one
        added. One pass over the items, whatever the number of contexts; most of the slots may be empty.

        With a cap, a record (`by_owner`: an owner, with all records in the table) adds at most `cap` to each slot. `heaviest` is
        what a record would have added without it, and `owner_square` is measured.
        """
        ...

    def itemsets(self, table: Any) -> Tally:
        """Records as sets: slot s holds those whose codes are the bits of s + 1. Empty records are in no slot."""
        ...

    def supports(self, table: Any, patterns: NDArray[np.integer]) -> Tally:
        """In how many records each of some distinct patterns of one length occurs, gaps allowed."""
        ...

    def shrunk_supports(self, table: Any, patterns: NDArray[np.integer], *, l_max: int, most: int, how: str) -> Tally:
        """The same in records cut to l_max items (how = "shrink" or "delete"); a record adds to at most `most` patterns."""
        ...

    def truncated_supports(self, table: Any, patterns: NDArray[np.integer], *, l_max: int, most: int) -> Tally:
        """Supports of itemsets in sets cut to l_max items; a record adds to at most `most` itemsets."""
        ...

    def clipped_supports(self, table: Any, patterns: NDArray[np.integer], *, most: int, fair: bool) -> Tally:
        """Supports of distinct patterns in whole records; a record adds to at most `most` of those that it contains.

        Patterns may differ in length; shorter ones are padded with -1. The first rows that a record contains count, or, if
        `fair`, consecutive ones (after the last comes the first) from one that the record itself draws.
        """
        ...

    def contained(self, table: Any, patterns: NDArray[np.integer], bounds: NDArray[np.int64]) -> Tally:
        """Records by the number of such patterns that they contain, over rising bounds.

        Slot j holds the records that contain at most bounds[j], and more than bounds[j - 1]; the last slot those with more than
        every bound. A record is in one slot.
        """
        ...

    def bins(self, table: Any, bases: Sequence[Sequence[int]]) -> Tally:
        """Records by the labels of each basis that they contain: 2^m slots for a basis of m distinct labels.

        The slots of the bases follow each other. Within a basis, bit j of the slot says whether the record contains the j-th
        label. A record adds 1 to one slot of each basis: to the first where it contains none of the labels.
        """
        ...

    def fingerprints(self, table: Any, patterns: Sequence[tuple[int, ...]], *, l_max: int, most: int) -> Tally:
        """The longest pattern ending at each of the best l_max symbols of every record; a record adds at most `most` of them."""
        ...

    def matches(self, table: Any, patterns: Doubling | Trie, *, most: int, once: bool) -> Tally:
        """How often records hold the slots of public patterns; a record adds at most `most`, to all of them together.

        Of a `Doubling`, a record holds the string of the length asked about at each of its positions, where that is a slot. Of a
        `Trie`, it holds the longest pattern that begins at each position. If `once`, it holds each string at most once, or,
        of a trie, the last pattern on every heavy path of which it contains a pattern. A record that holds more than `most` adds
        consecutive ones (by position, or ascending if `once`; after the last comes the first) from one that it draws itself.
        """
        ...

    def matched(self, table: Any, patterns: Doubling | Trie, bounds: NDArray[np.int64], *, once: bool) -> Tally:
        """Records by how many slots they hold, over rising bounds, as in `contained`. A record is in one slot."""
        ...

    def degrees(self, table: Any) -> Tally:
        """The number of edges of each vertex."""
        ...

    def edges(self, table: Any) -> Tally:
        """Which pairs of vertices are joined: slots are the numbers of the pairs."""
        ...

    # Order statistics.

    def triangles(self, table: Any) -> Triangles:
        """The triangles of a graph. Not a sum over edges: an engine whose edges lie apart brings them together first."""
        ...

    def largest_supports(self, table: Any, *, least: int, longest: int, most: int) -> Largest:
        """Over patterns of at most `longest` items with a support of at least `least`, raised until they are at most `most`."""
        ...


class Exact(Protocol):
    """The exact kernel of a stream: the values of all stretches that end with each of these events, in order."""

    def feed(self, values: Any) -> NDArray[np.int64]: ...


class LabelEngine(Protocol):
    """Exact weights of labels that nobody has listed."""

    def weights(self, table: Any, shares: NDArray[np.int64], uniform: Uniform) -> Weighed:
        """Every unit gives shares[t − 1] to each of its t distinct labels; of more labels than there are shares, that many are
        chosen by lots of the unit's own."""
        ...


class StreamEngine(Protocol):
    """Exact kernels over the events of a stream, one pass each. NaN is a null event, which holds its place."""

    def prefix_lis(self, strict: bool) -> Exact:
        """The longest increasing subsequence of everything so far, after each event."""
        ...

    def window_lis(self, width: int, strict: bool) -> Exact:
        """The same of the last `width` events."""
        ...

    def block_lis(self, levels: int, every: bool, strict: bool) -> Exact:
        """The same of dyadic blocks: all that end with an event, or the one that prefixes are made of."""
        ...

    def prefix_total(self) -> Exact:
        """The sum of everything so far, after each whole number."""
        ...

    def window_total(self, width: int) -> Exact:
        """The same of the last `width` numbers."""
        ...

    def block_total(self, levels: int, every: bool) -> Exact:
        """The same of dyadic blocks."""
        ...

    def match_lengths(self, pattern: tuple[int, ...], edits: int) -> Exact:
        """After each event, the length of the shortest stretch that ends there and is the pattern but for `edits`; 0 if none."""
        ...

    def burst_lengths(self, at_least: int, within: int) -> Exact:
        """The same for stretches of at most `within` events, from a 1 to a 1, that have `at_least` ones."""
        ...

    def prefix_packing(self) -> Exact:
        """How many stretches fit into everything so far without sharing an event, where each event has such a length."""
        ...

    def window_packing(self, width: int) -> Exact:
        """The same in the last `width` events."""
        ...

    def block_packing(self, levels: int, every: bool) -> Exact:
        """The same in dyadic blocks."""
        ...

    def layers(self, layers: int, buckets: int, strict: bool) -> Exact:
        """What each layer of the hierarchy contributes, after each event."""
        ...


def engine_of(table: Any) -> Engine:
    """The engine that a table brings along."""
    return cast(Engine, _loaded(table.engine).ENGINE)


def label_engine_of(table: Any) -> LabelEngine:
    """The engine that weighs the labels of a table."""
    return cast(LabelEngine, _loaded(table.engine).LABELS)


def stream_engine_of(question: Any) -> StreamEngine:
    """The engine that computes a continual question."""
    return cast(StreamEngine, _loaded(question.engine).STREAMS)


@cache
def _loaded(name: str) -> Any:
    """Loaded when it is first asked, so that naming an engine does not compile its kernels."""
    return import_module(f"seqveil.engines.{name}.engine")
