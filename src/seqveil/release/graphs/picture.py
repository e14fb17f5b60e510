"""The density map as a picture: dark where pairs are often joined. From the release alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqveil.release.graphs.regions import RegionTable

_SHADES = " ░▒▓█"
_SIDE = 720


def shade(density: NDArray[np.float64]) -> NDArray[np.float64]:
    """Densities on a scale of 0 to 1, by their logarithm: real graphs are sparse, and a tenth of the densest is still dense.

    >>> shade(np.array([0.0, 0.001, 0.01, 0.1])).round(2).tolist()
    [0.0, 0.33, 0.67, 1.0]
    """
    top = density.max(initial=0.0)
    behind = np.log10(np.maximum(density, 1e-300) / max(top, 1e-300))
    return np.asarray(np.where(density > 0, np.maximum(1 + behind / 3, 0.05), 0.0))


def as_text(regions: RegionTable, vertices: int, rows: int = 24) -> list[str]:
    """The upper triangle in `rows` lines of twice as many characters; the vertices run down and to the right."""
    shades = shade(regions.count / np.maximum(regions.cells, 1))
    rows = max(1, min(rows, vertices))
    centres = (np.arange(rows) + 0.5) * vertices / rows
    columns = (np.arange(2 * rows) + 0.5) * vertices / (2 * rows)
    picture = np.full((rows, 2 * rows), -1.0)
    for (top, bottom, left, right), dark in zip(regions.region.tolist(), shades.tolist(), strict=True):
        down = np.flatnonzero((centres >= top) & (centres < bottom))
        across = np.flatnonzero((columns >= left) & (columns < right))
        picture[np.ix_(down, across)] = dark
    picture[centres[:, None] > columns[None, :]] = -1.0
    levels = np.ceil(picture * (len(_SHADES) - 1)).astype(int)
    return ["".join(_SHADES[max(level, 0)] for level in line).rstrip() for line in levels]


def as_svg(regions: RegionTable, vertices: int) -> str:
    """The same as a drawing, every region with its count; both halves are filled, since a graph has no direction."""
    shades = shade(regions.count / np.maximum(regions.cells, 1))
    unit = _SIDE / max(vertices, 1)
    boxes = []
    for (top, bottom, left, right), dark, count in zip(
        regions.region.tolist(), shades.tolist(), regions.count.tolist(), strict=True
    ):
        grey = round(255 * (1 - dark))
        for x, y, wide, tall in ((left, top, right - left, bottom - top), (top, left, bottom - top, right - left)):
            boxes.append(
                f'<rect x="{x * unit:.2f}" y="{y * unit:.2f}" width="{wide * unit:.2f}" height="{tall * unit:.2f}" '
                f'fill="rgb({grey},{grey},{grey})"><title>{count:,} edges</title></rect>'
            )
    body = "\n".join(boxes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_SIDE}" height="{_SIDE}" viewBox="0 0 {_SIDE} {_SIDE}">\n'
        f'<rect width="{_SIDE}" height="{_SIDE}" fill="white"/>\n{body}\n</svg>\n'
    )
