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
    covered = f"Counts cover {within}; more were left out before noise was added." if within else ""
    return " ".join(filter(None, (covered, capped(manifest))))


def capped(manifest: Manifest) -> str:
    """What the counts of n-grams mean where a unit counts only so often for each of them; nothing where there is no cap.

    >>> from types import SimpleNamespace as Stated
    >>> capped(Stated(unit={"name": "record"}, facts={"cap": 1, "cap_of_labels": 2}))
    'An n-gram counts at most once per record (a single label at most 2 times), however often it occurs.'
    """
    cap = manifest.facts.get("cap")
    if not isinstance(cap, int):
        return ""
    user = manifest.unit.get("name") == "user"
    labels = manifest.facts.get("cap_of_labels")
    per = f"per {'user' if user else 'record'}{', in each range of record lengths' if user and labels else ''}"
    often = "once" if cap == 1 else f"{cap:,} times"
    single = f" (a single label at most {labels:,} times)" if labels else ""
    return f"An n-gram counts at most {often} {per}{single}, however often it occurs."
