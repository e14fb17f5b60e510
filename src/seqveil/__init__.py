"""Seqveil: publish and mine personal sequences under differential privacy, with an epsilon that is true.

    import seqveil as sv

    trips = sv.read_sequences("trips.csv", user="card", time="ts", item="station", session="day", domain=stations)
    vault = sv.Vault(trips, unit=sv.User(max_sequences=5), account="metro-2026-10", cap="3.0")
    release = vault.release(sv.NGram(l_max=20, n_max=5), epsilon="1.0")

Names are loaded when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seqveil.errors import SeqveilError
    from seqveil.mine.ffs import FrequentStrings
    from seqveil.mine.itemsets import FrequentItemsets
    from seqveil.mine.pfs2 import PFS2
    from seqveil.mine.prefixminer import PrefixMiner
    from seqveil.mine.twophase import PublicSample, TwoPhase
    from seqveil.publish.density import DER
    from seqveil.publish.diffpart import DiffPart
    from seqveil.publish.graphs import GraphDegrees, GraphLaplace, GraphRandom
    from seqveil.publish.itemsetnoise import ItemsetNoise
    from seqveil.publish.ngram import NGram
    from seqveil.publish.prefix import PrefixPublication
    from seqveil.release import load
    from seqveil.sources import read_sequences
    from seqveil.sources.graphs import read_graph
    from seqveil.sources.relational import read_relational
    from seqveil.sources.sets import read_sets
    from seqveil.tables.domain import Domain
    from seqveil.tables.graphs import GraphTable, graph_of
    from seqveil.tables.sequences import SequenceTable, table_of
    from seqveil.tables.sets import SetTable, sets_of
    from seqveil.tables.units import Edge, Event, Record, User
    from seqveil.wall.ledger import Ledger
    from seqveil.wall.vault import Vault, experiment

_HOME = {
    "DER": "publish.density",
    "GraphDegrees": "publish.graphs",
    "GraphLaplace": "publish.graphs",
    "GraphRandom": "publish.graphs",
    "GraphTable": "tables.graphs",
    "graph_of": "tables.graphs",
    "read_graph": "sources.graphs",
    "SeqveilError": "errors",
    "FrequentItemsets": "mine.itemsets",
    "PFS2": "mine.pfs2",
    "DiffPart": "publish.diffpart",
    "ItemsetNoise": "publish.itemsetnoise",
    "FrequentStrings": "mine.ffs",
    "PrefixMiner": "mine.prefixminer",
    "PublicSample": "mine.twophase",
    "TwoPhase": "mine.twophase",
    "NGram": "publish.ngram",
    "PrefixPublication": "publish.prefix",
    "load": "release",
    "Domain": "tables.domain",
    "read_sequences": "sources",
    "read_relational": "sources.relational",
    "read_sets": "sources.sets",
    "SequenceTable": "tables.sequences",
    "table_of": "tables.sequences",
    "SetTable": "tables.sets",
    "sets_of": "tables.sets",
    "Edge": "tables.units",
    "Event": "tables.units",
    "Record": "tables.units",
    "User": "tables.units",
    "Ledger": "wall.ledger",
    "Vault": "wall.vault",
    "experiment": "wall.vault",
}

__all__ = [
    "DER",
    "PFS2",
    "DiffPart",
    "Domain",
    "Edge",
    "Event",
    "FrequentItemsets",
    "FrequentStrings",
    "GraphDegrees",
    "GraphLaplace",
    "GraphRandom",
    "GraphTable",
    "ItemsetNoise",
    "Ledger",
    "NGram",
    "PrefixMiner",
    "PrefixPublication",
    "PublicSample",
    "Record",
    "SequenceTable",
    "SeqveilError",
    "SetTable",
    "TwoPhase",
    "User",
    "Vault",
    "experiment",
    "graph_of",
    "load",
    "read_graph",
    "read_relational",
    "read_sequences",
    "read_sets",
    "routes",
    "sets_of",
    "stream",
    "table_of",
]


def __getattr__(name: str) -> Any:
    if name == "stream":
        return import_module("seqveil.stream")
    if name == "routes":
        return import_module("seqveil.fenced.routes")
    if name not in _HOME:
        raise AttributeError(f"module 'seqveil' has no attribute {name!r}")
    return getattr(import_module(f"seqveil.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
