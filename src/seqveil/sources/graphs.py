"""Reading a graph: edge lists (SNAP), CSV, GraphML, networkx graphs, scipy matrices. Silent about what stands in a row.

A file is first looked at as a format, `inspect_graph`, and every problem with it told at once; after that nothing raises:
loops, repeats, broken rows and edges to vertices outside the domain are dropped silently.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError, InputProblems
from seqveil.sources.blocks import Begins, archive_problems, first_line, line_blocks
from seqveil.sources.delimited import split_cells
from seqveil.sources.graphml import graphml_ends, graphml_problems
from seqveil.sources.spool import spooled
from seqveil.sources.tally import Tally
from seqveil.tables.domain import Domain
from seqveil.tables.graphs import GraphTable, ask_for_order
from seqveil.tables.spelling import spelling

FORMATS = {
    "edges": "edge list, two vertices a line (SNAP)",
    "csv": "edge list, comma-separated, a header and two columns",
    "tsv": "edge list, tab-separated, a header and two columns",
    "graphml": "GraphML",
}
"""Every format by its name, in words."""

_SUFFIXES = {".edges": "edges", ".txt": "edges", ".el": "edges", ".csv": "csv", ".tsv": "tsv", ".graphml": "graphml"}
_DIRECTED = "is directed, but pairs of vertices have no direction here: make it undirected first"
_WEIGHTED = "is weighted, but an edge is there or not: leave the weights out, and edges that do not count with them"

Codes = NDArray[np.int32]
Reading = tuple[str, Callable[[], GraphTable]]


def read_graph(
    source: Any,
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
    return inspect_graph(
        source, domain=domain, order_is_public=order_is_public, format=format, delimiter=delimiter, header=header
    )[1]()


def inspect_graph(
    source: Any,
    *,
    domain: Domain,
    order_is_public: bool = False,
    format: str | None = None,
    delimiter: str | None = None,
    header: bool = True,
) -> Reading:
    """How the source will be read, in words, and the function that reads it; or everything that is wrong with it."""
    ask_for_order(order_is_public)
    if hasattr(source, "is_directed") and hasattr(source, "edges"):
        return _networkx(source, domain)
    if hasattr(source, "tocoo"):
        return _scipy(source, domain)
    if not isinstance(source, str | Path):
        raise CallError(f"{type(source).__name__} is no graph: give a file, a networkx Graph or a scipy sparse matrix.")
    path = spooled(source)
    kind = format or guess_graph_format(path)
    if kind not in FORMATS:
        given = "does not tell its format by its name" if kind is None else f"cannot be read as {kind!r}"
        raise InputProblems(str(path), [f"{given}: add --format with one of {', '.join(FORMATS)}"])
    problems = archive_problems(path, begins=_begins(kind, header))
    if not problems:
        problems = graphml_problems(path) if kind == "graphml" else _column_problems(path, kind, delimiter, header)
    if problems:
        raise InputProblems(str(path), problems)
    pieces = (lambda: graphml_ends(path)) if kind == "graphml" else (lambda: _rows(path, kind, delimiter, header))
    return f"graph: {FORMATS[kind]}", lambda: _gathered(pieces(), domain)


def guess_graph_format(path: Path) -> str | None:
    """The format that a file's name stands for. None when unknown."""
    name = Path(path.name.lower())
    return _SUFFIXES.get(Path(name.stem).suffix if name.suffix == ".gz" else name.suffix)


def _begins(kind: str, header: bool) -> Begins:
    return "frame" if kind == "graphml" else "header" if kind != "edges" and header else "record"


def _separator(kind: str, delimiter: str | None) -> int:
    usual = {"csv": ",", "tsv": "\t"}.get(kind, " ")
    character = delimiter or usual
    return -1 if character == " " else ord(character)


def _column_problems(path: Path, kind: str, delimiter: str | None, header: bool) -> list[str]:
    """What the header declares; an edge list without one declares nothing."""
    if delimiter is not None and (len(delimiter) != 1 or not delimiter.isascii() or delimiter in '\n\r"'):
        return [f"--delimiter {delimiter!r} is not one ASCII character: write for example --delimiter ';'"]
    if kind == "edges" or not header:
        return []
    try:
        line = first_line(path).decode()
        names = [name.strip().lower() for name in next(csv.reader([line], delimiter=chr(_separator(kind, delimiter))), [])]
    except (UnicodeDecodeError, csv.Error):
        return ["line 1 (the header) cannot be read: save the file as UTF-8 and check its quotes"]
    if len(names) < 2:
        return ["line 1 (the header) has fewer than two columns: check --delimiter, or add --no-header"]
    return [_WEIGHTED] if "weight" in names else []


def _rows(path: Path, kind: str, delimiter: str | None, header: bool) -> Iterator[tuple[Any, Any]]:
    """The first two columns, block by block. Lines that begin with # or % name no vertex and fall away like strangers."""
    separator, wanted = _separator(kind, delimiter), np.arange(2)
    for number, block in enumerate(line_blocks(path)):
        if number == 0 and header and kind != "edges":
            block = block[int(np.argmax(block == 10)) + 1 :]
        first, second = split_cells(block, separator, wanted, 2, Tally())
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

    return "graph: networkx", read


def _scipy(matrix: Any, domain: Domain) -> Reading:
    """A sparse matrix whose rows and columns are the vertices in the order of the domain; an entry is an edge if not 0."""
    n = len(domain)
    if tuple(matrix.shape) != (n, n):
        raise InputProblems("the matrix", [f"is {matrix.shape[0]} by {matrix.shape[1]}, but the domain has {n:,} vertices"])

    def read() -> GraphTable:
        entries = matrix.tocoo()
        some = entries.data != 0
        return GraphTable.of(domain, entries.row[some], entries.col[some])

    return "graph: scipy sparse matrix", read
