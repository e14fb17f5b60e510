"""The matching phase [Bonomi thesis, §4.5], done by the third party: all pairs of vectors within reach, without rounding."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.errors import InputProblems, RunFailed
from seqveil.link.distinct import Distinct
from seqveil.link.index import Index, by_sketch
from seqveil.link.pairs import Pairs
from seqveil.link.sketch import sketches
from seqveil.link.vectors import Vectors
from seqveil.surface import parameter

MOST_PAIRS = 100_000_000

Progress = Callable[[int, int], None]
"""Receives how many vectors are done, and of how many."""

_CHUNK_PAIRS = 1 << 25
_CHUNK = 2048


def match(
    a: Vectors, b: Vectors, one_to_one: bool = False, most_pairs: int = MOST_PAIRS, progress: Progress | None = None
) -> Pairs:
    """Every pair of positions whose squared distance is at most the reach of a's vector, ordered by a, then b.

    The reach is b's where a has none. With `one_to_one` no position is in two pairs: the nearest pair is taken first, then
    the nearest of those left, and so on; of equally near ones the first by a, then b.
    """
    _refuse_unlike(a, b)
    turned = a.reach is None
    seeking, sought = (b, a) if turned else (a, b)
    in_b, in_a, squared = _within_reach(seeking, sought, most_pairs, progress)
    if not turned:
        in_b, in_a, squared = _by_second(in_b, in_a, squared, len(b))  # what seeks is a, and came first
    in_a, in_b, squared = _by_second(in_b, in_a, squared, len(a))  # from the order of b to that of a, then b
    if one_to_one:
        kept = nearest_first(in_a, in_b, squared, len(a), len(b))
        in_a, in_b, squared = in_a[kept], in_b[kept], squared[kept]
    in_a += 1
    in_b += 1
    return Pairs(in_a, in_b, a.digest, b.digest, a.base_id, "b" if turned else "a", one_to_one, squared)


def _refuse_unlike(a: Vectors, b: Vectors) -> None:
    problems = []
    if a.base_id != b.base_id:
        problems.append(
            f"were made with different bases ({a.base_id[:12]}… and {b.base_id[:12]}…): embed both with the same base.json"
        )
    elif not np.array_equal(a.lengths, b.lengths):
        problems.append("name the same base, but n-grams of other lengths: one was changed; ask its data holder for it again")
    if a.digest == b.digest:
        problems.append("are the same folder: give one from each data holder")
    if a.reach is None and b.reach is None:
        problems.append(f"have no thresholds: one data holder must embed with {parameter('edits', 'N')}")
    if problems:
        raise InputProblems("the two folders of vectors", problems)


def _within_reach(
    seeking: Vectors, sought: Vectors, most: int, progress: Progress | None
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray]:
    """Pairs of positions from 0, ordered by the first; each distinct vector is compared once."""
    exact = _exact_float(seeking, sought)
    width = np.promote_types(seeking.counts.dtype, sought.counts.dtype)
    counts, targets = (side.counts.astype(width, copy=False) for side in (seeking, sought))
    one, other = Distinct.of(counts, seeking.reaches), Distinct.of(targets, np.zeros(len(sought), np.int64))
    index = Index.of(targets[other.first], seeking.weights, exact)
    sketch = sketches(counts[one.first], index.groups)
    order = by_sketch(sketch)
    rows = one.first[order]
    times, own_times = other.times[index.order], one.times[order]
    search = _Search(index, counts, rows, sketch[order], seeking.reaches[rows], times, own_times, most)
    many, hits, squared = search.run(max(1, min(_CHUNK, _CHUNK_PAIRS // len(index.counts))), progress)
    at = np.empty(len(order), np.int64)  # where each kind's matches stand
    at[order] = np.cumsum(many) - many
    in_kind = np.empty(len(order), np.int64)
    in_kind[order] = many
    kinds = index.order.astype(np.int32)[hits]
    del hits
    kind_of = np.empty(len(seeking), np.int32)
    kind_of[one.rows] = np.repeat(np.arange(len(one.first), dtype=np.int32), one.times)
    return _spread(kind_of, at, in_kind, kinds, squared, other.rows, other.offsets)  # type: ignore[no-any-return]


def _exact_float(seeking: Vectors, sought: Vectors) -> type[np.floating]:
    """The float type in which every squared distance, and so every sum on the way to it, is an exact integer.

    Coordinates are not negative, so |a - b|² ≤ |a|² + |b|².
    """
    farthest = _longest_square(seeking) + _longest_square(sought)
    if farthest >= 2**53:
        raise RunFailed("a name is so long that squared distances exceed 53 bits: leave such names out, or use shorter n-grams.")
    return np.float32 if farthest < 2**24 else np.float64


def _longest_square(vectors: Vectors) -> int:
    """An upper bound of |v|² that cannot overflow: floats are off by far less than the margin."""
    most = max(float(_norms(vectors.counts, vectors.weights.astype(np.float64)).max()), 0.0)
    return int(most * (1 + 1e-9)) + 1


@njit(cache=True, nogil=True)
def _norms(counts, weights):  # type: ignore[no-untyped-def]
    out = np.zeros(len(counts))
    for row in range(len(counts)):
        for i in range(len(weights)):
            out[row] += (counts[row, i] * weights[i]) ** 2
    return out


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """All searches of one side, chunk by chunk on every core (the kernels hold no lock)."""

    index: Index
    counts: NDArray
    rows: NDArray[np.int64]
    sketch: NDArray[np.uint8]
    reach: NDArray[np.int64]
    times: NDArray[np.int64]
    own_times: NDArray[np.int64]
    most: int

    def run(self, chunk: int, progress: Progress | None) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray]:
        """How many matches each row has; which; how far."""
        parts, pairs = [], 0
        for done, (many, hits, squared, more) in self._parts(chunk):
            parts.append((many, hits, squared))
            pairs += more
            if pairs > self.most:
                raise RunFailed(
                    f"more than {self.most:,} pairs are within the threshold, which is too wide to distinguish names. Embed with "
                    f"a smaller {parameter('edits')}, with {parameter('threshold', 'neighbours')}, or over a larger base."
                )
            if progress is not None:
                progress(done, len(self.rows))
        many, hits, squared = (np.concatenate(column) for column in zip(*parts, strict=True))
        return many, hits, squared

    def _parts(self, chunk: int) -> Iterator[tuple[int, tuple[NDArray[np.int64], NDArray[np.int32], NDArray, int]]]:
        starts = range(0, len(self.rows), chunk)
        pool = ThreadPoolExecutor(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
        try:
            for start, part in zip(starts, pool.map(lambda at: self._part(slice(at, at + chunk)), starts), strict=True):
                yield min(start + chunk, len(self.rows)), part
        finally:
            pool.shutdown(cancel_futures=True)

    def _part(self, at: slice) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray, int]:
        counts = self.counts[self.rows[at]]
        many, hits, squared, _ = self.index.search(counts, self.sketch[at], self.reach[at], self.times, self.most)
        pairs = int((np.repeat(self.own_times[at], many) * self.times[hits]).sum())
        return many, hits, squared, pairs


@njit(cache=True, nogil=True)
def _spread(kind_of, at, many, kinds, squared, rows, offsets):  # type: ignore[no-untyped-def]
    """From pairs of kinds to pairs of rows: `rows[offsets[d]:offsets[d + 1]]` are the sought rows of kind d."""
    total = 0
    for kind in kind_of:
        for i in range(at[kind], at[kind] + many[kind]):
            total += offsets[kinds[i] + 1] - offsets[kinds[i]]
    first, second, far = np.empty(total, np.int32), np.empty(total, np.int32), np.empty(total, squared.dtype)
    n = 0
    for row in range(len(kind_of)):
        kind = kind_of[row]
        for i in range(at[kind], at[kind] + many[kind]):
            for j in range(offsets[kinds[i]], offsets[kinds[i] + 1]):
                first[n], second[n], far[n] = row, rows[j], squared[i]
                n += 1
    return first, second, far


@njit(cache=True, nogil=True)
def _by_second(first, second, squared, size):  # type: ignore[no-untyped-def]
    """The pairs turned round, in the order of what then comes first; those that agree in it keep theirs. A counting sort."""
    at = np.zeros(size + 1, np.int64)
    for i in second:
        at[i + 1] += 1
    for i in range(size):
        at[i + 1] += at[i]
    turned, other, far = np.empty_like(second), np.empty_like(first), np.empty_like(squared)
    for n in range(len(second)):
        to = at[second[n]]
        at[second[n]] += 1
        turned[to], other[to], far[to] = second[n], first[n], squared[n]
    return turned, other, far


def nearest_first(a: NDArray[np.int32], b: NDArray[np.int32], squared: NDArray, most_a: int, most_b: int) -> NDArray[np.bool_]:
    """Which pairs are left when the nearest is taken first and nothing is taken twice; pairs come ordered by a, then b.

    >>> a, b, squared = np.array([0, 0, 1], np.int32), np.array([0, 1, 0], np.int32), np.array([5, 2, 2])
    >>> nearest_first(a, b, squared, 2, 2).tolist()
    [False, True, True]
    """
    return _greedy(np.argsort(squared, kind="stable"), a, b, most_a, most_b)  # type: ignore[no-any-return]


@njit(cache=True, nogil=True)
def _greedy(order, a, b, most_a, most_b):  # type: ignore[no-untyped-def]
    kept = np.zeros(len(order), np.bool_)
    gone_a, gone_b = np.zeros(most_a, np.bool_), np.zeros(most_b, np.bool_)
    for n in order:
        if not gone_a[a[n]] and not gone_b[b[n]]:
            kept[n] = gone_a[a[n]] = gone_b[b[n]] = True
    return kept
