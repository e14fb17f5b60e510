"""Graphs: cuts, degrees and structure of a synthetic graph against the raw one. INTERNAL: reads raw data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from seqveil.errors import CallError
from seqveil.evaluate.comparison import Grid, Metrics, number
from seqveil.evaluate.graphs import Graph, compare
from seqveil.release.graphs import GraphRelease

if TYPE_CHECKING:
    from seqveil.release import Release
    from seqveil.tables.graphs import GraphTable

QUERIES = 20_000
FEWER = 5_000
"""Cut queries per size of one release, and of each of several: their mean needs fewer."""


class GraphEvaluator:
    """The raw graph."""

    def __init__(self, table: GraphTable, runs: int = 1) -> None:
        self._real, self._queries = Graph.of(table), QUERIES if runs == 1 else FEWER

    def measure(self, release: Release, sources: bool, on_step: Callable[[str], None]) -> Metrics:
        """Errors of cut queries, divergence of degrees, structure of both graphs."""
        if not isinstance(release, GraphRelease):
            raise CallError(f"the release holds {release.description}: there is no graph in it to compare.")
        on_step("cuts, degrees and structure")
        return compare(self._real, Graph.of(release), number=self._queries)

    def grids(self, metrics: Metrics) -> list[Grid]:
        cuts, along = metrics["cut_error"], metrics["cut_error_runs"]
        real, synthetic = metrics["structure"]["real"], metrics["structure"]["made"]
        rows = [["edges", *(number(metrics["edges"][side], 0) for side in ("real", "made"))]]
        rows += [[name, number(real[name], 3), number(synthetic[name], 3)] for name in real]
        return [
            Grid(
                ["mean relative error of cuts, vertices up to", *cuts],
                [
                    ["any vertices", *(number(error, 3) for error in cuts.values())],
                    ["runs of the order", *(number(error, 3) for error in along.values())],
                ],
            ),
            Grid(
                ["structure", "raw", "synthetic"],
                rows,
                f"KL divergence of degrees: {number(metrics['degree_divergence'], 3)}",
            ),
        ]
