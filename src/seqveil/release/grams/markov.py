"""The Markov estimate: what the kept grams say about one that was not kept, or that is longer than the tree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from seqveil.release.grams.lookup import Lookup
from seqveil.release.grams.table import GramTable


class Markov:
    """Chains the longest known contexts: c(x₁…x_k) ≈ c(x₁…x_j) · Π P(x_i | longest end of x₁…x_(i-1) with children).

    Where a context has children but not this one, its share is what the children leave of their parent, spread as the
    shorter context would; when they leave nothing, the estimate is 0.

    >>> grams = GramTable.of([[0], [1], [0, 1], [1, 0], [1, 2]], count=[4.0, 4.0, 4.0, 2.0, 2.0])
    >>> model = Markov(grams)                           # two labels, so 2 is the end
    >>> model.estimate([0, 1, 0]), model.estimate([0, 1, 0, 1, 2])
    (2.0, 1.0)
    """

    def __init__(self, grams: GramTable) -> None:
        self._grams = grams
        self._tree = Lookup.of(grams)
        self._height = int(grams.lengths.max(initial=0))

    def estimate(self, gram: Sequence[int]) -> float:
        """The expected count of a gram."""
        depth = 0
        node = -1
        while depth < len(gram) and (child := self._tree.child(node, gram[depth])) is not None:
            node, depth = child, depth + 1
        if node < 0:
            return 0.0
        count = float(self._grams.count[node])
        for i in range(depth, len(gram)):
            count *= self.probability(gram[max(0, i + 1 - self._height) : i], gram[i])
        return count

    def probability(self, context: Sequence[int], symbol: int) -> float:
        """P(symbol | context), from the longest end of the context that has children."""
        rows, whole, shorter = self._family(context)
        if whole <= 0:
            return 0.0
        counts, last = self._grams.count[rows.start : rows.stop], self._tree.last[rows.start : rows.stop]
        at = int(np.searchsorted(last, symbol))
        if at < len(last) and last[at] == symbol:
            return float(counts[at]) / whole
        left = 1.0 - float(counts.sum()) / whole
        if left <= 0 or shorter is None:
            return 0.0
        free = 1.0 - self._share(shorter, last)
        return left * min(1.0, self.probability(shorter, symbol) / free) if free > 0 else 0.0

    def _family(self, context: Sequence[int]) -> tuple[range, float, Sequence[int] | None]:
        """The children of the longest end of the context that has any, the count they share, and the next end."""
        for start in range(len(context) + 1):
            node = self._tree.find(context[start:])
            rows = self._tree.children(node) if node is not None else range(0)
            whole = float(self._grams.count[rows.start : rows.stop].sum())
            if node is not None and node >= 0 and rows:
                whole = max(whole, float(self._grams.count[node]))
            if whole > 0:
                return rows, whole, context[start + 1 :] if start < len(context) else None
        return range(0), 0.0, None

    def _share(self, context: Sequence[int], symbols: NDArray[np.int32]) -> float:
        """P(one of these symbols | context), counting only those that the context's own children hold."""
        rows, whole, _ = self._family(context)
        among = np.isin(self._tree.last[rows.start : rows.stop], symbols)
        return float(self._grams.count[rows.start : rows.stop][among].sum()) / whole if whole > 0 else 0.0
