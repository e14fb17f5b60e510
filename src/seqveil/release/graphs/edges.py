"""EdgeList: a synthetic graph that may be shown, in every shape that people of the field use."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError
from seqveil.release.records import Records
from seqveil.tables.flat import Flat
from seqveil.whole import write_whole

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain


class EdgeList(Records):
    """Edges as records of two labels; as a networkx graph, a scipy matrix or a GraphML file on request.

    >>> from seqveil.tables.domain import Domain
    >>> edges = EdgeList(Domain.of(["a", "b", "c"]), np.array([0], np.int32), np.array([2], np.int32))
    >>> list(edges), edges.to_scipy().shape
    ([['a', 'c']], (3, 3))
    """

    def __init__(self, domain: Domain, low: NDArray[np.int32], high: NDArray[np.int32]) -> None:
        ends = np.stack([low, high], axis=1).astype(np.int32).reshape(-1)
        super().__init__(domain, Flat(ends, np.arange(0, len(ends) + 1, 2, dtype=np.int64)))
        self.low, self.high = low, high

    def __repr__(self) -> str:
        return f"EdgeList({len(self):,} edges)"

    def to_networkx(self) -> Any:
        """A networkx Graph with every vertex of the domain."""
        try:
            import networkx as nx
        except ImportError:
            raise CallError("networkx is not installed: install it, or use to_scipy() or write('graph.graphml').") from None
        graph = nx.Graph()
        labels = self.domain.labels(range(len(self.domain)))
        graph.add_nodes_from(labels)
        graph.add_edges_from((labels[a], labels[b]) for a, b in zip(self.low.tolist(), self.high.tolist(), strict=True))
        return graph

    def to_scipy(self) -> Any:
        """The symmetric adjacency matrix, sparse."""
        from scipy.sparse import coo_array

        n = len(self.domain)
        ends = np.concatenate([self.low, self.high]), np.concatenate([self.high, self.low])
        return coo_array((np.ones(2 * len(self), np.int8), ends), shape=(n, n)).tocsr()

    def write(self, path: str | Path, overwrite: bool = True, raw_cells: bool = False) -> Path:
        """Write the graph: .graphml, .edges (SNAP: two labels a line), or what records are written as; also .gz."""
        path = Path(path)
        ending = (Path(path.stem).suffix if path.suffix == ".gz" else path.suffix).lower()
        if ending not in (".graphml", ".edges"):
            return super().write(path, overwrite, raw_cells)
        body = (self._graphml() if ending == ".graphml" else self._lines()).encode()
        return write_whole(path, gzip.compress(body, 6, mtime=0) if path.suffix == ".gz" else body, overwrite=overwrite)

    def _lines(self) -> str:
        if self.domain.has_blanks:
            raise CallError(".edges separates labels by blanks, but a label of the domain has one; write .csv instead.")
        return "".join(f"{a} {b}\n" for a, b in self)

    def _graphml(self) -> str:
        labels = self.domain.labels(range(len(self.domain)))
        names = [quoteattr(label) for label in labels]
        nodes = "".join(f"  <node id={name}/>\n" for name in names)
        pairs = zip(self.low.tolist(), self.high.tolist(), strict=True)
        edges = "".join(f"  <edge source={names[a]} target={names[b]}/>\n" for a, b in pairs)
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            f"<!-- {escape('synthetic edges, made by Seqveil')} -->\n"
            '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
            f' <graph edgedefault="undirected">\n{nodes}{edges} </graph>\n</graphml>\n'
        )
