"""Reading a graph: edge lists (SNAP), CSV, GraphML, networkx graphs, scipy matrices. Silent about what stands in a row.

`inspect_graph` looks at the format of a file and raises every problem with it at once; after that nothing is refused: loops,
repeats, broken rows and edges to vertices outside the domain are dropped silently.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from seqveil.errors import CallError, InputProblems
from seqveil.sources.blocks import archive_problems, line_blocks
from seqveil.sources.delimited import header_names, split_cells
from seqveil.sources.formats import words
from seqveil.sources.graphml import graphml_ends, graphml_problems
from seqveil.sources.layout import Layout, Options
from seqveil.sources.problems import delimiter_problems, format_problems, unused
from seqveil.sources.source import Reading, Source
from seqveil.sources.tally import Tally
from seqveil.surface import parameter
from seqveil.tables.domain import Domain
from seqveil.tables.graphs import GraphTable, ask_for_order
from seqveil.tables.spelling import spelling

_DIRECTED = "is directed, but edges have no direction here: make it undirected first"
_WEIGHTED = "is weighted, but edges have no weights here: remove the column, and the edges that do not count"


def read_graph(
    data: Any,
    *,
    domain: Domain,
    order_is_public: bool = False,
    format: str | None = None,
    delimiter: str | None = None,
    header: bool = True,
) -> GraphTable:
    """The graph of a file, a networkx graph or a scipy sparse matrix, over the vertices of a public domain.

    >>> import networkx as nx
    >>> ring = read_graph(nx.cycle_graph(4), domain=Domain.range(0, 3), order_is_public=True)
    >>> ring.low.tolist(), ring.high.tolist()
    ([0, 0, 1, 2], [1, 3, 2, 3])
    """
    described: Options = {"format": format, "delimiter": delimiter, "header": header}
    table: GraphTable = Source(data, domain, "graph", order_is_public, **described).read()
    return table


def inspect_graph(source: Source) -> Reading:
    """How the graph will be read; raises everything that is wrong with its format."""
    ask_for_order(source.order_is_public)
    if hasattr(source.data, "is_directed") and hasattr(source.data, "edges"):
        return _networkx(source.data, source.domain)
    if hasattr(source.data, "tocoo"):
        return _scipy(source.data, source.domain)
    if not source.is_file:
        raise CallError(f"{type(source.data).__name__} is not a graph: give a file, a networkx Graph or a scipy sparse matrix.")
    rest = ["user", "time", "item", "origin", "destination", "session", "outside", "time_bins", "max_events"]
    problems = [*unused(source, rest, "a graph has one edge per row"), *format_problems(source)]
    format = source.decided_format
    if not problems and format is not None:
        layout = source.layout(format)
        problems = archive_problems(source.file, begins=layout.begins) or _file_problems(source, layout)
        if not problems:
            pieces = (lambda: graphml_ends(source.file)) if format == "graphml" else (lambda: _rows(source.file, layout))
            return Reading(f"graph: {words(format, 'graph')}", lambda: _gathered(pieces(), source.domain))
    raise InputProblems(source.name, problems)


def _file_problems(source: Source, layout: Layout) -> list[str]:
    return graphml_problems(source.file) if layout.format == "graphml" else _column_problems(source.file, layout)


def _column_problems(path: Path, layout: Layout) -> list[str]:
    """What the header declares; an edge list without one declares nothing."""
    if problems := delimiter_problems(layout):
        return problems
    if layout.format == "edges" or not layout.header:
        return []
    try:
        names = [name.lower() for name in header_names(path, layout)]
    except (UnicodeDecodeError, csv.Error):
        return ["line 1 (the header) cannot be read: save the file as UTF-8 and check its quotes"]
    if len(names) < 2:
        advice = f"check {parameter('delimiter')}, or add {parameter('header', 'False')}"
        return [f"line 1 (the header) has fewer than two columns: {advice}"]
    return [_WEIGHTED] if "weight" in names else []


def _rows(path: Path, layout: Layout) -> Iterator[tuple[Any, Any]]:
    """The first two columns, block by block. Lines that begin with # or % name no vertex, and are dropped like strangers."""
    wanted = np.arange(2)
    for number, block in enumerate(line_blocks(path)):
        if number == 0 and layout.header and layout.format != "edges":
            block = block[int(np.argmax(block == 10)) + 1 :]
        first, second = split_cells(block, layout.separator, wanted, 2, Tally())
        yield first, second


def _gathered(pieces: Iterator[tuple[Any, Any]], domain: Domain) -> GraphTable:
    ends = [(domain.find(first), domain.find(second)) for first, second in pieces]
    none = [np.zeros(0, np.int32)]
    return GraphTable.of(domain, np.concatenate(none + [a for a, _ in ends]), np.concatenate(none + [b for _, b in ends]))


def _networkx(graph: Any, domain: Domain) -> Reading:
    """A networkx graph declares by its type whether it is directed; data on its edges is not looked at."""
    if graph.is_directed():
        raise InputProblems("the networkx graph", [f"{_DIRECTED}, for example with graph.to_undirected()"])

    def read() -> GraphTable:
        ends = [(spelling(a), spelling(b)) for a, b in graph.edges()]
        return GraphTable.of(domain, domain.encode([a for a, _ in ends]), domain.encode([b for _, b in ends]))

    return Reading("graph: networkx", read)


def _scipy(matrix: Any, domain: Domain) -> Reading:
    """A sparse matrix whose rows and columns are the vertices in the order of the domain; an entry is an edge if not 0."""
    n = len(domain)
    if tuple(matrix.shape) != (n, n):
        raise InputProblems("the matrix", [f"is {matrix.shape[0]} by {matrix.shape[1]}, but the domain has {n:,} vertices"])

    def read() -> GraphTable:
        entries = matrix.tocoo()
        nonzero = entries.data != 0
        return GraphTable.of(domain, entries.row[nonzero], entries.col[nonzero])

    return Reading("graph: scipy sparse matrix", read)
