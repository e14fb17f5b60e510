"""T(m): the records that hold each minimal violating sequence."""

from __future__ import annotations

import numpy as np
from numba import njit

from seqveil.fenced.suppression.lookup import find
from seqveil.fenced.suppression.mining import Tree, Violations
from seqveil.tables.flat import Flat
from seqveil.tables.trajectories import TrajectoryTable


@njit(cache=True)
def _fill(items, offsets, keys, numbers, pairs, deepest, first, start, records):  # type: ignore[no-untyped-def]
    """Writes each record into the lists of the leaves that it holds; start[m] is where it goes next."""
    node, after = np.zeros(deepest + 1, np.int64), np.zeros(deepest + 1, np.int64)
    for r in range(len(offsets) - 1):
        depth, after[0] = 0, offsets[r]
        while depth >= 0:
            at = after[depth]
            if depth == deepest or at == offsets[r + 1]:
                depth -= 1
                continue
            after[depth] += 1
            child = find(keys, numbers, node[depth] * pairs + items[at])
            if child >= first:
                records[start[child - first]] = r
                start[child - first] += 1
            elif child > 0:
                depth += 1
                node[depth], after[depth] = child, at + 1


def find_holders(table: TrajectoryTable, violations: Violations, tree: Tree) -> Flat:
    """The records of every m, ascending; the tree is the one that was found with the violations."""
    whole = tree.with_leaves(violations, len(table.pairs))
    ends = np.concatenate([[0], np.cumsum(violations.support)]).astype(np.int64)
    records = np.empty(ends[-1], np.int32)
    deepest = int(violations.sequences.lengths.max(initial=0))
    lists = (whole.keys, whole.numbers, len(table.pairs), deepest, tree.size, ends[:-1].copy(), records)
    _fill(table.flat.items, table.flat.offsets, *lists)
    return Flat(records, ends)
