"""Triangles: how many triples of vertices are joined to each other, by the ladder mechanism [Zhang 2015].

One edge can close up to n − 2 triangles, so Laplace noise for the worst graph would bury the count of any real one. The
ladder follows the graph at hand and is private nevertheless.

Law: x is drawn with probability ∝ exp(−ε·rung(x) / 2k). Rung 0 is the true count f. Rung j ≥ 1 has the next I(j − 1) whole
numbers on either side, where I(t) is the largest change that an edge can make to any graph that differs from this one by at
most t edges:

    I(t) = min(n − 2, max over pairs i ≠ j of a + ⌊(t + min(t, b)) / 2⌋),

a = common neighbours of i and j, b = vertices that are joined to exactly one of them. To give i and j one more common
neighbour takes one edge if one of these b is left, two otherwise. With s = 2a + b this is min(a + t, ⌊(s + t)/2⌋), and the
engine returns the pairs that matter.

Sensitivity: an edge moves any x by at most one rung, k edges by at most k. Let G and G′ differ by one edge, and u(t) = I(0) +
… + I(t−1) be how far t rungs reach. Whatever is within t edges of G is within t + 1 of G′, so I_G(t) ≤ I_G′(t + 1); and |f(G)
− f(G′)| ≤ I_G′(0). So |x − f(G)| ≤ u_G(t) gives |x − f(G′)| ≤ I_G′(0) + u_G(t) ≤ u_G′(t + 1). Graphs that differ by k edges
are k such steps apart. The sum of all weights moves too, hence the 2 of the exponential mechanism.
docs/mechanisms/graph-bter.md has the proof in full, and tests/wall/questions/test_triangles_sensitivity.py enumerates all
graphs of 5 vertices.

Charge: what is paid. Clip: none is needed; the graph is taken as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.protocol import engine_of
from seqveil.tables.units import Unit
from seqveil.wall.questions.protocol import Ladder
from seqveil.wall.questions.units import edges_of


@dataclass(frozen=True, slots=True)
class Triangles:
    """The number of triangles."""

    name: str = "triangles"

    def steps(self, unit: Unit) -> int:
        return edges_of(unit, "triangles")

    def ladder(self, table: Any, unit: Unit) -> Ladder:
        triangles = engine_of(table).triangles(table)
        return Ladder(triangles.count, widths(triangles.ends, len(table.domain)))


def widths(ends: NDArray[np.int64], vertices: int) -> NDArray[np.int64]:
    """I(0), I(1), … up to the first that is n − 2, where they stay.

    >>> widths(np.array([4, 4, 4]), 5).tolist(), widths(np.array([0]), 5).tolist()
    ([2, 2, 3], [0, 0, 1, 1, 2, 2, 3])
    """
    most = max(vertices - 2, 0)
    if most == 0:
        return np.zeros(1, np.int64)
    t = np.arange(2 * most + 1)  # two edges for each of the other vertices always do
    wide = np.zeros(len(t), np.int64)
    # Pairs that are outdone in both numbers add nothing: only where `ends` is about to fall does one matter.
    for a in np.flatnonzero(np.diff(ends, append=-1)).tolist():
        np.maximum(wide, np.minimum(a + t, (ends[a] + t) // 2), out=wide)
    wide = np.minimum(wide, most)
    return wide[: int(np.argmax(wide == most)) + 1]
