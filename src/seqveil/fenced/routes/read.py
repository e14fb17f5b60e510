"""Location graphs from files: DIMACS .gr with a list of places, the California files, GraphML and networkx."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError, InputProblems
from seqveil.extras import need
from seqveil.fenced.routes.graph import LocationGraph

MOST_BARE_NODES = 1_000_000
"""A file may declare so many nodes whatever its arcs are, and ten for every arc beyond that."""


def read_dimacs(path: str | Path, pois: str | Path) -> LocationGraph:
    """A .gr file (lines `a from to cost`) and a list of places (lines `node category [category …]`); both may be .gz."""
    arcs: list[tuple[int, int, float]] = []
    faults: list[str] = []
    nodes = 0
    for number, words in _lines(path):
        try:
            if words[0] == "p":
                nodes = int(words[2])
            elif words[0] == "a":
                arcs.append((int(words[1]), int(words[2]), float(words[3])))
        except (ValueError, IndexError):
            faults.append(f"line {number} is not of the form 'a FROM TO COST' or 'p sp NODES ARCS'")
    if not nodes:
        faults.append("has no line 'p sp NODES ARCS'; is it a DIMACS .gr file?")
    elif nodes > max(MOST_BARE_NODES, 10 * len(arcs)):
        faults.append(f"declares {nodes:,} nodes for {len(arcs):,} arcs: most would have none; correct the line 'p'")
    elif any(not (1 <= u <= nodes and 1 <= v <= nodes) for u, v, _ in arcs):
        faults.append(f"an arc has an end outside the nodes 1 to {nodes:,} that the line 'p' declares")
    _refuse(path, faults)
    tails, heads, costs = np.array(arcs, float).reshape(-1, 3).T
    places, offers, names = _places(pois, {str(node): node - 1 for node in range(1, nodes + 1)})
    ends = tails.astype(np.int64) - 1, heads.astype(np.int64) - 1, costs
    return LocationGraph([str(node) for node in range(1, nodes + 1)], ends, (places, offers), names, source=Path(path).name)


def _places(path: str | Path, codes: dict[str, int]) -> tuple[NDArray[np.int64], NDArray[np.int64], list[str]]:
    pairs: list[tuple[int, str]] = []
    faults: list[str] = []
    for number, (node, *categories) in _lines(path):
        if node not in codes or not categories:
            faults.append(f"line {number} is not of the form 'NODE CATEGORY …' with a node of the graph")
        else:
            pairs += [(codes[node], category) for category in categories]
    _refuse(path, faults)
    names = sorted({category for _, category in pairs})
    rank = {name: at for at, name in enumerate(names)}
    return np.array([p for p, _ in pairs], np.int64), np.array([rank[c] for _, c in pairs], np.int64), names


def read_categories(path: str | Path) -> dict[str, str]:
    """The tree of categories: lines `category path` such as `12 food/pizza`, with a tab between them where names have spaces."""
    paths: dict[str, str] = {}
    faults: list[str] = []
    for number, line in _texts(path):
        words = [part.strip() for part in line.split("\t")] if "\t" in line else line.split()
        if len(words) != 2 or "" in words[-1].split("/"):
            faults.append(f"line {number} is not of the form 'CATEGORY PATH', such as '12 food/pizza'")
        elif paths.setdefault(*words) != words[1]:
            faults.append(f"line {number} gives {words[0]!r} a second path: give each category one")
    _refuse(path, faults)
    return paths


def read_california(nodes: str | Path, edges: str | Path, pois: str | Path, attach: bool = False) -> LocationGraph:
    """Li's files: nodes `id lon lat`, edges `id from to length` (both ways), places `lon lat category`.

    A place belongs to the road node nearest to it. With `attach` it becomes a node of its own, named poi-0, poi-1, …, at the end
    of a road as long as the straight line, so that every place can have its own quality.
    """
    from scipy.spatial import cKDTree

    place, road, poi = _numbers(nodes, 3), _numbers(edges, 4), _numbers(pois, 3)
    ids = place[:, 0].astype(np.int64)
    order = np.argsort(ids)
    positions = np.searchsorted(ids[order], road[:, 1:3].astype(np.int64)).clip(max=len(ids) - 1)
    ends = order[positions]
    if (ids[ends] != road[:, 1:3]).any():
        raise InputProblems(Path(edges).name, [f"an edge names a node that {Path(nodes).name} does not list"])
    away, nearest = cKDTree(place[:, 1:]).query(poi[:, :2])
    names = np.unique(poi[:, 2])
    offer = np.searchsorted(names, poi[:, 2])
    tails, heads, costs, where = ends[:, 0], ends[:, 1], road[:, 3], place[:, 1:]
    labels = [str(number) for number in ids]
    if attach:
        own = len(ids) + np.arange(len(poi))
        tails, heads, costs = np.r_[tails, nearest], np.r_[heads, own], np.r_[costs, away]
        where, labels = np.vstack([where, poi[:, :2]]), labels + [f"poi-{j}" for j in range(len(poi))]
        nearest = own
    both = np.r_[tails, heads], np.r_[heads, tails], np.r_[costs, costs]
    return LocationGraph(labels, both, (nearest, offer), [f"{name:g}" for name in names], where, Path(edges).name)


def from_networkx(graph: Any, cost: str = "cost", categories: str = "categories") -> LocationGraph:
    """A networkx graph whose edges hold a cost and whose nodes may hold categories (a list, or text with commas), x and y."""
    missing = [f"the edge from {u} to {v} has no attribute {cost!r}" for u, v, data in graph.edges(data=True) if cost not in data]
    if missing:
        raise InputProblems("graph", missing)
    offered: dict[Any, list[str]] = {}
    for node, data in graph.nodes(data=True):
        some = data.get(categories) or []
        offered[node] = [part.strip() for part in some.split(",") if part.strip()] if isinstance(some, str) else list(some)
    where = None
    if len(graph) and all("x" in data and "y" in data for _, data in graph.nodes(data=True)):
        where = {node: (float(data["x"]), float(data["y"])) for node, data in graph.nodes(data=True)}
    edges = [(u, v, float(data[cost])) for u, v, data in graph.edges(data=True)]
    return LocationGraph.of(edges, offered, where, directed=graph.is_directed())


def read_graphml(path: str | Path, cost: str = "cost", categories: str = "categories") -> LocationGraph:
    """A GraphML file; needs `seqveil[routes]`."""
    need("road maps")
    import networkx

    try:
        return from_networkx(networkx.read_graphml(str(path)), cost, categories)
    except (OSError, SyntaxError, networkx.NetworkXError) as error:
        raise CallError(f"GraphML file {str(path)!r} cannot be read: {error}.") from None


def _lines(path: str | Path) -> Iterator[tuple[int, list[str]]]:
    """Numbered lines of words, without blank lines and comments (c … and # …)."""
    return ((number, words) for number, line in _texts(path) if (words := line.split())[0] != "c")


def _texts(path: str | Path) -> Iterator[tuple[int, str]]:
    """Numbered lines, without blank ones and comments (# …)."""
    try:
        with gzip.open(path, "rt") if str(path).endswith(".gz") else open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if (text := line.strip()) and not text.startswith("#"):
                    yield number, text
    except (OSError, UnicodeDecodeError, EOFError) as error:
        raise CallError(f"{str(path)!r} cannot be read: {getattr(error, 'strerror', None) or error}.") from None


def _numbers(path: str | Path, width: int) -> NDArray[np.float64]:
    rows: list[list[float]] = []
    faults: list[str] = []
    for number, words in _lines(path):
        try:
            rows.append([float(word) for word in words])
            if len(words) != width:
                raise ValueError
        except ValueError:
            faults.append(f"line {number} does not have {width} numbers")
    _refuse(path, faults or ([] if rows else ["holds no lines"]))
    return np.array(rows)


def _refuse(path: str | Path, faults: list[str]) -> None:
    if faults:
        raise InputProblems(Path(path).name, faults)
