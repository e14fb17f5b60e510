"""The directly-follows map: labels in a circle, an arrow from each to what comes right after it. From the release alone.

Drawn as SVG by hand: a circle needs no layout, and the page must work without a network or a script.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from seqveil.notation import to_text

if TYPE_CHECKING:
    from seqveil.release.sequenced import SequenceRelease

MOST_LABELS, MOST_ARROWS = 12, 30
SIZE, RADIUS, DOT = 460.0, 150.0, 9.0
"""Twice the middle of the picture, the radius of the circle that the labels stand on, and that of a label's dot."""
_WIDEST = 7.0


def follows(release: SequenceRelease, labels: int = MOST_LABELS, arrows: int = MOST_ARROWS) -> dict[str, Any] | None:
    """Where every label stands, and the arrows with their widths; None where no pair was released.

    The labels are those with the most steps from and to them; the arrows are the most frequent steps among these.
    """
    steps = [row for row in release.directly_follows(labels * labels * 4) if (row["value"] or 0) > 0]
    if not steps:
        return None
    busy: dict[str, float] = {}
    for row in steps:
        for label in row["pattern"]:
            busy[label] = busy.get(label, 0.0) + (row["value"] or 0.0)
    chosen = sorted(busy, key=lambda label: -busy[label])[:labels]
    among = [row for row in steps if set(row["pattern"]) <= set(chosen)][:arrows]
    places = {label: _place(i, len(chosen)) for i, label in enumerate(chosen)}
    most = max((row["value"] or 0.0 for row in among), default=1.0)
    drawn = [
        {
            **_arrow(places[row["pattern"][0]], places[row["pattern"][1]]),
            "width": max(0.6, _WIDEST * (row["value"] or 0.0) / most),
            "from": to_text(row["pattern"][:1]),
            "to": to_text(row["pattern"][1:]),
            "value": row["value"],
            "low": row["low"],
            "high": row["high"],
        }
        for row in reversed(among)  # the strongest are drawn last, on top
    ]
    dots = [{"name": _short(to_text([label])), **_dot(place)} for label, place in places.items()]
    return {"labels": dots, "arrows": drawn, "all": len(release.domain), "about": release.about_steps}


def _place(i: int, n: int) -> tuple[float, float]:
    """On the circle, the first at the top, clockwise."""
    turn = 2 * math.pi * i / n - math.pi / 2
    return SIZE / 2 + RADIUS * math.cos(turn), SIZE / 2 + RADIUS * math.sin(turn)


def _dot(place: tuple[float, float]) -> dict[str, Any]:
    """A label's dot, and where its name stands: outside the circle."""
    x, y = place
    out_x, out_y = (x - SIZE / 2) / RADIUS, (y - SIZE / 2) / RADIUS
    anchor = "middle" if abs(out_x) < 0.3 else "start" if out_x > 0 else "end"
    return {"x": x, "y": y, "at_x": x + 1.9 * DOT * out_x, "at_y": y + 2.2 * DOT * out_y + 4, "anchor": anchor}


def _arrow(start: tuple[float, float], end: tuple[float, float]) -> dict[str, str]:
    """A curve to the right of its direction, or a loop outside where both ends are the same; and the tip at its end.

    >>> _arrow((0.0, 0.0), (100.0, 0.0))
    {'path': 'M8.5,3.0 Q50.0,18.0 84.0,5.8', 'tip': 'M92.5,2.7 L85.4,9.5 L82.7,2.0 z'}
    """
    (ax, ay), (bx, by) = start, end
    if start == end:
        out_x, out_y = (ax - SIZE / 2) / RADIUS, (ay - SIZE / 2) / RADIUS
        far, side = 3.6 * DOT, 2.2 * DOT
        one = (ax + far * out_x - side * out_y, ay + far * out_y + side * out_x)
        two = (ax + far * out_x + side * out_y, ay + far * out_y - side * out_x)
        a, b = _towards(start, one, DOT), _towards(start, two, DOT + 8)
        curve = f"M{a[0]:.1f},{a[1]:.1f} C{one[0]:.1f},{one[1]:.1f} {two[0]:.1f},{two[1]:.1f} {b[0]:.1f},{b[1]:.1f}"
        return {"path": curve, "tip": _tip(two, b)}
    long = math.hypot(bx - ax, by - ay)
    bend = 0.18 * long
    middle = ((ax + bx) / 2 - (by - ay) / long * bend, (ay + by) / 2 + (bx - ax) / long * bend)
    a, b = _towards(start, middle, DOT), _towards(end, middle, DOT + 8)
    return {"path": f"M{a[0]:.1f},{a[1]:.1f} Q{middle[0]:.1f},{middle[1]:.1f} {b[0]:.1f},{b[1]:.1f}", "tip": _tip(middle, b)}


def _tip(before: tuple[float, float], at: tuple[float, float]) -> str:
    """A triangle that points where the curve leads; drawn by hand, because a marker would be a reference."""
    x, y = _towards((0.0, 0.0), (at[0] - before[0], at[1] - before[1]), 1.0)
    point, left, right = (at[0] + 9 * x, at[1] + 9 * y), (at[0] - 4 * y, at[1] + 4 * x), (at[0] + 4 * y, at[1] - 4 * x)
    return "M" + " L".join(f"{a:.1f},{b:.1f}" for a, b in (point, left, right)) + " z"


def _towards(start: tuple[float, float], end: tuple[float, float], step: float) -> tuple[float, float]:
    (ax, ay), (bx, by) = start, end
    part = step / (math.hypot(bx - ax, by - ay) or 1.0)
    return ax + (bx - ax) * part, ay + (by - ay) * part


def _short(name: str, most: int = 18) -> str:
    """
    >>> _short("Saint-Germain-des-Prés")
    'Saint-Germain-des…'
    """
    return name if len(name) <= most else f"{name[: most - 1]}…"
