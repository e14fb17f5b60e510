"""DiffPart [Chen thesis, Alg. 4.1]: partitions are divided, all pending ones at a time, until every one is a leaf or pruned."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from seqveil.publish.diffpart.allocation import cut_threshold, kept_for_leaves, leaf_threshold, share
from seqveil.publish.diffpart.cuts import Partition, specialise
from seqveil.publish.diffpart.predict import MOST_COUNTED, Expected
from seqveil.release.sets import SetCounts
from seqveil.tables.flat import Flat
from seqveil.trees.tree import positions
from seqveil.wall import Children, LargestPart, PrivateTree
from seqveil.wall.questions.partitions import EVERY, LEAVES, OTHERS, ROUTE


class Partitioning:
    """One run of the algorithm, all pending partitions at a time.

    `choosing` is the share of a cut's ε that goes to the choice of what is cut, where more than one attribute could be.
    """

    def __init__(self, tree: PrivateTree, expected: Expected, choosing: float = 0.0) -> None:
        self._tree = tree
        self._taxonomy, self._weight, self._growth = expected.taxonomy, expected.weight, expected.growth
        self._kept = kept_for_leaves(expected.epsilon)
        self._influence = expected.influence
        self._c1, self._c2 = expected.c1, expected.c2
        self._choosing = Fraction(str(choosing))
        self._leaves: list[tuple[Flat, Children]] = []

    def run(self) -> None:
        taxonomy = self._taxonomy
        pending = Partition.of(np.array([self._tree.root]), Flat.of([taxonomy.trunk]), taxonomy, self._weight)
        while len(pending):
            # Invariant: every record is in a pending partition, in a leaf that was asked, or below a pruned partition.
            pending = self._choose(pending) if self._choosing else pending
            every, some = pending.leaf_children(taxonomy)
            mixed = np.flatnonzero(some & ~every)
            routed = self._route(pending, mixed)
            self._count_leaves(pending, np.flatnonzero(every), mixed, routed[:, 0])
            pending = self._divide(pending, np.flatnonzero(~some), mixed, routed[:, 1])

    def sets(self) -> SetCounts:
        """The leaf partitions that passed, as itemsets with their noisy counts."""
        if not self._leaves:
            return SetCounts.of([], [], 0.0, 0)
        cuts = [np.diff(cut.offsets) for cut, _ in self._leaves]
        flat = Flat(
            np.concatenate([cut.items for cut, _ in self._leaves]),
            np.concatenate([[0], np.cumsum(np.concatenate(cuts))]).astype(np.int64),
        )
        columns = ((c.noisy, c.scale, c.threshold) for _, c in self._leaves)
        noisy, scale, threshold = (np.concatenate(column) for column in zip(*columns, strict=True))
        flat = Flat(self._taxonomy.code[flat.items].astype(np.int32), flat.offsets)
        # A row without any value is no record: where noise made one, there is nothing to publish.
        real = np.flatnonzero(flat.lengths)
        return SetCounts.sorted(flat.take(real), noisy[real], scale[real], threshold[real])

    def _choose(self, pending: Partition) -> Partition:
        """Which attribute is cut next, of the tallest: privately, one with a large sub-partition."""
        rows, candidates = pending.choices(self._taxonomy)
        alpha = share(self._tree.remaining(pending.node[rows]), self._kept, pending.cuts[rows], self._growth)
        paid = np.array([int(self._choosing * a) for a in alpha.tolist()], np.int64)
        rich = paid > 0
        if not rich.any():
            return pending
        answers = self._tree.ask(LargestPart(candidates.take(np.flatnonzero(rich))), pending.node[rows[rich]], paid[rich])
        chosen = pending.chosen.copy()
        chosen[rows[rich]] = np.concatenate(answers)
        return replace(pending, chosen=chosen)

    def _route(self, pending: Partition, mixed: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where only some sub-partitions are leaves, part the records by that: the two parts have different budgets."""
        split = np.stack([pending.chosen[mixed], np.full(len(mixed), ROUTE)], axis=1)
        return self._tree.route(pending.node[mixed], 2, split)

    def _count_leaves(
        self, pending: Partition, whole: NDArray[np.int64], mixed: NDArray[np.int64], parts: NDArray[np.int64]
    ) -> None:
        """Leaf partitions are asked once, with everything their path has left."""
        asked = _Asked.of(pending, whole, EVERY, mixed, parts, LEAVES)
        if len(asked.node):
            paid = self._tree.remaining(asked.node)
            children = self._tree.expand(asked.node, paid, leaf_threshold(self._c1, paid, self._influence), asked.split)
            self._leaves.append((self._cuts(pending, asked, children), children))

    def _divide(
        self, pending: Partition, whole: NDArray[np.int64], mixed: NDArray[np.int64], parts: NDArray[np.int64]
    ) -> Partition:
        """Sub-partitions that are considered non-empty, to be divided further."""
        asked = _Asked.of(pending, whole, EVERY, mixed, parts, OTHERS)
        if not len(asked.node):
            return Partition.of(asked.node, Flat.of([]), self._taxonomy, self._weight)
        paid = share(self._tree.remaining(asked.node), self._kept, pending.cuts[asked.of_pending], self._growth)
        height = self._taxonomy.height[asked.split[:, 0]]
        rich = np.flatnonzero(paid >= self._influence)  # where less is left than a test costs, the partition is pruned
        asked, paid, height = asked.take(rich), paid[rich], height[rich]
        least = np.minimum(cut_threshold(self._c2, height, paid, self._influence), MOST_COUNTED)
        children = self._tree.expand(asked.node, paid, least, asked.split)
        return Partition.of(children.node, self._cuts(pending, asked, children), self._taxonomy, self._weight)

    def _cuts(self, pending: Partition, asked: _Asked, children: Children) -> Flat:
        """The hierarchy cuts of children: ranks back to the subsets they stand for."""
        at = positions(asked.node, children.parent)
        row = asked.split[at, 0] - self._taxonomy.labels
        others, leaves = asked.split[at, 1] == OTHERS, self._taxonomy.leaf_bits[row]
        rank = children.rank.astype(np.int64)
        if self._taxonomy.attributes:
            step = rank + np.where(others, leaves + 1, np.where(self._taxonomy.optional[row], 0, 1))
            masks = (np.int64(1) << step) >> 1
        else:
            masks = rank + np.where(others, np.int64(1) << leaves, 1)
        return specialise(pending, asked.of_pending[at], masks, self._taxonomy)


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """Nodes of the private tree about to be expanded, the pending partitions they belong to, and their splits."""

    node: NDArray[np.int64]
    of_pending: NDArray[np.int64]
    split: NDArray[np.int64]

    def take(self, rows: NDArray[np.int64]) -> _Asked:
        return _Asked(self.node[rows], self.of_pending[rows], self.split[rows])

    @classmethod
    def of(
        cls,
        pending: Partition,
        whole: NDArray[np.int64],
        family: int,
        mixed: NDArray[np.int64],
        parts: NDArray[np.int64],
        part_family: int,
    ) -> _Asked:
        of_pending = np.concatenate([whole, mixed])
        families = np.repeat([family, part_family], [len(whole), len(mixed)])
        node = np.concatenate([pending.node[whole], parts])
        return cls(node, of_pending, np.stack([pending.chosen[of_pending], families], axis=1))
