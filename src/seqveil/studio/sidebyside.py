"""Charts of experiments: for each group of measures one of them against ε, with a line for every method."""

from __future__ import annotations

import re
from typing import Any

from seqveil.studio.figures import Point, lines_chart

MOST = 4
_CELL = re.compile(r"(-?[\d.]+)(?: \[(-?[\d.]+), (-?[\d.]+)\])?")


def charts(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """A chart for the first measure of each group that is a share; one that could not be measured everywhere is left out.

    >>> rows = [{"name": "full, 4", "cells": ["0.2 [0.1, 0.3]", "0.1"], "main": True}]
    >>> results = [{"method": "m", "epsilon": "1"}, {"method": "m", "epsilon": "2"}]
    >>> drawn = charts({"results": results, "measures": {"groups": [{"title": "error", "rows": rows}]}})
    >>> [(one["title"], one["name"], one["methods"]) for one in drawn]
    [('error', 'full, 4', ['m'])]
    """
    tried = [(one["method"], float(one["epsilon"])) for one in answer["results"]]
    drawn: list[dict[str, Any]] = []
    for group in answer["measures"]["groups"]:
        for row in group["rows"]:
            series = _series(tried, row["cells"]) if row["main"] else None
            if series is not None:
                picture = lines_chart(series, f"{group['title']}: {row['name']}, for every method and ε")
                drawn.append({"title": group["title"], "name": row["name"], "picture": picture, "methods": list(series)})
                break
    return drawn[:MOST]


def _series(tried: list[tuple[str, float]], cells: list[str]) -> dict[str, list[Point]] | None:
    series: dict[str, list[Point]] = {}
    for (method, epsilon), cell in zip(tried, cells, strict=True):
        match = _CELL.fullmatch(cell)
        if match is None:
            continue
        typical = float(match[1])
        if not 0 <= typical <= 1:
            return None
        low, high = (float(end) if end else typical for end in match.groups()[1:])
        series.setdefault(method, []).append((epsilon, typical, min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0)))
    return {method: sorted(points) for method, points in series.items()} or None
