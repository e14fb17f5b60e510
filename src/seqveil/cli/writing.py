"""The options that say how files for people are written, shared by the verbs that write CSV."""

from __future__ import annotations

from typing import Annotated

import typer

RawCells = Annotated[
    bool,
    typer.Option(
        "--raw-cells", help="In .csv and .tsv, put no apostrophe before labels that a spreadsheet would run as formulas."
    ),
]
