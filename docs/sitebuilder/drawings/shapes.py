"""Boxes, dots, arrows and words, as SVG."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

INK, PALE, RED, BLUE, GREY = "#22303c", "#eef2f6", "#c0392b", "#1f6fb2", "#8a97a3"
FONT = "font-family='system-ui, sans-serif'"


def drawing(width: int, height: int, title: str, shapes: Iterable[str]) -> str:
    """A whole picture; its title is read aloud by screen readers.

    >>> drawing(10, 10, "A <b>", ["<g/>"]).count("A &lt;b&gt;")
    2
    """
    head = (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}' role='img' "
        f"aria-label='{escape(title, True)}'>"
    )
    tip = (
        "<defs><marker id='tip' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' markerHeight='7' "
        f"orient='auto-start-reverse'><path d='M0 0L8 4L0 8z' fill='{INK}'/></marker></defs>"
    )
    return "\n".join(
        [
            head,
            f"<title>{escape(title)}</title>",
            tip,
            f"<rect width='{width}' height='{height}' fill='white'/>",
            *shapes,
            "</svg>\n",
        ]
    )


def words(
    x: float, y: float, text: str, size: int = 13, colour: str = INK, weight: str = "normal", anchor: str = "middle"
) -> str:
    """One line of text."""
    style = f"{FONT} font-size='{size}' font-weight='{weight}' fill='{colour}' text-anchor='{anchor}'"
    return f"<text x='{x}' y='{y}' {style}>{escape(text)}</text>"


def box(
    x: float, y: float, w: float, h: float, fill: str = PALE, line: str = INK, dashed: bool = False, thick: float = 1.2
) -> str:
    """A rectangle with round corners."""
    dash = " stroke-dasharray='5 4'" if dashed else ""
    return f"<rect x='{x}' y='{y}' width='{w}' height='{h}' rx='6' fill='{fill}' stroke='{line}' stroke-width='{thick}'{dash}/>"


def arrow(x1: float, y1: float, x2: float, y2: float, dashed: bool = False) -> str:
    """A line with a tip."""
    dash = " stroke-dasharray='4 4'" if dashed else ""
    return f"<line x1='{x1}' y1='{y1}' x2='{x2}' y2='{y2}' stroke='{INK}' stroke-width='1.5' marker-end='url(#tip)'{dash}/>"


def line(x1: float, y1: float, x2: float, y2: float, colour: str = INK, thick: float = 1.5, dashed: bool = False) -> str:
    """A line."""
    dash = " stroke-dasharray='4 4'" if dashed else ""
    return f"<line x1='{x1}' y1='{y1}' x2='{x2}' y2='{y2}' stroke='{colour}' stroke-width='{thick}'{dash}/>"


def dot(x: float, y: float, r: float = 6, fill: str = BLUE) -> str:
    """A filled circle."""
    return f"<circle cx='{x}' cy='{y}' r='{r}' fill='{fill}'/>"
