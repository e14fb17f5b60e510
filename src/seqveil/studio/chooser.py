"""The chooser of files and folders: what stands in one of the allowed folders. The place is kept in no address."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from seqveil.errors import CallError
from seqveil.studio.roots import Roots


def chooser(roots: Roots, folder: str | None) -> dict[str, Any]:
    """What a page shows of a folder; without one, or where it is not allowed, the first folder of the studio."""
    here = roots.folders[0]
    if folder:
        try:
            here = roots.inside(folder)
        except CallError:
            here = roots.folders[0]
    if not here.is_dir():
        here = roots.inside(here.parent) if here != roots.folders[0] else here
    entries, more = roots.listing(here)
    return {
        "here": str(here),
        "crumbs": _crumbs(roots, here),
        "roots": [str(root) for root in roots.folders],
        "entries": entries,
        "more": more,
        "below": roots.above(here) is not None,
        "holds_files": any(not one.is_folder for one in entries),
    }


def _crumbs(roots: Roots, here: Path) -> list[tuple[str, str]]:
    """The way from an allowed folder to here: names and paths."""
    way = [(here.name or str(here), str(here))]
    while (above := roots.above(here)) is not None:
        here = above
        way.insert(0, (here.name or str(here), str(here)))
    return way
