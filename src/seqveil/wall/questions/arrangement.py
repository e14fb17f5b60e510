"""Arrangement: which cells of a leaf region become edges, by the exponential mechanism [Chen thesis, §7.4.2], made sound
(docs/soundness.md, 'Arrangement of edges').

Law: of all sets of exactly c̃ cells of a region (c̃ public: a noisy count), the set r is drawn with probability
∝ exp(ε · s(r) / 2k), where the score s(r) counts the cells on which r and the graph agree. If r hits w of the region's c
edges, then s(r) = |R| − c − c̃ + 2w, so this is ∝ exp(ε·w/k): sets are grouped by w (theorems 7.8, 7.9: C(c, w)·C(|R|−c, c̃−w)
of them), the group is drawn exactly (wall/noise/overlap.py), and then w of the edges and c̃ − w of the other cells, uniformly.

Charge: ε on the path that leads to the leaf, checked like every other question to a tree.

Sensitivity: one edge changes the agreement of one cell, so any score moves by at most 1 and by k for k edges; the factor
2k above is the exponential mechanism's. Equally: w grows by 0 or 1 with every edge added, and a monotone score needs no
factor 2. Cells are pairs i < j: nothing is symmetrised, the diagonal is no cell, and nothing is ever redrawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.protocol import RegionCounter
from seqveil.errors import CallError
from seqveil.tables.triangle import cells
from seqveil.wall.noise import Noise


@dataclass(frozen=True, slots=True, eq=False)
class Arrangement:
    """`chosen[i]` cells of the i-th leaf asked; answers are the numbers of these cells within their regions, ascending."""

    chosen: NDArray[np.int64]
    name: str = "arrangement"

    def answer(self, position: int, counter: RegionCounter, node: int, rate: Fraction, noise: Noise) -> NDArray[np.int64]:
        chosen, size = int(self.chosen[position]), int(cells(counter.region(node)))
        if not 0 <= chosen <= size:
            raise CallError(f"{chosen} edges cannot be placed on {size} cells: give a count from 0 to {size}.")
        edges = counter.occupied(node)
        hits = noise.overlap(len(edges), size - len(edges), chosen, rate)
        kept = edges[np.asarray(noise.distinct(hits, len(edges)), np.int64)]
        free = np.asarray(noise.distinct(chosen - hits, size - len(edges)), np.int64)
        # The nth free cell lies after all edges that have at most n free cells before them.
        free += np.searchsorted(edges - np.arange(len(edges)), free, side="right")
        return np.sort(np.concatenate([kept, free]))
