"""Which class reads which content. Entries are import strings, so that reading one kind loads no other."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

from seqveil.errors import ReleaseDamaged

if TYPE_CHECKING:
    from seqveil.release.discovery import LabelRelease
    from seqveil.release.grams import GramRelease
    from seqveil.release.graphs import GraphRelease
    from seqveil.release.histogram import HistogramRelease
    from seqveil.release.model import RecordRelease
    from seqveil.release.patterns import PatternRelease
    from seqveil.release.prefixes import PrefixRelease
    from seqveil.release.release import Release
    from seqveil.release.sets import SetModelRelease, SetRelease

AnyRelease: TypeAlias = (
    "RecordRelease | HistogramRelease | GramRelease | PrefixRelease | PatternRelease | "
    "SetRelease | SetModelRelease | GraphRelease | LabelRelease"
)
"""A release of any content, as it comes from a folder."""

CONTENTS = {
    "record-model": "seqveil.release.model.release:RecordRelease",
    "graph": "seqveil.release.graphs.release:GraphRelease",
    "histogram": "seqveil.release.histogram.release:HistogramRelease",
    "grams": "seqveil.release.grams.release:GramRelease",
    "sets": "seqveil.release.sets.release:SetRelease",
    "set-model": "seqveil.release.sets.modelled:SetModelRelease",
    "patterns": "seqveil.release.patterns.release:PatternRelease",
    "labels": "seqveil.release.discovery.release:LabelRelease",
    "prefixes": "seqveil.release.prefixes.release:PrefixRelease",
}


def release_class(content: str) -> type[Release]:
    """The class of a content's name.

    >>> release_class("grams").content
    'grams'
    """
    if content not in CONTENTS:
        raise ReleaseDamaged(
            f"manifest.json says the release holds {content!r}; this version of Seqveil reads {', '.join(CONTENTS)}. "
            "Update Seqveil and try again."
        )
    module, _, name = CONTENTS[content].partition(":")
    content_class: type[Release] = getattr(import_module(module), name)
    return content_class
