"""What a page is about, in the words of the kind of data: the first thing that a reader sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqveil.release.capabilities import Synthetic
from seqveil.release.ofrecords import OfRecords

if TYPE_CHECKING:
    from seqveil.release import Release

_SYNTHETIC = {"sequences": "Synthetic sequences", "sets": "Synthetic sets", "edges": "A synthetic graph"}


def headline(release: Release) -> str:
    """The title of a page: the kind of the release, and whether it is private.

    >>> from seqveil.release.grams import GramRelease, GramTable
    >>> from seqveil.tables.domain import Domain
    >>> from seqveil.tables.flat import Flat
    >>> grams = GramTable.of([[0]], count=[9.0])
    >>> subject(GramRelease(Domain.of(["home"]), grams=grams, synthetic=Flat.of([]), l_max=5, n_max=2))
    'Synthetic sequences'
    """
    private = release.manifest.private
    return f"{subject(release)}, {'with differential privacy' if private else 'an experiment: not differentially private'}"


def subject(release: Release) -> str:
    """What the release holds, in two or three words."""
    if isinstance(release, Synthetic):
        return _SYNTHETIC[release.form]
    if isinstance(release, OfRecords):
        return "Tables of counts"
    return "Frequent sets" if getattr(release, "kind", None) == "itemset" else "Frequent patterns"
