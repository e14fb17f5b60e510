"""[Chen thesis, Alg. 5.1]: all minimal violating sequences (MVS), level by level.

Sequences that neither violate nor contain a violation are the nodes of a tree (`Tree`): a node and a later pair make the key
node · |pairs| + pair of a child. Level i extends the nodes of depth i - 1 by what follows in a record; a candidate is dropped
when one of its (i - 1)-subsets is no node, since it then contains an MVS and is not minimal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.errors import RunFailed
from seqveil.fenced.suppression.lookup import find, grown, new_lookup, place
from seqveil.fenced.suppression.model import KCL, Limits
from seqveil.surface import parameter
from seqveil.tables.flat import Flat
from seqveil.tables.trajectories import TrajectoryTable

_MOST_NODES = 40_000_000
_PRUNED = -1


@dataclass(slots=True, eq=False)
class Tree:
    """Non-violating sequences: node 0 is the empty one; a child is found by its key."""

    keys: NDArray[np.int64]
    numbers: NDArray[np.int32]
    parent: NDArray[np.int32]
    pair: NDArray[np.int32]
    support: NDArray[np.int64]
    sensitive: NDArray[np.int32]
    size: int = 1

    @classmethod
    def empty(cls, values: int) -> Tree:
        keys, numbers = new_lookup(1024)
        none = np.full(1, -1, np.int32)
        return cls(keys, numbers, none, none, np.zeros(1, np.int64), np.zeros((1, values), np.int32))

    def add(self, keys: NDArray[np.int64], pairs: int, support: NDArray[np.int64], sensitive: NDArray[np.int32]) -> None:
        """One more level."""
        if self.size + len(keys) > _MOST_NODES:
            raise RunFailed(
                f"more than {_MOST_NODES:,} frequent sequences: choose a smaller {parameter('l')} or a larger {parameter('k')}."
            )
        self.keys, self.numbers = _insert(self.keys, self.numbers, keys, self.size)
        self.parent = np.concatenate([self.parent, (keys // pairs).astype(np.int32)])
        self.pair = np.concatenate([self.pair, (keys % pairs).astype(np.int32)])
        self.support = np.concatenate([self.support, support])
        self.sensitive = np.concatenate([self.sensitive, sensitive])
        self.size += len(keys)

    def with_leaves(self, violations: Violations, pairs: int) -> Tree:
        """The tree and, as its last nodes, the MVS: everything whose support a suppression may have to look at."""
        whole = Tree(self.keys.copy(), self.numbers.copy(), self.parent, self.pair, self.support, self.sensitive, self.size)
        whole.add(violations.keys, pairs, violations.support, violations.sensitive)
        return whole

    def sequence(self, node: int) -> tuple[int, ...]:
        """The pairs of a node, in order."""
        path: list[int] = []
        while node:
            path.append(int(self.pair[node]))
            node = int(self.parent[node])
        return tuple(reversed(path))


@dataclass(frozen=True, slots=True, eq=False)
class Violations:
    """The MVS as lists of pairs, with the key of each below the node of its other pairs, and how many records hold it."""

    sequences: Flat
    keys: NDArray[np.int64]
    support: NDArray[np.int64]
    sensitive: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.sequences)


@njit(cache=True)
def _insert(keys, numbers, fresh, first):  # type: ignore[no-untyped-def]
    while len(keys) < 2 * (len(fresh) + first):
        keys, numbers = grown(keys, numbers)
    for i in range(len(fresh)):
        at = place(keys, fresh[i])
        keys[at], numbers[at] = fresh[i], first + i
    return keys, numbers


@njit  # not cached: Numba cannot compile a caller around a generator that it has read from the cache
def _extensions(record, level, keys, numbers, pairs, chosen):  # type: ignore[no-untyped-def]
    """Keys of all sequences of `level` pairs of a record whose first level - 1 are a node; their pairs stand in `chosen`."""
    node, after = np.zeros(level, np.int64), np.zeros(level, np.int64)
    depth = 0
    while depth >= 0:
        at = after[depth]
        if at >= len(record) - (level - 1 - depth):
            depth -= 1
            continue
        after[depth] += 1
        chosen[depth] = record[at]
        key = node[depth] * pairs + record[at]
        if depth == level - 1:
            yield key
        else:
            child = find(keys, numbers, key)
            if child > 0:
                depth += 1
                node[depth], after[depth] = child, at + 1


@njit(cache=True)
def _subsets_are_nodes(chosen, level, keys, numbers, pairs):  # type: ignore[no-untyped-def]
    """Whether all subsets with one pair less are nodes; the one without the last pair is known to be."""
    for left_out in range(level - 1):
        node = np.int64(0)
        for i in range(level):
            if i != left_out:
                node = np.int64(find(keys, numbers, node * pairs + chosen[i]))
                if node < 0:
                    return False
    return True


@njit(cache=True)
def _count_level(items, offsets, codes, values, level, keys, numbers, pairs):  # type: ignore[no-untyped-def]
    """Candidates of a level: their keys, sequences, supports and supports by sensitive value."""
    at_keys, at_numbers = new_lookup(1024)
    room, n, entries = 1024, 0, 0
    key_of, sequence = np.empty(room, np.int64), np.empty((room, level), np.int32)
    support, sensitive = np.zeros(room, np.int64), np.zeros((room, values), np.int32)
    chosen = np.empty(level, np.int32)
    for r in range(len(offsets) - 1):
        for key in _extensions(items[offsets[r] : offsets[r + 1]], level, keys, numbers, pairs, chosen):
            at = place(at_keys, key)
            if at_keys[at] != key:
                entries += 1
                if 2 * entries > len(at_keys):
                    at_keys, at_numbers = grown(at_keys, at_numbers)
                    at = place(at_keys, key)
                at_keys[at], at_numbers[at] = key, _PRUNED
                if _subsets_are_nodes(chosen, level, keys, numbers, pairs):
                    if n == room:
                        key_of = np.concatenate((key_of, np.empty(room, np.int64)))
                        sequence = np.concatenate((sequence, np.empty((room, level), np.int32)))
                        support = np.concatenate((support, np.zeros(room, np.int64)))
                        sensitive = np.concatenate((sensitive, np.zeros((room, values), np.int32)))
                        room *= 2
                    at_numbers[at], key_of[n] = n, key
                    sequence[n] = chosen
                    n += 1
            c = at_numbers[at]
            if c >= 0:
                support[c] += 1
                for code in codes[r]:
                    if code >= 0:
                        sensitive[c, code] += 1
    return key_of[:n], sequence[:n], support[:n], sensitive[:n]


def violating(support: NDArray[np.int64], sensitive: NDArray[np.int32], k: int, limits: Limits) -> NDArray[np.bool_]:
    """Which sequences occur too rarely, or reveal a sensitive value too surely; in integers, so 3 of 5 is exactly 0.6."""
    wrong = support < k
    for value, (over, under) in enumerate(zip(*limits, strict=True)):
        wrong |= sensitive[:, value] * under > over * support
    return wrong


def find_violations(table: TrajectoryTable, model: KCL) -> tuple[Violations, Tree]:
    """V(T) and the tree of what does not violate."""
    items, offsets, pairs, codes = table.flat.items, table.flat.offsets, len(table.pairs), table.codes
    limits = model.limits(table.values)
    values = len(limits.over)
    tree = Tree.empty(values)
    longest = int(table.flat.lengths.max(initial=0))
    levels = [(np.empty((0, 1), np.int32), np.empty(0, np.int64), np.empty(0, np.int64), np.empty((0, values), np.int32))]
    for level in range(1, min(longest, longest if model.l is None else model.l) + 1):
        asked = (level, tree.keys, tree.numbers, pairs)
        keys, sequences, support, sensitive = _count_level(items, offsets, codes, values, *asked)
        bad = violating(support, sensitive, model.k, limits)
        levels.append((sequences[bad], keys[bad], support[bad], sensitive[bad]))
        if bad.all():  # nothing left to extend
            break
        tree.add(keys[~bad], pairs, support[~bad], sensitive[~bad])
    sequences_, *rest = zip(*levels, strict=True)
    lengths = np.concatenate([np.full(len(level), level.shape[1], np.int64) for level in sequences_])
    flat = Flat(
        np.concatenate([level.ravel() for level in sequences_]), np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    )
    return Violations(flat, *map(np.concatenate, rest)), tree
