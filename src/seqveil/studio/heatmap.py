"""Matrices of shares as pictures: which label comes after which, and where records that begin somewhere end.

Of many labels the most frequent ones are shown; the others are one column together, so that every row adds up.
"""

from __future__ import annotations

from typing import NamedTuple

from markupsafe import Markup

from seqveil.studio.figures import LETTER, breadth, cut, isolated, mark, picture

OTHERS = "others"
CELL, GAP = 30, 8
SLANT = 0.87
"""How far labels that are turned by 60 degrees reach up, of their length; the rest is to the right."""

STRONGEST = 5


class Matrix(NamedTuple):
    """Shares of each row: for every label, and for all others together, where there are any."""

    labels: list[str]
    rows: list[list[float]]
    others: list[float] | None

    @property
    def columns(self) -> list[str]:
        return self.labels if self.others is None else [*self.labels, OTHERS]

    @property
    def cells(self) -> list[list[float]]:
        """All shares, by rows."""
        return self.rows if self.others is None else [[*row, rest] for row, rest in zip(self.rows, self.others, strict=True)]

    def strongest(self) -> list[tuple[str, str, float]]:
        """The largest shares between two labels: from, to, share.

        >>> Matrix(["a", "b"], [[0.1, 0.9], [0.3, 0.0]], None).strongest()
        [('a', 'b', 0.9), ('b', 'a', 0.3), ('a', 'a', 0.1)]
        """
        places = [(share, i, j) for i, row in enumerate(self.rows) for j, share in enumerate(row) if share >= 0.005]
        best = sorted(places, key=lambda place: -place[0])[:STRONGEST]
        return [(self.labels[i], self.labels[j], share) for share, i, j in best]


def heat_map(matrix: Matrix, said: str) -> Markup:
    """Names at the left and, turned, above. Darker is more, and the per cent stand in it."""
    names = [cut(label) for label in matrix.labels]
    longest = LETTER * max(map(breadth, [*names, OTHERS if matrix.others is not None else ""]), default=0.0)
    left, top = round(longest) + 10, round(SLANT * longest) + 16

    def across(at: int) -> int:
        """Where a column begins; that of the others stands a little apart."""
        return left + at * CELL + (GAP if at >= len(names) else 0)

    marks = []
    for at, (label, name) in enumerate(zip(matrix.labels, names, strict=True)):
        title = mark("title", isolated(label))
        marks.append(mark("text", title, name, x=left - 6, y=top + at * CELL + CELL // 2 + 4, text_anchor="end"))
    for at, label in enumerate(matrix.columns):
        turned = f"translate({across(at) + CELL // 2 + 4} {top - 6}) rotate(-60)"
        marks.append(mark("text", mark("title", isolated(label)), cut(label), transform=turned))
    for i, row in enumerate(matrix.cells):
        for j, share in enumerate(row):
            what = f"{isolated(matrix.labels[i])} → {isolated(matrix.columns[j])}"
            marks += _cell(across(j), top + i * CELL, share, what, "heat rest" if j >= len(names) else "heat")
    width = across(len(matrix.columns)) + max(0, round(longest / 2) - CELL // 2) + 8
    return picture(_in_words(matrix, said), width, top + len(names) * CELL + 4, *marks, kind="heatmap", fixed=True)


def _cell(x: int, y: int, share: float, what: str, colour: str) -> list[Markup]:
    level = 0 if share < 0.005 else min(9, 1 + int(share * 9))
    title = mark("title", f"{what}: {100 * share:.1f} %")
    marks = [mark("rect", title, kind=f"{colour} h{level}", x=x, y=y, width=CELL - 2, height=CELL - 2, rx=3)]
    if level:
        kind = "share strong" if level >= 6 else "share"
        marks.append(mark("text", f"{100 * share:.0f}", kind=kind, x=x + CELL // 2 - 1, y=y + 18, text_anchor="middle"))
    return marks


def _in_words(matrix: Matrix, said: str) -> str:
    """What somebody hears who does not see the picture."""
    best = "; ".join(f"{isolated(a)} to {isolated(b)}, {100 * share:.0f} %" for a, b, share in matrix.strongest())
    return f"{said}. The largest: {best}." if best else f"{said}."
