"""Units of privacy: two datasets side by side that differ in one unit, drawn in red."""

from __future__ import annotations

from collections.abc import Iterator

from sitebuilder.drawings.shapes import BLUE, GREY, INK, RED, arrow, box, dot, drawing, line, words

RECORDS = [("ann", "home work gym"), ("ann", "home work"), ("bob", "home school"), ("cy", "work home")]
SIDES = (20, 350)
"""Left edges of the two datasets."""


def pictures() -> dict[str, str]:
    """One picture per unit."""
    return {"unit-record": record(), "unit-user": user(), "unit-edge": edge(), "unit-event": event()}


def record() -> str:
    """One row more or less."""
    return _rows("Two datasets that differ in one record", {1})


def user() -> str:
    """All rows of one user more or less."""
    return _rows("Two datasets that differ in one user, with all records of that user", {0, 1})


def _rows(title: str, changed: set[int]) -> str:
    shapes = [*_frame("dataset D", "dataset D′: without the red rows")]
    for side, left in enumerate(SIDES):
        y = 62
        for i, (who, what) in enumerate(RECORDS):
            red = i in changed
            if side and red:
                shapes.append(box(left + 14, y - 17, 262, 26, "white", RED, dashed=True))
            else:
                shapes.append(box(left + 14, y - 17, 262, 26, "#fbeae8" if red else "#f7f9fb", RED if red else GREY))
                shapes += [
                    words(left + 30, y, who, colour=RED if red else INK, anchor="start"),
                    words(left + 90, y, what, colour=RED if red else INK, anchor="start"),
                ]
            y += 34
    return drawing(660, 216, title, shapes)


def edge() -> str:
    """One edge more or less; the vertices are the same."""
    places = [(60, 70), (150, 60), (230, 100), (110, 150), (210, 170)]
    edges = [(0, 1), (1, 2), (0, 3), (3, 4), (2, 4), (1, 3)]
    shapes = [*_frame("graph G", "graph G′: without the red edge")]
    for side, left in enumerate(SIDES):
        for i, (a, b) in enumerate(edges):
            red = i == 5
            (x1, y1), (x2, y2) = places[a], places[b]
            shapes.append(
                line(left + x1, y1, left + x2, y2, RED if red else GREY, 2.5 if red else 1.5, dashed=bool(side and red))
            )
        shapes += [dot(left + x, y, 8) for x, y in places]
    return drawing(660, 216, "Two graphs over the same vertices that differ in one edge", shapes)


def event() -> str:
    """One event with another value; the length stays."""
    shapes = [*_frame("stream S", "stream S′: one event replaced")]
    for side, left in enumerate(SIDES):
        shapes.append(arrow(left + 14, 150, left + 280, 150))
        for i, value in enumerate([3, 5, 2, 4, 6, 3]):
            height = 16 * ((1 if side else value) if i == 3 else value)
            x = left + 34 + 40 * i
            shapes.append(f"<rect x='{x}' y='{150 - height}' width='20' height='{height}' fill='{RED if i == 3 else BLUE}'/>")
        shapes.append(words(left + 147, 172, "events, as they arrive", 12, GREY))
    return drawing(660, 216, "Two streams of the same length that differ in one event", shapes)


def _frame(left: str, right: str) -> Iterator[str]:
    for x, title in zip(SIDES, (left, right), strict=True):
        yield box(x, 32, 290, 170, "white", INK)
        yield words(x + 145, 22, title, 14, weight="bold")
    yield words(330, 116, "~", 26, GREY)
