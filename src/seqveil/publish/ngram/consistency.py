"""Enforcing consistency constraints [Chen 2012, §4.3.4]: children sum to their parent, missing counts are approximated.

Post-processing of noisy counts. A family in which no child passed stays unknown. In a known family the children that did
not pass are approximated from the family of the Markov context (step 2), or, when that is the root, by sharing out what
the passing children leave over (step 3); then the family is scaled to its parent's count (step 4).

Beyond the first level only some labels (`among`) and the terminator are asked for, so only these can be missing; and a share
below `NEGLIGIBLE` keeps its place in the sums but gets no line in the tree. So the cost follows the data.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from seqveil.trees.suffixes import markov_contexts
from seqveil.trees.tree import Ints, LevelTree

NEGLIGIBLE = 0.5
"""Expected counts below this are never published (docs/soundness.md, 'The publication cap')."""


@njit(cache=True)
def _families(  # type: ignore[no-untyped-def]
    nodes, node_count, origin_of, context, first, last, symbol, answer,
    tree_first, tree_last, tree_symbol, tree_count, among, fan_out, approximate,
):  # fmt: skip
    """The consistent families of one level's nodes: (parent, symbol, count, origin) per child, in order.

    tree_* describe the consistent tree built so far, indexed by its own numbers; `context[i]` is one of them.
    """
    value = np.zeros(fan_out)
    passed = np.full(fan_out, -1, np.int64)
    room = 0
    for i in range(len(nodes)):
        here = last[origin_of[i]] - first[origin_of[i]]
        if here:
            room += min(here + len(among) + 1 + tree_last[context[i]] - tree_first[context[i]], fan_out)
    parent_out = np.empty(room, np.int64)
    symbol_out = np.empty(room, np.int64)
    count_out = np.empty(room, np.float64)
    origin_out = np.empty(room, np.int64)
    end = 0
    for i in range(len(nodes)):
        v = origin_of[i]
        if first[v] == last[v]:
            continue
        start = end
        total = 0.0
        for j in range(first[v], last[v]):
            a = max(float(answer[j]), 0.0)
            value[symbol[j]] = a
            passed[symbol[j]] = j
            total += a
            symbol_out[end] = symbol[j]
            end += 1
        missing = len(among) + 1 - (last[v] - first[v])
        written = total
        if approximate and missing > 0 and total > 0:
            s = context[i]
            covered = 0.0
            if s > 0:
                for j in range(tree_first[s], tree_last[s]):
                    if passed[tree_symbol[j]] >= 0:
                        covered += tree_count[j]
            if covered > 0:
                for j in range(tree_first[s], tree_last[s]):
                    x = tree_symbol[j]
                    if passed[x] < 0:
                        a = total * tree_count[j] / covered
                        written += a
                        if a > 0:
                            value[x] = a
                            symbol_out[end] = x
                            end += 1
            elif node_count[i] > total:
                share = (node_count[i] - total) / missing
                written = node_count[i]
                if share >= 0.5:
                    for k in range(len(among) + 1):
                        x = among[k] if k < len(among) else fan_out - 1
                        if passed[x] < 0:
                            value[x] = share
                            symbol_out[end] = x
                            end += 1
        symbol_out[start:end].sort()
        # Invariant: the family's values, written down or not, sum to `written`; scaling makes that the parent's count.
        scaling = node_count[i] / written if written > 0 else 0.0
        for j in range(start, end):
            x = symbol_out[j]
            parent_out[j] = nodes[i]
            count_out[j] = value[x] * scaling
            origin_out[j] = passed[x]
            value[x] = 0.0
            passed[x] = -1
    return parent_out[:end].copy(), symbol_out[:end].copy(), count_out[:end].copy(), origin_out[:end].copy()


def enforce_consistency(tree: LevelTree, approximate: bool = True, among: Ints | None = None) -> LevelTree:
    """The tree with counts whose families sum to their parents, approximated nodes among the others.

    `approximate=False` leaves missing counts at 0. `among` are the labels that were asked for beyond the first level; by
    default those of the first level.
    """
    consistent = LevelTree(tree.labels)
    number = np.zeros(len(tree), np.int64)  # node of the tree -> node of the consistent tree
    origin = tree.level(1)  # and back, for the deepest level of the consistent tree; -1: approximated
    among = tree.symbol[origin] if among is None else among
    first_counts = np.maximum(tree.noisy[origin], 0).astype(np.float64)
    consistent.add_estimated(np.zeros(len(origin), np.int64), tree.symbol[origin], first_counts, tree, origin)
    for _ in range(1, tree.height):
        # Invariant: the levels so far are consistent, and `number` knows all their nodes that were asked.
        nodes, asked = consistent.deepest, origin >= 0
        number[origin[asked]] = nodes[asked]
        nodes, origin = nodes[asked], origin[asked]
        context = number[markov_contexts(tree, origin)]
        parent, symbol, count, origin = _families(
            nodes, consistent.count[nodes], origin, context, tree.first, tree.last, tree.symbol, tree.noisy,
            consistent.first, consistent.last, consistent.symbol, consistent.count, among, tree.labels + 1, approximate,
        )  # fmt: skip
        consistent.add_estimated(parent, symbol, count, tree, origin)
    return consistent
