"""Options that `publish` and `mine` share; how a file is described stands in reading.py."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from seqveil.errors import CallError

File = Annotated[
    Path, typer.Argument(metavar="FILE", help="The data: .csv .tsv .parquet .seq .txt .spmf .dat .jsonl .xes, also .gz.")
]
PublicBecause = Annotated[str | None, typer.Option(help="How you know that the domain is public; stands in the manifest.")]
UnitName = Annotated[
    str | None, typer.Option("--unit", help="Whom to protect: user, record or edge. Default: user where --user is given.")
]
MaxSequences = Annotated[int, typer.Option(help="How many sequences of one user are used (unit user).")]
Edges = Annotated[int, typer.Option("--k", min=1, help="How many edges are protected together (unit edge).")]
OrderIsPublic = Annotated[
    bool, typer.Option("--order-is-public", help="The order of a graph's vertices was made without looking at its edges.")
]

Timeout = Annotated[float | None, typer.Option(min=0.001, help="Stop after so many seconds; what was spent stays spent.")]


def extra_parameters(words: Sequence[str]) -> dict[str, str]:
    """Parameters of a method, given as options of their own name.

    >>> extra_parameters(["--n-max", "4", "--theta=30"])
    {'n_max': '4', 'theta': '30'}
    >>> extra_parameters(["oops"])
    Traceback (most recent call last):
    seqveil.errors.CallError: 'oops' is one word too many: parameters are given as --name value, for example --l-max 20.
    """
    given: dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("--") or word == "--":
            raise CallError(f"{word!r} is one word too many: parameters are given as --name value, for example --l-max 20.")
        name, equals, value = word[2:].partition("=")
        if not equals:
            if not rest or rest[0].startswith("--"):
                raise CallError(f"{word} needs a value, for example {word} 20.")
            value = rest.pop(0)
        given[name.replace("-", "_")] = value
    return given
