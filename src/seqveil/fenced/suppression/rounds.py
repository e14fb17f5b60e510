"""Local suppression in rounds: break every record's violating sequences, look for new ones, repeat until there are none.

A round may make a sequence violate that did not before; the printed method refuses such moves, and where it must refuse all of
them it suppresses a pair everywhere. Accepting them loses far less (docs/results/suppression.md).

Invariant: every violating sequence of the current table contains a violating node. The nodes are what did not violate at first,
with counts that are kept exact, and the MVS, which count as violating as long as one record holds them. A sequence of at most L
pairs that is no node contained an MVS when the tree was made, and where it occurs, that MVS does. So when no node violates,
nothing does. (An MVS that is too confident must go entirely: the tree does not know what contains it.)

Termination: while a node violates, the first record of the round that holds a violating one loses a point. Points are finite.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqveil.fenced.suppression.breaking import Board, break_records
from seqveil.fenced.suppression.frequent import MaximalFrequent, inverted
from seqveil.fenced.suppression.mining import Tree, Violations, violating
from seqveil.fenced.suppression.model import KCL
from seqveil.tables.flat import Flat
from seqveil.tables.trajectories import TrajectoryTable

MOST_ROUNDS = 100
"""Cities of a million records take three or four. What violates after so many is left to global suppression."""

NEAR, MFS_NEAR = 0.3, 10.0
NEAR_POWER, MFS_POWER = 0.25, 0.5
"""What it costs that a sequence that can spare s records loses one: 0.3 / (s + 1)^0.25 of an instance if it is not to violate,
10 / sqrt(s + 1) of an MFS if it is to stay frequent. Found by trying (docs/results/suppression.md, 'Other weights')."""

_FARTHEST = 4096


def _falling(height: float, power: float) -> NDArray[np.float64]:
    return np.asarray(height / np.arange(1.0, _FARTHEST + 1) ** power)


def board_of(table: TrajectoryTable, model: KCL, tree: Tree, leaves_from: int, frequent: MaximalFrequent) -> Board:
    """The board before anything is suppressed; nodes of the tree from `leaves_from` on are the MVS."""
    longest = int(table.flat.lengths.max(initial=0))
    limits = model.limits(table.values)
    begins = frequent.sequences.items[frequent.sequences.offsets[:-1]]
    first = inverted(Flat(begins, np.arange(len(begins) + 1)), len(table.pairs))
    return Board(
        items=table.flat.items,
        offsets=table.flat.offsets,
        alive=np.ones(len(table.flat.items), np.bool_),
        codes=table.codes,
        keys=tree.keys,
        numbers=tree.numbers,
        support=tree.support.copy(),
        sensitive=tree.sensitive.copy(),
        near=_falling(NEAR, NEAR_POWER),
        mfs=frequent.sequences.items,
        mfs_from=frequent.sequences.offsets,
        first=first.items,
        first_from=first.offsets,
        mfs_support=frequent.support.copy(),
        mfs_near=_falling(MFS_NEAR, MFS_POWER),
        least=frequent.least,
        leaves_from=leaves_from,
        pairs=len(table.pairs),
        deepest=longest if model.l is None else min(longest, model.l),
        k=model.k,
        c_over=limits.over,
        c_under=limits.under,
    )


def suppress_in_rounds(
    table: TrajectoryTable, model: KCL, violations: Violations, tree: Tree, frequent: MaximalFrequent, most: int = MOST_ROUNDS
) -> tuple[Board, int]:
    """The board when no node violates any more, or after so many rounds; and how many there were."""
    whole = tree.with_leaves(violations, len(table.pairs))
    board = board_of(table, model, whole, tree.size, frequent)
    limits = model.limits(table.values)
    owner = np.repeat(np.arange(len(table)), table.flat.lengths)
    # Long records hold the most violations; what they lose often spares the short ones.
    order = np.argsort(-table.flat.lengths, kind="stable")
    longest = int(table.flat.lengths.max(initial=0))
    for done in range(most):
        wrong = violating(board.support, board.sensitive, model.k, limits)
        wrong[tree.size :] = True
        bad = np.flatnonzero(wrong & (board.support > 0))
        if not len(bad):
            return board, done
        # A record that holds a violating node holds its last pair.
        ends = np.zeros(len(table.pairs), np.bool_)
        ends[whole.pair[bad]] = True
        concerned = np.zeros(len(table), np.bool_)
        concerned[owner[board.alive & ends[table.flat.items]]] = True
        break_records(board, order[concerned[order]], longest, len(frequent.support) > 0)
    return board, most
