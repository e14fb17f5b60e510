"""Options that `publish` and `mine` share; how a file is described stands in reading.py."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from seqveil.cli import reading
from seqveil.cli.console import Json
from seqveil.errors import CallError

PublicBecause = Annotated[str | None, typer.Option(help="How you know that the domain is public; stands in the manifest.")]
UnitName = Annotated[
    str | None, typer.Option("--unit", help="Whom to protect: user, record or edge. Default: user where --user is given.")
]
MaxSequences = Annotated[int, typer.Option(min=1, help="How many sequences of one user are used (unit user).")]


class Ordered:
    """What is released, and what is promised."""

    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The data: .csv .tsv .parquet .seq .txt .spmf .dat .jsonl .xes, also .gz.")
    ]
    domain: reading.Domain
    epsilon: Annotated[str, typer.Option(help="The privacy budget of this release, as a decimal.")]
    out: Annotated[Path, typer.Option(help="The folder that the release becomes; must not exist.")]
    kind: Annotated[str | None, typer.Option(help="What the file holds, where the method does not say.")] = None
    public_because: PublicBecause = None
    unit: UnitName = None
    max_sequences: MaxSequences = 1


class Repeated:
    """Where parameters come from, if not from here."""

    like: Annotated[Path | None, typer.Option(help="Repeat the method and parameters of this release.")] = None
    config: Annotated[Path | None, typer.Option(help="Read parameters from a TOML file (name = value).")] = None


class Spending:
    """How the run goes."""

    account: Annotated[str | None, typer.Option(help="The ledger account to charge. Default: from the file's name.")] = None
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan; open no data, spend nothing.")] = False
    size: Annotated[
        int | None, typer.Option(min=1, help="For --dry-run: a rough public number of users with --unit user, else of records.")
    ] = None
    seed: Annotated[int | None, typer.Option(help="Make an experiment with repeatable noise: NOT private.")] = None
    as_json: Json = False


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
