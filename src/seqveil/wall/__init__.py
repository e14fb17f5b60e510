"""The door between raw data and mechanisms. These names are what mechanisms may use.

Names are loaded when they are first used, so that importing one does not compile or load the rest.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seqveil.wall.budget import GRAINS, decimal, grains
    from seqveil.wall.mechanism import Mechanism, Plan
    from seqveil.wall.questions.arrangement import Arrangement
    from seqveil.wall.questions.degrees import Degrees
    from seqveil.wall.questions.density import Regions
    from seqveil.wall.questions.edges import Edges
    from seqveil.wall.questions.fingerprints import Fingerprints
    from seqveil.wall.questions.grams import Grams
    from seqveil.wall.questions.itemsets_all import AllItemsets
    from seqveil.wall.questions.lengths import LengthQuantile, Lengths
    from seqveil.wall.questions.longest import KthSupport, LengthSupport, LongestSupports
    from seqveil.wall.questions.partitions import Partitions
    from seqveil.wall.questions.prefixes import Prefixes
    from seqveil.wall.questions.shrunk import ShrunkSupports, TruncatedSupports
    from seqveil.wall.questions.size import Size
    from seqveil.wall.questions.supports import Supports
    from seqveil.wall.tree import Children, PrivateTree
    from seqveil.wall.vault import Vault
    from seqveil.wall.wall import Wall

_HOME = {
    "GRAINS": "budget",
    "decimal": "budget",
    "grains": "budget",
    "Mechanism": "mechanism",
    "Plan": "mechanism",
    "Arrangement": "questions.arrangement",
    "Degrees": "questions.degrees",
    "Regions": "questions.density",
    "Edges": "questions.edges",
    "Fingerprints": "questions.fingerprints",
    "Grams": "questions.grams",
    "AllItemsets": "questions.itemsets_all",
    "LengthQuantile": "questions.lengths",
    "Lengths": "questions.lengths",
    "Partitions": "questions.partitions",
    "Prefixes": "questions.prefixes",
    "KthSupport": "questions.longest",
    "LengthSupport": "questions.longest",
    "LongestSupports": "questions.longest",
    "ShrunkSupports": "questions.shrunk",
    "TruncatedSupports": "questions.shrunk",
    "Supports": "questions.supports",
    "Size": "questions.size",
    "Children": "tree",
    "PrivateTree": "tree",
    "Vault": "vault",
    "Wall": "wall",
}

__all__ = [
    "GRAINS",
    "AllItemsets",
    "Arrangement",
    "Children",
    "Degrees",
    "Edges",
    "Fingerprints",
    "Grams",
    "KthSupport",
    "LengthQuantile",
    "LengthSupport",
    "Lengths",
    "LongestSupports",
    "Mechanism",
    "Partitions",
    "Plan",
    "Prefixes",
    "PrivateTree",
    "Regions",
    "ShrunkSupports",
    "Size",
    "Supports",
    "TruncatedSupports",
    "Vault",
    "Wall",
    "decimal",
    "grains",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
