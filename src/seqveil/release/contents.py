"""Which class reads which content. Entries are import strings, so that reading one kind loads no other."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from seqveil.errors import ReleaseDamaged

if TYPE_CHECKING:
    from seqveil.release.release import Release

CONTENTS = {
    "graph": "seqveil.release.graphs.release:GraphRelease",
    "grams": "seqveil.release.grams.release:GramRelease",
    "sets": "seqveil.release.sets.release:SetRelease",
    "patterns": "seqveil.release.patterns.release:PatternRelease",
    "prefixes": "seqveil.release.prefixes.release:PrefixRelease",
}


def release_class(content: str) -> type[Release]:
    """The class of a content's name.

    >>> release_class("grams").content
    'grams'
    """
    if content not in CONTENTS:
        known = ", ".join(CONTENTS)
        raise ReleaseDamaged(
            f"manifest.json says the release holds {content!r}; this Seqveil reads {known}. Update it and try again."
        )
    module, _, name = CONTENTS[content].partition(":")
    found: type[Release] = getattr(import_module(module), name)
    return found
