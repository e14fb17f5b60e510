"""The battery: seven measures of AdaTrace [Gursoy 2018], and those of LDPTrace [Du 2023] that differ. INTERNAL: reads raw data.

Definitions, with what the papers leave open stated: docs/results/trajectories.md, 'Measures'.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau

from seqveil.evaluate.traces.circles import NARROW, WIDE, circles, passing, relative_error
from seqveil.evaluate.traces.density import hotspots, points_error, points_within, squares
from seqveil.evaluate.traces.patterns import Supports
from seqveil.evaluate.traces.shapes import divergence, divergence_of, shapes
from seqveil.tables.traces import Box, Traces

COARSE, FINE = 6, 15
"""Parts of a side: of the grid for ends, patterns and densities, and of the one for the ranks of cells."""

MEASURES = {
    "circles": "mean relative error of trips through wide circles (AvRE)",
    "ranks": "Kendall's tau-b of trips per cell",
    "patterns": "F1 of the most frequent patterns",
    "supports": "mean relative error of their supports",
    "ends": "divergence of pairs of first and last cell",
    "diameters": "divergence of diameters",
    "ways": "divergence of lengths of the way",
    "narrow": "mean relative error of trips through narrow circles",
    "points": "mean relative error of points in squares",
    "density": "divergence of points per cell",
    "hotspots": "order of the densest cells (NDCG)",
}
"""1 is best for ranks, patterns and hotspots, 0 for all others. The first seven are AdaTrace's."""


class Battery:
    """The true answers about raw trips, found once."""

    def __init__(self, raw: Traces, box: Box, coarse: int = COARSE) -> None:
        self._box, self._raw, self._coarse = box, raw, coarse
        self._circles = {"circles": circles(box, WIDE), "narrow": circles(box, NARROW, seed=8)}
        self._squares = squares(box)
        self._true, self._patterns = self._answers(raw), self._supports(raw)
        self._shapes = shapes(raw)

    def measure(self, synthetic: Traces) -> dict[str, float]:
        """All measures of synthetic trips.

        >>> trips = Traces.of([[(0.5, 0.5), (1.5, 0.5), (5.5, 5.5)], [(2.5, 2.5), (3.5, 3.5)]])
        >>> measured = Battery(trips, Box(0, 0, 6, 6)).measure(trips)
        >>> list(measured) == list(MEASURES), measured["patterns"], round(measured["ranks"], 6), measured["ways"]
        (True, 1.0, 1.0, 0.0)
        """
        true, measured = self._true, self._answers(synthetic)
        f1, supports = self._patterns.agreement(self._supports(synthetic))
        kept = kendalltau(true["visited"], measured["visited"]).statistic
        errors = {name: relative_error(true[name], measured[name], len(self._raw)) for name in self._circles}
        pairs = zip(self._shapes, shapes(synthetic), strict=True)
        diameters, ways = (divergence_of(*pair) for pair in pairs)
        return {
            "circles": errors["circles"],
            "ranks": float(np.nan_to_num(kept)),
            "patterns": f1,
            "supports": supports,
            "ends": divergence(true["ends"], measured["ends"]),
            "diameters": diameters,
            "ways": ways,
            "narrow": errors["narrow"],
            "points": points_error(true["points"], measured["points"], len(self._raw.points)),
            "density": divergence(true["density"], measured["density"]),
            "hotspots": hotspots(true["density"], measured["density"]),
        }

    def _supports(self, traces: Traces) -> Supports:
        return Supports.of(traces.on(self._box, self._coarse, self._coarse), self._coarse**2)

    def _answers(self, traces: Traces) -> dict[str, NDArray[np.int64]]:
        cells = self._coarse**2
        coarse, fine = traces.on(self._box, self._coarse, self._coarse), traces.on(self._box, FINE, FINE)
        some = coarse.lengths > 0
        first, last = coarse.items[coarse.offsets[:-1][some]], coarse.items[coarse.offsets[1:][some] - 1]
        visited = np.unique(traces.trip * FINE**2 + fine.items)
        return {
            **{name: passing(traces, queries) for name, queries in self._circles.items()},
            "visited": np.bincount(visited % FINE**2, minlength=FINE**2),
            "ends": np.bincount(first.astype(np.int64) * cells + last, minlength=cells**2),
            "points": points_within(traces, self._squares),
            "density": np.bincount(coarse.items, minlength=cells),
        }


def means(runs: Iterable[dict[str, float]]) -> dict[str, float]:
    """Means over several runs.

    >>> means([{"ends": 1.0}, {"ends": 2.0}])
    {'ends': 1.5}
    """
    every = list(runs)
    return {name: float(np.mean([run[name] for run in every])) for name in every[0]}
