"""Options that `publish` and `mine` share; how a file is read stands in reading.py."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from seqveil.cli import reading
from seqveil.cli.config import no_folder_needed, use_config
from seqveil.cli.console import Json
from seqveil.errors import CallError

PublicBecause = Annotated[
    str | None,
    typer.Option(
        help="Where the list of labels is published; signed into the manifest. A false reason voids the guarantee, and so do "
        "labels taken from the data."
    ),
]
TO_FILL_IN = "WHERE THE LABELS ARE PUBLISHED"
"""Stands for a reason in commands that are printed; nobody's reason, so no run accepts it."""

UnitName = Annotated[
    str | None, typer.Option("--unit", help="Unit of privacy: user, record or edge. Default: user if --user is given.")
]
MaxSequences = Annotated[
    int | None, typer.Option(min=1, help="Contribution bound: most sequences used per user (--unit user). Default: 1.")
]


MethodName = Annotated[  # read before a --help after it, which lists the parameters of the method
    str, typer.Option("--method", is_eager=True, help="Method to use (list them with `seqveil methods`).")
]


Delta = Annotated[
    str | None,
    typer.Option(
        help="For (ε, δ) instead of pure ε: the δ at which --epsilon holds, well below 1 / number of users, e.g. 1e-6. "
        "Noise is then Gaussian, and the account adds up ρ of zCDP."
    ),
]


class Ordered:
    """Release."""

    file: Annotated[  # text: a path would make hdfs:/ of hdfs://
        str,
        typer.Argument(
            metavar="FILE...",
            help="Files or folders of one format: .csv .tsv .parquet .seq .txt .spmf .dat .jsonl .xes, also .gz; - is stdin.",
        ),
    ]
    domain: reading.Domain
    epsilon: Annotated[str, typer.Option(help="Privacy budget of this release, as a decimal.")]
    out: Annotated[Path, typer.Option(help="Folder to create for the release; must not exist.")]
    delta: Delta = None
    kind: Annotated[str | None, typer.Option(help="Kind of data in the file, if the method accepts several.")] = None
    public_because: PublicBecause = None
    unit: UnitName = None
    max_sequences: MaxSequences = None


class Where:
    """Where the data are counted."""

    engine: Annotated[str, typer.Option(help="local, or spark: FILE is then any path, glob or table that Spark reads.")] = "local"
    master: Annotated[
        str | None, typer.Option(help="For --engine spark: master of the session to start, such as yarn or spark://HOST:7077.")
    ] = None
    partitions: Annotated[
        int | None, typer.Option(min=1, help="For --engine spark: number of tasks among which users are divided.")
    ] = None


class Repeated:
    """Reuse parameters."""

    like: Annotated[Path | None, typer.Option(help="Reuse the method and parameters of this release.")] = None
    config: Annotated[
        Path | None,
        typer.Option(callback=use_config, is_eager=True, help="Read method parameters and options from a TOML file."),
    ] = None


class Stated:
    """Public statements of the data holder, recorded in the manifest."""

    dataset_name: Annotated[str | None, typer.Option(help="What the data are called, for whoever receives the release.")] = None
    contact: Annotated[str | None, typer.Option(help="Whom to ask about the release.")] = None
    purpose: Annotated[str | None, typer.Option(help="What the release is made for.")] = None


class Spending:
    """Run options."""

    account: Annotated[str | None, typer.Option(help="Ledger account to charge. Default: taken from the file name.")] = None
    once: Annotated[
        str | None,
        typer.Option(
            metavar="KEY",
            help="Charge the account at most once for this key, e.g. 2026-W47: a run that is repeated spends nothing.",
        ),
    ] = None
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", callback=no_folder_needed, is_eager=True, help="Show the plan; read no data, spend nothing."),
    ] = False
    size: Annotated[
        int | None, typer.Option(min=1, help="For --dry-run: rough public number of users (--unit user) or records.")
    ] = None
    length: Annotated[float | None, typer.Option(min=1, help="For --dry-run: rough public mean length of records.")] = None
    seed: Annotated[int | None, typer.Option(help="Run an experiment with repeatable noise: NOT private.")] = None
    as_json: Json = False


def files_and_parameters(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """More files, and the method's parameters, among the words that a verb leaves over.

    An argument of the verb for many files would swallow the value of the first parameter that the verb does not know.

    >>> files_and_parameters(["b.csv", "--l-max", "4", "c.csv", "--n-max=3"])
    (['b.csv', 'c.csv'], ['--l-max', '4', '--n-max=3'])
    """
    files: list[str] = []
    rest: list[str] = []
    left = list(words)
    while left:
        word = left.pop(0)
        if not word.startswith("--"):
            files.append(word)
            continue
        rest.append(word)
        if "=" not in word and left and not left[0].startswith("--"):
            rest.append(left.pop(0))
    return files, rest


def extra_parameters(words: Sequence[str]) -> dict[str, str]:
    """Parameters of a method, given as options of their own name.

    >>> extra_parameters(["--n-max", "4", "--theta=30"])
    {'n_max': '4', 'theta': '30'}
    >>> extra_parameters(["oops"])
    Traceback (most recent call last):
    seqveil.errors.CallError: unexpected argument 'oops': method parameters are given as --name value, for example --l-max 20.
    """
    given: dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("--") or word == "--":
            advice = "method parameters are given as --name value, for example --l-max 20."
            raise CallError(f"unexpected argument {word!r}: {advice}")
        name, equals, value = word[2:].partition("=")
        if not equals:
            if not rest or rest[0].startswith("--"):
                raise CallError(f"{word} needs a value, for example {word} 20.")
            value = rest.pop(0)
        given[name.replace("-", "_")] = value
    return given
