"""Every method of the registry with modest parameters, and small tables of its kind; a new method is tested by being listed."""

from __future__ import annotations

from typing import Any

from seqveil import registry
from seqveil.kinds import kind
from seqveil.kinds.world import World
from seqveil.wall.continual import Bursts, Count, Counts, Lis, Matches, Sum

MODEST: dict[str, dict[str, Any]] = {
    "ngram": {"l_max": 4, "n_max": 3},
    "ngram-uniform": {"l_max": 4, "n_max": 3},
    "ngram-printed": {"l_max": 4, "n_max": 3},
    "record-model": {"l_max": 4, "n_max": 3},
    "prefix": {"h": 3},
    "prefix-hybrid": {"h": 3, "fan_out": 2},
    "prefix-miner": {"h": 3, "longest": 3, "top": 5},
    "two-phase": {"h": 3, "longest": 3, "top": 5},
    "substrings": {"l_max": 4, "top": 5},
    "ffs": {"longest": 2, "top": 5},
    "pfs2": {"top": 5, "l_most": 5},
    "basis": {"top": 5, "longest": 3, "few": 0},
    "basis-sets": {"top": 5, "longest": 3, "l_most": 5},
    "itemsets": {"top": 5, "l_most": 5},
    "blocks": {"statistic": Count(">= 1"), "length": 16},
    "baseline": {"statistic": Count(">= 1"), "length": 16},
    "binary": {"statistic": Count(">= 1"), "length": 16},
    "window": {"statistic": Count(">= 1"), "length": 16, "window": 4},
    "checkpoints": {"statistic": Count(">= 1"), "length": 16, "checkpoints": 3},
    "hierarchy": {"statistic": Lis(), "length": 16, "buckets": 2},
}
"""Parameters for tiny tables; a method that is not listed runs with its defaults."""

STATISTICS = [Lis(), Count(">= 1"), Sum("0", "3"), Matches("0 1", edits=1), Bursts(2, 3, ">= 1"), Counts(("0", "1"))]
"""What methods of streams are asked for."""

STREAMS = [name for name, method in registry.methods("stream").items()]
DISCOVERIES = list(registry.methods("domain"))
NAMES = [name for name, method in registry.methods().items() if method.verb not in ("stream", "domain")]


def mechanism(name: str) -> Any:
    """The method with modest parameters."""
    return registry.make(name, MODEST.get(name, {}))


def world(name: str) -> World:
    """Made-up data of the method's kind."""
    made_up: World = kind(registry.method(name).kind).small_world()
    return made_up
