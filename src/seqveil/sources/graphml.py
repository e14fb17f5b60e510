"""GraphML: the edges of a file, read as a stream. Entity declarations are refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.parsers import expat

from seqveil.sources.markup import parsed
from seqveil.tables.spans import Spans

_BROKEN = (expat.ExpatError, LookupError, ValueError)


class _EntityRefused(Exception):
    """The document declares an entity."""


def _refuse(*_: object) -> None:
    raise _EntityRefused


class _Edges:
    """Listens to the parser: what the graph declares, and the ends of its edges."""

    def __init__(self) -> None:
        self.roots: list[str] = []
        self.graphs: list[str] = []
        self.weighted = False
        self.sources: list[str] = []
        self.targets: list[str] = []

    def parser(self) -> Any:
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EntityDeclHandler = _refuse
        return parser

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        if not self.roots:
            self.roots.append(tag)
        elif tag == "graph":
            self.graphs.append(attributes.get("edgedefault", ""))
        elif tag == "key":
            declared = attributes.get("for") in ("edge", "all") and attributes.get("attr.name", "").lower() == "weight"
            self.weighted = self.weighted or declared
        elif tag == "edge":
            self.sources.append(attributes.get("source", ""))
            self.targets.append(attributes.get("target", ""))

    def hand_over(self) -> tuple[Spans, Spans]:
        """The edges heard so far, which are then forgotten."""
        ends = Spans.of(self.sources), Spans.of(self.targets)
        self.sources, self.targets = [], []
        return ends


def graphml_problems(path: Path) -> list[str]:
    """What makes the file no simple undirected GraphML graph. The whole file is looked at, but none of its values."""
    listener = _Edges()
    parser = listener.parser()
    try:
        for _ in parsed(parser, path):
            listener.hand_over()
    except _EntityRefused:
        return [f"line {parser.CurrentLineNumber} declares an XML entity, which is refused: remove the declaration"]
    except _BROKEN:
        return [f"line {parser.CurrentLineNumber} is not well-formed XML: export the graph again"]
    if listener.roots != ["graphml"]:
        return ["is XML, but not GraphML, whose first element is <graphml>: give a GraphML file"]
    problems = []
    if len(listener.graphs) != 1:
        problems.append(f"has {len(listener.graphs)} graphs: give a file with one")
    if "directed" in listener.graphs:
        problems.append('is declared directed (edgedefault="directed"), but edges have no direction here: make it undirected')
    if listener.weighted:
        problems.append("declares a weight for edges, but edges have no weights here: remove the weights")
    return problems


def graphml_ends(path: Path) -> Iterator[tuple[Spans, Spans]]:
    """The ends of the edges, in pieces; a broken end leaves the edges before it."""
    listener = _Edges()
    parser = listener.parser()
    try:
        for _ in parsed(parser, path):
            yield listener.hand_over()
    except (_EntityRefused, *_BROKEN):
        pass
    yield listener.hand_over()
