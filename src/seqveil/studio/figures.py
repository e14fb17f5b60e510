"""Pictures that the server draws: SVG without a style or a script, so that the strict policy of the pages needs no exception.

Colours are classes of studio.css. Every text is escaped here; where it is cut, the whole of it is the title of its mark.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, log10, pi, sin
from typing import Any
from unicodedata import east_asian_width

from markupsafe import Markup, escape

from seqveil.notation import printable

LONGEST = 18
"""How broad a label beside a picture may be."""

LETTER = 7.4
"""Pixels of a letter such as n in the small type of pictures."""


def mark(tag: str, *inside: Any, kind: str = "", **attributes: Any) -> Markup:
    """One element; `kind` is its class, and an underscore in the name of an attribute stands for a hyphen.

    >>> mark("text", "A & B", kind="share", x=1.25, text_anchor="end")
    Markup('<text class="share" x="1.25" text-anchor="end">A &amp; B</text>')
    """
    named = ({"class": kind} if kind else {}) | attributes
    written = "".join(f' {name.replace("_", "-")}="{escape(_number(value))}"' for name, value in named.items())
    return Markup(f"<{tag}{written}>{''.join(map(escape, inside))}</{tag}>")


def _number(value: Any) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def picture(said: str, width: int, height: int, *marks: Any, kind: str, fixed: bool = False) -> Markup:
    """A whole picture, which says in words what it shows; `fixed` keeps its size."""
    size = {"width": width, "height": height} if fixed else {}
    return mark("svg", *marks, kind=kind, viewBox=f"0 0 {width} {height}", **size, role="img", aria_label=said)


def breadth(text: str) -> float:
    """About how wide a text is, in letters such as n: a font of the browser's choice decides, so this errs on the wide side.

    >>> breadth("nnnn"), breadth("ill."), breadth("WWW") > breadth("nnn"), breadth("東京")
    (4.0, 2.8, True, 3.8)
    """
    return round(sum(map(_breadth, text)), 1)


def _breadth(letter: str) -> float:
    if east_asian_width(letter) in "WF":
        return 1.9
    if letter in "MW@%<>=+~mw…":
        return 1.65
    if letter in "fijlrtI.,:;'|!()[]/ ":
        return 0.7
    return 1.25 if letter.isupper() else 1.0


def cut(label: str, longest: float = LONGEST) -> str:
    """A label, cut to a breadth.

    >>> cut("West Ham & co", 8), cut("東京駅前広場", 8), cut("Bank", 8)
    ('West H…', '東京駅…', 'Bank')
    """
    shown = printable(label)
    if breadth(shown) <= longest:
        return shown
    while shown and breadth(shown) + _breadth("…") > longest:
        shown = shown[:-1]
    return shown.rstrip() + "…"


def isolated(label: str) -> str:
    """A label whose direction is its own affair."""
    return f"\u2068{printable(label)}\u2069"


_BOXES = {"record": ((3, (0,)), (2, ()), (1, ())), "user": ((3, (0, 1, 2)), (2, ()), (1, ()))}
"""For each person the number of records, and which of them are protected together."""


def unit_picture(unit: str) -> Markup:
    """What a unit of privacy protects: rows are people, boxes are their records, what is protected together is filled."""
    if unit == "edge":
        return _edge_picture()
    if unit not in _BOXES:
        return Markup("")
    marks = []
    for row, (boxes, filled) in enumerate(_BOXES[unit]):
        y = 6 + row * 24
        marks.append(mark("circle", kind="line", cx=12, cy=y + 4, r=4))
        marks.append(mark("path", kind="line", d=f"M5 {y + 17}q0 -8 7 -8t7 8"))
        for box in range(boxes):
            kind = "filled" if box in filled else "line"
            marks.append(mark("rect", kind=kind, x=30 + box * 44, y=y + 1, width=38, height=15, rx=3))
    said = "One record of one person is filled." if unit == "record" else "All records of one person are filled."
    return picture(said, 166, 78, *marks, kind="unit", fixed=True)


def _edge_picture() -> Markup:
    spots = [(20, 40), (70, 14), (120, 22), (146, 62), (80, 64)]
    lines = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4), (1, 4)]
    marks = []
    for at, (a, b) in enumerate(lines):
        (x1, y1), (x2, y2) = spots[a], spots[b]
        marks.append(mark("line", kind="filled" if at == 1 else "line", x1=x1, y1=y1, x2=x2, y2=y2))
    marks += [mark("circle", kind="dot", cx=x, cy=y, r=5) for x, y in spots]
    return picture("One edge of a graph is drawn bold; the vertices are public.", 166, 78, *marks, kind="unit", fixed=True)


def interval_bar(value: float | None, low: float | None, high: float | None, axis: float, true: float | None = None) -> Markup:
    """A bar with its error bar, as wide as its cell; `true` is a dot, where it may be shown."""

    def at(x: float) -> str:
        return f"{min(max(100 * x / (axis or 1.0), 0.0), 100.0):.2f}%"

    marks = [] if value is None else [mark("rect", kind="bar", x=0, y=4, width=at(value), height=12, rx=2)]
    if low is not None and high is not None:
        marks.append(mark("line", kind="error", x1=at(low), x2=at(high), y1=10, y2=10))
        marks += [mark("line", kind="error", x1=at(x), x2=at(x), y1=5, y2=15) for x in (low, high)]
    if true is not None:
        marks.append(mark("circle", kind="true", cx=at(true), cy=10, r=4.5))
    return mark("svg", *marks, kind="interval", width="100%", height=20, aria_hidden="true")


def columns(names: Sequence[str], shares: Sequence[float], unit: str) -> Markup:
    """Columns with their names below; of many names some are left out, so that none touches another."""
    width, height = 600, 150
    highest = max(shares, default=0.0) or 1.0
    step = width / max(len(names), 1)
    every = max(1, round(max(map(len, names), default=1) * 13 / step + 0.49))
    marks = [mark("line", kind="axis", x1=0, x2=width, y1=height + 4, y2=height + 4)]
    for at, (name, share) in enumerate(zip(names, shares, strict=True)):
        tall = max(height * share / highest, 0.5)
        title = mark("title", f"{printable(name)}: {100 * share:.1f} % {unit}")
        box = {"x": (at + 0.12) * step, "y": height - tall + 4, "width": step * 0.76, "height": tall}
        marks.append(mark("rect", title, kind="bar", **box))
        if at % every == 0:
            marks.append(mark("text", name, x=(at + 0.5) * step, y=height + 19, text_anchor="middle"))
    first = ", ".join(f"{printable(name)}: {100 * share:.1f} %" for name, share in list(zip(names, shares, strict=True))[:10])
    return picture(f"Shares {unit}: {first}", width, height + 24, *marks, kind="columns")


def graph_picture(names: Sequence[str], edges: Sequence[tuple[int, int]], degrees: Sequence[int]) -> Markup:
    """A synthetic graph: its busiest vertices on a circle, with the edges between them; the busier, the larger."""
    middle, radius, n = 260.0, 170.0, max(len(names), 1)

    def spot(k: int, far: float) -> tuple[float, float]:
        return middle + far * sin(2 * pi * k / n), middle - far * cos(2 * pi * k / n)

    marks = []
    for a, b in edges:
        (x1, y1), (x2, y2) = spot(a, radius), spot(b, radius)
        marks.append(mark("line", kind="edge", x1=x1, y1=y1, x2=x2, y2=y2))
    most = max(degrees, default=1) or 1
    for k, (name, degree) in enumerate(zip(names, degrees, strict=True)):
        x, y = spot(k, radius)
        title = mark("title", f"{isolated(name)}: {degree:,} edges")
        marks.append(mark("circle", title, kind="dot", cx=x, cy=y, r=3 + 6 * degree / most))
        turn, (x, y) = 360 * k / n - 90, spot(k, radius + 14)
        left = 90 < (turn + 360) % 360 < 270
        placed = f"translate({x:.1f} {y:.1f}) rotate({turn + 180 if left else turn:.1f})"
        marks.append(mark("text", cut(name, 12), transform=placed, text_anchor="end" if left else "start", dy=4))
    said = f"The {len(names)} vertices with the most edges, and {len(edges):,} edges between them"
    return picture(said, 520, 520, *marks, kind="graph")


Point = tuple[float, float, float, float]
"""An ε, and a measure there: typical, lowest and highest."""


def lines_chart(series: dict[str, list[Point]], said: str) -> Markup:
    """Measures against ε, on a logarithmic axis; a line for each, with the range at every point."""
    points = [point for line in series.values() for point in line]
    if not points:
        return Markup("")
    width, height, left, bottom = 560, 210, 62, 30
    first, last = log10(min(p[0] for p in points)), log10(max(p[0] for p in points))
    highest = max(p[3] for p in points)
    top = next((edge for edge in (0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 2.0, 5.0) if highest <= edge), highest)

    def x(epsilon: float) -> float:
        return left + 24 + (width - left - 48) * ((log10(epsilon) - first) / ((last - first) or 1))

    def y(value: float) -> float:
        return 18 + (height - bottom - 18) * (1 - min(value / top, 1.0))

    marks = [mark("line", kind="axis", x1=left, x2=width, y1=y(0), y2=y(0))]
    marks += [mark("text", f"{100 * v:.3g} %", x=left - 6, y=y(v) + 4, text_anchor="end") for v in (0, top / 2, top)]
    for at, (name, line) in enumerate(series.items()):
        kind = f"c{at % 6}"
        marks.append(mark("polyline", kind=f"series {kind}", points=" ".join(f"{x(p[0]):.1f},{y(p[1]):.1f}" for p in line)))
        aside = 4 * (at - (len(series) - 1) / 2)  # ranges stand side by side
        for epsilon, typical, low, high in line:
            said_here = f"{printable(name)}, ε = {epsilon:g}: {100 * typical:.1f} % ({100 * low:.1f} to {100 * high:.1f} %)"
            marks.append(mark("line", kind=f"range {kind}", x1=x(epsilon) + aside, x2=x(epsilon) + aside, y1=y(low), y2=y(high)))
            marks.append(mark("circle", mark("title", said_here), kind=f"point {kind}", cx=x(epsilon), cy=y(typical), r=4))
    ticks = sorted({p[0] for p in points})
    marks += [mark("text", f"ε = {e:g}", x=x(e), y=height - 6, text_anchor="middle") for e in ticks]
    return picture(said, width, height, *marks, kind="chart")
