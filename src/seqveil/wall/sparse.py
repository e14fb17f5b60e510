"""Noisy counts that reach a threshold, without drawing noise for what is not there.

A family of `fan_out` slots, of which a few have a non-zero true count, is answered as if every slot got its own
noise and only those at or above the threshold were released. Slots with the same true count c share one law: how many
of n such slots pass is Binomial(n, P(c + X ≥ t)), which of them is uniform, and by how much is the law of noise beyond t − c. So
the (possibly 10⁶) empty slots of all families of one class cost one binomial and a few tail draws, and the many slots
with a count of 1 or 2 cost no more. docs/mechanisms/tree.md proves that the law is the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.protocol import Counts
from seqveil.errors import CallError
from seqveil.wall.noise import Law, Noise, drawn
from seqveil.wall.noise.arguments import MOST_PASSING, refuse_flood
from seqveil.wall.noise.uniform import MOST_INT64

POOL = 256
"""Slots of one true count are pooled from this many on; below it, single draws are cheaper. No effect on the law."""

MOST_ENUMERATED = 50_000_000
"""Without a threshold every slot is answered, so there must be few enough to write down."""


@dataclass(frozen=True, slots=True, eq=False)
class Survivors:
    """The slots that passed: family (a position in the families asked), rank within it, noisy count. Sorted."""

    family: NDArray[np.int64]
    rank: NDArray[Any]
    noisy: NDArray[np.int64]


def survivors(
    counts: Counts,
    fan_out: list[int],
    law: Law,
    threshold: int | None,
    noise: Noise,
    answered: Counts | None = None,
) -> Survivors:
    """What passes in families that share one law of noise and one threshold.

    Slots that were `answered` before are left out. A threshold that would let too many empty slots pass is refused from the
    public fan-out alone, before any draw.
    """
    occupied = counts if answered is None else _merged(counts, answered)
    counts = counts if answered is None else _without(counts, answered)
    if threshold is None or threshold < 0:
        counts = _written_down(counts, fan_out) if answered is None else _without(_written_down(counts, fan_out), answered)
        which, noisy = _passing_counts(counts.count, law, threshold, noise)
        family, rank = counts.parent[which], counts.rank[which]
    else:
        refuse_flood(law, threshold, sum(fan_out))
        which, noisy = _passing_counts(counts.count, law, threshold, noise)
        empty_family, empty_rank = _passing_zeros(occupied, fan_out, law, threshold, noise)
        family = np.concatenate([counts.parent[which], empty_family])
        rank = np.concatenate([counts.rank[which], empty_rank])
        noisy = np.concatenate([noisy, threshold + noise.beyond(law, threshold, len(empty_family))])
    order = np.lexsort((rank, family))
    return Survivors(family[order], rank[order], noisy[order])


def _merged(counts: Counts, answered: Counts) -> Counts:
    """Slots that are not empty or were answered, sorted, each once."""
    parent, rank = np.concatenate([counts.parent, answered.parent]), np.concatenate([counts.rank, answered.rank])
    order = np.lexsort((rank, parent))
    parent, rank = parent[order], rank[order]
    fresh = np.ones(len(rank), np.bool_)
    fresh[1:] = (parent[1:] != parent[:-1]) | (rank[1:] != rank[:-1])
    return Counts(parent[fresh], rank[fresh], np.zeros(int(fresh.sum()), np.int64))


def _without(counts: Counts, answered: Counts) -> Counts:
    """The counts of slots that were not answered."""
    wide = int(max(counts.rank.max(initial=0), answered.rank.max(initial=0))) + 1
    families = int(max(counts.parent.max(initial=0), answered.parent.max(initial=0))) + 1
    dtype = np.int64 if wide * families < 2**62 else object
    taken = answered.parent.astype(dtype) * wide + answered.rank
    keep = ~np.isin(counts.parent.astype(dtype) * wide + counts.rank, taken)
    return Counts(counts.parent[keep], counts.rank[keep], counts.count[keep])


def _written_down(counts: Counts, fan_out: list[int]) -> Counts:
    """All slots, zeros included: for small domains and for thresholds that a zero passes more often than not."""
    total = sum(fan_out)
    if total > MOST_ENUMERATED:
        raise CallError(
            f"answering every one of {total:,} slots is more than {MOST_ENUMERATED:,}: give a threshold of at least 0."
        )
    start = np.concatenate([[0], np.cumsum(np.array(fan_out, np.int64))]).astype(np.int64)
    dense = np.zeros(total, np.int64)
    dense[start[counts.parent] + counts.rank] = counts.count
    parent = np.repeat(np.arange(len(fan_out)), fan_out)
    return Counts(parent, np.arange(total) - start[parent], dense)


def _passing_counts(
    count: NDArray[np.int64], law: Law, threshold: int | None, noise: Noise
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which of these true counts pass, and their noisy values."""
    if threshold is None:
        return np.arange(len(count)), count + drawn(noise, law, len(count))
    single = np.ones(len(count), np.bool_)
    where, values = [], []
    low = np.flatnonzero(count <= threshold)
    for value, size in zip(*np.unique(count[low], return_counts=True), strict=True):
        if POOL <= size <= MOST_PASSING and value >= 0:  # more could be refused, and how many there are is raw
            slots = low[count[low] == value]
            single[slots] = False
            passed = noise.passing(law, threshold - int(value), int(size))
            where.append(slots[noise.distinct(passed, int(size)).astype(np.int64)])
            values.append(threshold + noise.beyond(law, threshold - int(value), passed))
    alone = np.flatnonzero(single)
    noisy = count[alone] + drawn(noise, law, len(alone))
    keep = noisy >= threshold
    return np.concatenate([*where, alone[keep]]), np.concatenate([*values, noisy[keep]])


def _passing_zeros(
    counts: Counts, fan_out: list[int], law: Law, threshold: int, noise: Noise
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Which empty slots of all families pass: one binomial, then distinct slots, numbered across the families."""
    first = np.searchsorted(counts.parent, np.arange(len(fan_out) + 1))
    present = np.diff(first)
    # Which integers hold the ranks follows from the public fan-out alone: how many slots are empty is nobody's business.
    dtype = np.int64 if sum(fan_out) < MOST_INT64 else object
    empty = np.array(fan_out, dtype) - present
    start = np.concatenate([np.zeros(1, dtype), np.cumsum(empty)])
    slots = noise.distinct(noise.passing(law, threshold, int(start[-1])), int(start[-1])).astype(dtype)
    family = np.asarray(np.searchsorted(start, slots, side="right") - 1, np.int64)
    # Empty slots before each occupied one, over all families. A slot lies after the occupied ones that have at most as many
    # empty slots before them as it has itself; those of earlier families are among them, and are taken off again.
    before = counts.rank - (np.arange(len(counts.rank)) - first[counts.parent]) + start[counts.parent]
    passed_over = np.searchsorted(before.astype(dtype), slots, side="right") - first[family]
    return family, slots - start[family] + passed_over
