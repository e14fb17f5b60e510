"""Degrees: how many vertices have at least d edges, with what is known about the error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from seqveil.release.answers import CutAnswer
from seqveil.release.graphs.cuts import NORMAL_95

if TYPE_CHECKING:
    import pyarrow as pa

VERTICES = "vertices with at least this many edges"


@dataclass(frozen=True, slots=True, eq=False)
class DegreeTable:
    """Noisy degrees with discrete Laplace noise of `scale`: one per vertex, or in `ascending` order without vertices."""

    noisy: NDArray[np.int64]
    scale: float
    ascending: bool

    def to_columns(self) -> pa.Table:
        import pyarrow as pa

        return pa.table({"noisy": self.noisy})

    def at_least(self, d: int) -> CutAnswer:
        """How many vertices have d edges or more.

        Noise spreads a histogram N of degrees by the law q^|x|; the inverse of that law reaches one step only, so
        N(≥d) + q/(1−q)² · (N(d) − N(d−1)) of the *noisy* degrees is right on average, whatever the graph is. Every vertex
        adds its own independent term, each within a span of 1 + 2q/(1−q)²: Hoeffding's inequality gives the sure bar, the
        sum of the squared terms the likely one.
        """
        q = float(np.exp(-1.0 / self.scale))
        gain = q / (1 - q) ** 2
        terms = (self.noisy >= d) + gain * (self.noisy == d) - gain * (self.noisy == d - 1.0)
        n = len(self.noisy)
        value = float(terms.sum())
        sure = (1 + 2 * gain) * float(np.sqrt(n * np.log(2 / 0.05) / 2))
        likely = NORMAL_95 * float(np.sqrt(((terms - terms.mean()) ** 2).sum())) if n else 0.0
        return _bounded(value, n, sure, likely)


def _bounded(value: float, n: int, sure: float, likely: float) -> CutAnswer:
    ends = [(max(0, int(np.floor(value - reach))), min(n, int(np.ceil(value + reach)))) for reach in (sure, likely)]
    (low, high), inner = [(min(a, n), max(b, 0)) for a, b in ends]
    inner = (max(inner[0], low), min(inner[1], high))
    return CutAnswer(min(max(value, low), high), low, high, "degrees", VERTICES, likely=inner)


def at_least_from_edges(degrees: NDArray[np.int64], d: int, most_edges: int) -> CutAnswer:
    """How many vertices have d edges or more, in a graph of which only a bound on the number of edges is sure.

    The value is the synthetic graph's. Vertices with at least d edges each own d of the 2·|E| ends, which bounds them.
    """
    n = len(degrees)
    high = n if d <= 0 else min(n, 2 * most_edges // d)
    value = float(np.count_nonzero(degrees >= d))
    return CutAnswer(min(value, high), n if d <= 0 else 0, high, "degrees", VERTICES)
