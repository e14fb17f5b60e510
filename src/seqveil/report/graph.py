"""A synthetic graph on the page: its density map, how many edges vertices have, and the busiest of them. Nothing raw."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seqveil.notation import to_text
from seqveil.release.capabilities import Pictured

if TYPE_CHECKING:
    from seqveil.release.capabilities import Degrees

MOST_COLUMNS, MOST_VERTICES = 16, 12
_NAMESPACE = re.compile(r' xmlns="[^"]*"')


def graph(release: Degrees) -> dict[str, Any]:
    """What the section shows; `map` is SVG of our own drawing, None where the method measured no density."""
    from markupsafe import Markup

    drawing = release.drawing() if isinstance(release, Pictured) else None
    busiest = sorted(range(len(release.domain)), key=lambda vertex: -int(release.degrees[vertex]))[:MOST_VERTICES]
    rows = [(to_text([release.domain.label(vertex)]), int(release.degrees[vertex])) for vertex in busiest]
    return {
        "map": None if drawing is None else Markup(_NAMESPACE.sub("", drawing, count=1)),
        "columns": columns(release.degrees),
        "busiest": rows,
        "axis": max((edges for _, edges in rows), default=1) or 1,
        "mean": float(release.degrees.mean()) if len(release.degrees) else 0.0,
        "vertices": len(release.domain),
    }


def columns(degrees: NDArray[np.int64]) -> list[dict[str, Any]]:
    """How many vertices have so many edges, in at most 16 columns of one width.

    >>> [(c["name"], c["vertices"]) for c in columns(np.array([0, 1, 1, 3]))]
    [('0', 1), ('1', 2), ('2', 0), ('3', 1)]
    >>> [c["name"] for c in columns(np.array([0, 40]))][:2]
    ['0–2', '3–5']
    """
    most = int(degrees.max(initial=0))
    width = -(-(most + 1) // MOST_COLUMNS)
    counts = np.bincount(degrees // width) if len(degrees) else np.zeros(1, np.int64)
    tallest = int(counts.max()) or 1
    names = [f"{n * width}" if width == 1 else f"{n * width}–{n * width + width - 1}" for n in range(len(counts))]
    return [
        {"name": name, "vertices": int(count), "share": int(count) / tallest}
        for name, count in zip(names, counts.tolist(), strict=True)
    ]
