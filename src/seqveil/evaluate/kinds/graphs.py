"""Graphs: cuts, degrees, structure and fifteen queries of a synthetic graph against the raw one. INTERNAL: reads raw data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from seqveil.errors import CallError
from seqveil.evaluate.comparison import Grid, Metrics, number
from seqveil.evaluate.graph_queries import Answers, errors
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
        self._answers = Answers(self._real)

    def measure(self, release: Release, sources: bool, on_step: Callable[[str], None]) -> Metrics:
        """Errors of cut queries, divergence of degrees, structure of both graphs."""
        if not isinstance(release, GraphRelease):
            raise CallError(f"the release holds {release.description}: there is no graph in it to compare.")
        on_step("cuts, degrees and structure")
        compared = compare(self._real, Graph.of(release), number=self._queries)
        on_step("fifteen queries")
        drawn = Answers(Graph.of(release))
        numbers = {"real": self._answers.numbers, "made": drawn.numbers}
        return {**compared, "query_error": errors(self._answers, drawn), "query": numbers}

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
            Grid(
                ["query", "raw", "synthetic", "error"],
                [
                    [name, *(_shown(metrics["query"][side], name) for side in ("real", "made")), number(error, 3)]
                    for name, error in metrics["query_error"].items()
                ],
                "Errors are relative; KL divergence for distributions, 1 - NMI for communities, mean absolute for centrality.",
            ),
        ]


def _shown(answers: Metrics, name: str) -> str:
    """An answer that is one number; the others are compared as a whole."""
    return number(answers[name], 3) if name in answers else ""
