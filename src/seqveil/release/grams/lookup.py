"""Finding grams in a table in canonical order: two bisections per symbol, no index to build."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.release.grams.table import GramTable


@dataclass(frozen=True, slots=True)
class Lookup:
    """The tree behind a gram table.

    In canonical order `parent` never falls, so a node's children stand together, sorted by their last symbol.

    >>> tree = Lookup.of(GramTable.of([[0], [1], [0, 1], [0, 2]], count=[5.0, 3.0, 4.0, 1.0]))
    >>> tree.find([0, 2]), tree.find([1, 0]), tree.children(0)
    (3, None, range(2, 4))
    """

    parent: NDArray[np.int64]
    last: NDArray[np.int32]

    @classmethod
    def of(cls, grams: GramTable) -> Lookup:
        return cls(grams.parent, grams.last)

    def children(self, node: int) -> range:
        """The rows of a node's children; -1 is the root."""
        start, stop = np.searchsorted(self.parent, [node, node + 1])
        return range(int(start), int(stop))

    def child(self, node: int, symbol: int) -> int | None:
        """The row of one child."""
        rows = self.children(node)
        row = rows.start + int(np.searchsorted(self.last[rows.start : rows.stop], symbol))
        return row if row < rows.stop and self.last[row] == symbol else None

    def find(self, gram: Sequence[int]) -> int | None:
        """The row of a gram, None when it was not kept; -1 for the empty gram."""
        node = -1
        for symbol in gram:
            child = self.child(node, symbol)
            if child is None:
                return None
            node = child
        return node
