"""What the printed greedy suppression looks at and changes: arrays, side by side, that its kernels share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from seqveil.fenced.suppression.frequent import MaximalFrequent, inverted
from seqveil.fenced.suppression.holders import find_holders
from seqveil.fenced.suppression.mining import Tree, Violations
from seqveil.fenced.suppression.model import KCL
from seqveil.tables.trajectories import TrajectoryTable


class State(NamedTuple):
    """A record's points, V(T) with T(m), the tree of non-violating sequences, and the MFS.

    A *holding* is one record of one T(m). It lives as long as the record has all pairs of m; m lives as long as one holding does.
    """

    items: NDArray[np.int32]  # points of all records
    offsets: NDArray[np.int64]
    alive: NDArray[np.bool_]  # by point: not suppressed
    codes: NDArray[np.int64]  # by record and attribute: sensitive value or -1
    places: NDArray[np.int32]  # points of each pair
    places_from: NDArray[np.int64]
    left: NDArray[np.int64]  # by pair: points not suppressed

    mvs: NDArray[np.int32]  # pairs of all m; a position in here is a *slot*: a pair of an m
    mvs_from: NDArray[np.int64]
    slot_owner: NDArray[np.int32]
    holder: NDArray[np.int32]  # by holding: the record
    holder_from: NDArray[np.int64]
    mvs_of: NDArray[np.int32]  # by holding: its m
    of_record: NDArray[np.int64]  # holdings of each record
    of_record_from: NDArray[np.int64]
    through: NDArray[np.int32]  # the m through each pair
    through_from: NDArray[np.int64]
    holds: NDArray[np.bool_]  # by holding: lives
    size: NDArray[np.int64]  # by m: |T(m)|
    violations: NDArray[np.int64]  # by pair: |V(p)|
    seen: NDArray[np.int64]  # by m: scratch, zero between uses

    keys: NDArray[np.int64]  # the tree
    numbers: NDArray[np.int32]
    support: NDArray[np.int64]
    sensitive: NDArray[np.int32]
    drop: NDArray[np.int64]  # by node: scratch, zero between uses
    drop_sensitive: NDArray[np.int32]
    touched: NDArray[np.int32]

    mfs: NDArray[np.int32]
    mfs_from: NDArray[np.int64]
    link: NDArray[np.int32]
    link_from: NDArray[np.int64]
    mfs_support: NDArray[np.int64]  # below `least`: lost
    hit: NDArray[np.int64]  # by MFS: scratch, zero between uses
    stamp: NDArray[np.int64]  # by pair: the last record that was marked as having it
    least: int

    pairs: int
    deepest: int
    k: int
    c_over: NDArray[np.int64]  # by sensitive value: C as a fraction
    c_under: NDArray[np.int64]


def state_of(table: TrajectoryTable, model: KCL, violations: Violations, tree: Tree, frequent: MaximalFrequent) -> State:
    """The state before anything is suppressed."""
    pairs, longest = len(table.pairs), int(table.flat.lengths.max(initial=0))
    sequences, records = violations.sequences, find_holders(table, violations, tree)
    limits = model.limits(table.values)
    through = inverted(sequences, pairs)
    of_record = np.argsort(records.items, kind="stable")
    counts = np.bincount(table.flat.items, minlength=pairs).astype(np.int64)
    return State(
        items=table.flat.items,
        offsets=table.flat.offsets,
        alive=np.ones(len(table.flat.items), np.bool_),
        codes=table.codes,
        places=np.argsort(table.flat.items, kind="stable").astype(np.int32),
        places_from=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        left=counts,
        mvs=sequences.items,
        mvs_from=sequences.offsets,
        slot_owner=np.repeat(np.arange(len(violations), dtype=np.int32), sequences.lengths),
        holder=records.items,
        holder_from=records.offsets,
        mvs_of=np.repeat(np.arange(len(violations), dtype=np.int32), records.lengths),
        of_record=of_record,
        of_record_from=np.concatenate([[0], np.cumsum(np.bincount(records.items, minlength=len(table)))]).astype(np.int64),
        through=through.items,
        through_from=through.offsets,
        holds=np.ones(len(records.items), np.bool_),
        size=records.lengths.copy(),
        violations=through.lengths.copy(),
        seen=np.zeros(len(violations), np.int64),
        keys=tree.keys,
        numbers=tree.numbers,
        support=tree.support.copy(),
        sensitive=tree.sensitive.copy(),
        drop=np.zeros(tree.size, np.int64),
        drop_sensitive=np.zeros(tree.sensitive.shape, np.int32),
        touched=np.empty(tree.size, np.int32),
        mfs=frequent.sequences.items,
        mfs_from=frequent.sequences.offsets,
        link=frequent.links.items,
        link_from=frequent.links.offsets,
        mfs_support=frequent.support.copy(),
        hit=np.zeros(len(frequent.support), np.int64),
        stamp=np.full(pairs, -1, np.int64),
        least=frequent.least,
        pairs=pairs,
        deepest=longest if model.l is None else min(longest, model.l),
        k=model.k,
        c_over=limits.over,
        c_under=limits.under,
    )
