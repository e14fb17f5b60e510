"""Rooms and data flow: raw on the left, the wall in the middle, what may be shown on the right."""

from __future__ import annotations

from sitebuilder.drawings.shapes import BLUE, GREY, INK, RED, arrow, box, drawing, words

ROOMS = [  # x, title, package, what it does
    (20, "source", "sources/", ("files, frames,", "Spark")),
    (150, "table", "tables/, kinds/", ("records over a", "public domain")),
    (280, "engine", "engines/", ("exact counts,", "local or Spark")),
    (560, "mechanism", "publish/, mine/ …", ("asks questions,", "fits a model")),
    (690, "release", "release/", ("noisy counts,", "synthetic records")),
    (820, "people", "cli/, studio/", ("query, report,", "download")),
]
TITLE = (
    "Data flow: source, table and engine hold raw data; the wall adds noise and charges the budget; "
    "mechanism, release and people see noisy answers only"
)
TOP, HIGH, WIDE = 70, 96, 116


def picture() -> str:
    """The drawing of the architecture page."""
    shapes = [
        box(8, 34, 400, 210, "#fdf3f2", RED, dashed=True),
        words(208, 54, "raw data: nothing here is ever printed", 13, RED, "bold"),
        box(548, 34, 400, 210, "#f1f6fb", BLUE, dashed=True),
        words(748, 54, "only noisy answers and public parameters", 13, BLUE, "bold"),
        box(428, 34, 100, 210, "#e8ecef", INK, thick=2.5),
        words(478, 58, "wall", 17, INK, "bold"),
        *(
            words(478, 84 + 20 * i, text, 12)
            for i, text in enumerate(["questions", "sensitivity", "exact noise", "budget ε", "ledger"])
        ),
        words(478, 196, "wall/", 12, GREY),
    ]
    for x, title, package, lines in ROOMS:
        shapes += [box(x, TOP, WIDE, HIGH, "white"), words(x + WIDE / 2, TOP + 22, title, 14, weight="bold")]
        shapes += [words(x + WIDE / 2, TOP + 44 + 17 * i, text, 12) for i, text in enumerate(lines)]
        shapes.append(words(x + WIDE / 2, TOP + 86, package, 11, GREY))
    shapes += [arrow(x + WIDE + 1, TOP + 40, x + 129, TOP + 40) for x in (20, 150, 560, 690)]
    shapes += [
        arrow(397, TOP + 40, 426, TOP + 40),
        arrow(529, TOP + 40, 558, TOP + 40),
        arrow(558, TOP + 70, 530, TOP + 70, dashed=True),
        arrow(426, TOP + 70, 399, TOP + 70, dashed=True),
        words(618, 194, "⇠ a question", 12, GREY),
        words(748, 226, "post-processing costs no ε", 12, BLUE),
        words(208, 226, "every unit of privacy is treated alone", 12, RED),
        box(150, 262, 656, 44, "white", GREY, dashed=True),
        words(478, 289, "evaluate/, audit/: may see both sides; what evaluate prints is marked INTERNAL", 13),
    ]
    return drawing(
        956,
        320,
        TITLE,
        shapes,
    )
