"""What the numbers of a release are about: the data as they were bounded before noise was added, and not all of the data.

One sentence, made here, for every place where numbers are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from seqveil.release.manifest import Manifest


def bounds(manifest: Manifest) -> str:
    """The bounds in force, in words that follow "cover"; nothing where there are none.

    >>> from types import SimpleNamespace as Stated
    >>> mechanism = Stated(parameters={"l_max": 20})
    >>> bounds(Stated(unit={"name": "user", "max_sequences": 10}, facts={"l_max": 20}, mechanism=mechanism))
    'at most 10 records per user and 20 items per record'
    >>> bounds(Stated(unit={"name": "record"}, facts={}, mechanism=Stated(parameters={})))
    ''
    """
    if "most" in manifest.facts:  # a discovery of labels, where everything that a user has is one record
        return f"at most {manifest.facts['most']:,} labels of each {manifest.unit['name']}"
    parts = []
    if manifest.unit.get("name") == "user" and (most := manifest.unit.get("max_sequences")) is not None:
        parts.append(f"{most:,} record{'s' * (most != 1)} per user")
    longest = manifest.facts.get("l_max", manifest.mechanism.parameters.get("l_max"))
    if isinstance(longest, int):
        parts.append(f"{longest:,} item{'s' * (longest != 1)} per record")
    return f"at most {' and '.join(parts)}" if parts else ""


def coverage(manifest: Manifest) -> str:
    """The bounds in one sentence; nothing where there are none."""
    within = bounds(manifest)
    return f"Counts cover {within}; more were left out before noise was added." if within else ""
