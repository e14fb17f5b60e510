"""Experiments side by side, for people who choose a method: questions in plain words, each with a picture and a small table.

The measures are the evaluator's; one that is not asked about here stands among all figures. Nothing here knows a method.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from seqveil.studio.figures import Point, lines_chart

_CELL = re.compile(r"(-?[\d.]+)(?: \[(-?[\d.]+), (-?[\d.]+)\])?")


class Asked(NamedTuple):
    """A measure by the beginnings of its group and row, what it means, and what is best: 0, 1 or (None) nothing.

    A share is never more than 1; the interval of its mean is cut there.
    """

    group: str
    row: str
    title: str
    meaning: str
    best: float | None
    is_share: bool = False


SMALLER, LARGER = "Smaller is better.", "Larger is better."
ASKED = (
    Asked(
        "mean relative error of counts",
        "against the full data",
        "How far off are counts?",
        f"Average error of the count of a short sequence of labels, in per cent of the true count. {SMALLER}",
        0,
    ),
    Asked(
        "mean relative error of counts",
        "records that begin with",
        "How far off are counts of beginnings?",
        f"Average error of the number of records that begin with given labels, in per cent of the true number. {SMALLER}",
        0,
    ),
    Asked(
        "mean relative error, sets",
        "visited all of these",
        "How far off are counts of visits?",
        f"Average error of the number of records that contain all of a few labels, in per cent of the true number. {SMALLER}",
        0,
    ),
    Asked(
        "top K patterns: true positive ratio",
        "contiguous, by occurrences",
        "Are the most frequent patterns found?",
        f"Share of the most frequent patterns of the data that are also the most frequent ones of the release. {LARGER}",
        1,
        is_share=True,
    ),
    Asked(
        "whole records",
        "share of records with a wrong length",
        "Do synthetic records have the right length?",
        f"Share of synthetic records that would have to change for the lengths to be right. {SMALLER}",
        0,
        is_share=True,
    ),
    Asked(
        "whole records",
        "share of records with a wrong pair",
        "Do they begin and end where real ones do?",
        f"Share of synthetic records whose pair of first and last label would have to change. {SMALLER}",
        0,
        is_share=True,
    ),
    Asked(
        "whole records",
        "number of records",
        "Are there as many records?",
        "Number of synthetic records, in per cent of the number of records in the data. 100 % is best.",
        1,
    ),
    Asked(
        "intervals",
        "n-grams whose 95 %",
        "Can the error bars be trusted?",
        "Share of counts whose 95 % interval contains the true count. It should be 95 % or more; more is not better.",
        None,
        is_share=True,
    ),
)


def in_plain_words(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """The questions that these experiments answer: a picture, and a row for every method with a cell for every ε.

    The best method at an ε is marked, where there are several and they differ.

    >>> rows = [{"name": "against the full data, 4", "cells": ["0.2 [0.1, 0.3]", "0.1", "0.3", "–"], "main": True}]
    >>> results = [{"method": name, "epsilon": epsilon} for name in "ab" for epsilon in ("1", "2")]
    >>> groups = [{"title": "mean relative error of counts, queries of up to", "rows": rows}]
    >>> (seen,) = in_plain_words({"results": results, "measures": {"groups": groups}})
    >>> [(row["method"], [(cell["shown"], cell["best"]) for cell in row["cells"]]) for row in seen["rows"]]
    [('a', [('20 %', True), ('10 %', False)]), ('b', [('30 %', False), ('–', False)])]
    """
    tried = [(one["method"], float(one["epsilon"])) for one in answer["results"]]
    answered = []
    for asked in ASKED:
        cells = _cells(answer["measures"]["groups"], asked) or ["–"] * len(tried)
        points = {key: point for key, cell in zip(tried, cells, strict=True) if (point := _point(asked, key[1], cell))}
        if points:
            answered.append(_answered(asked, tried, points))
    return answered


def _cells(groups: list[dict[str, Any]], asked: Asked) -> list[str]:
    """The cells of the first row that a question means."""
    for group in groups:
        if group["title"].startswith(asked.group):
            for row in group["rows"]:
                if row["main"] and row["name"].startswith(asked.row):
                    cells: list[str] = row["cells"]
                    return cells
    return []


def _point(asked: Asked, epsilon: float, cell: str) -> Point | None:
    match = _CELL.fullmatch(cell)
    if match is None:
        return None
    typical = float(match[1])
    low, high = (float(end) if end else typical for end in match.groups()[1:])
    return epsilon, typical, max(low, 0.0), min(high, 1.0) if asked.is_share else high


def _answered(asked: Asked, tried: list[tuple[str, float]], points: dict[tuple[str, float], Point]) -> dict[str, Any]:
    methods, epsilons = list(dict.fromkeys(name for name, _ in tried)), sorted({epsilon for _, epsilon in tried})
    best = {epsilon: _best(asked, [points.get((name, epsilon)) for name in methods]) for epsilon in epsilons}
    rows = []
    for name in methods:
        cells = []
        for epsilon in epsilons:
            point = points.get((name, epsilon))
            cells.append({**_shown(point), "best": point is not None and point[1] == best[epsilon]})
        rows.append({"method": name, "cells": cells})
    series = {name: [points[name, epsilon] for epsilon in epsilons if (name, epsilon) in points] for name in methods}
    picture = lines_chart(series, f"{asked.title} {asked.meaning}")
    return {"title": asked.title, "meaning": asked.meaning, "picture": picture, "epsilons": epsilons, "rows": rows}


def _best(asked: Asked, points: list[Point | None]) -> float | None:
    """The best of some values; None where there is nothing to choose."""
    values = {point[1] for point in points if point is not None}
    if asked.best is None or len(values) < 2:
        return None
    wanted = asked.best
    return min(values, key=lambda value: abs(value - wanted))


def _shown(point: Point | None) -> dict[str, str]:
    if point is None:
        return {"shown": "–", "range": ""}
    _, typical, low, high = point
    return {"shown": f"{100 * typical:.3g} %", "range": f"{100 * low:.3g} – {100 * high:.3g}" if low < high else ""}
