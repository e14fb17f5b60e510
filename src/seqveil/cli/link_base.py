"""`seqveil link base`: the one step of linkage that is differentially private. Frequent n-grams of a data holder's names."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from seqveil.cli import options as o
from seqveil.cli.console import command, say
from seqveil.cli.groups import takes
from seqveil.cli.ordering import Collected, account_of, order_of, pointless, refuse_again, unheard, why_public
from seqveil.cli.reading import Delimiter
from seqveil.cli.releasing import Order, carry_out, done_once, refuse_place, show_plan
from seqveil.cli.sources import unit_of
from seqveil.errors import InputProblems

METHODS = ("prefix-miner", "two-phase")
"""Miners whose substrings can be a base."""

NamesFile = Annotated[
    Path, typer.Argument(metavar="NAMES", help="File with names: .csv .tsv .parquet .txt, also .csv.gz .txt.gz.")
]
Column = Annotated[str | None, typer.Option(help="Column with the name (not for .txt, which has one name per line).")]


@takes(..., o.Spending, o.Stated)
def base(
    file: NamesFile,
    epsilon: Annotated[str, typer.Option(help="Privacy budget of this base, as a decimal.")],
    out: Annotated[Path, typer.Option(help="Folder to create for the base; must not exist.")],
    column: Column = None,
    alphabet: Annotated[
        str, typer.Option(help="Public characters: latin, а..я, U+4E00..U+9FFF, several separated by commas, or a file.")
    ] = "latin",
    method: Annotated[str, typer.Option(help="Method to use: prefix-miner or two-phase.")] = "prefix-miner",
    top: Annotated[int, typer.Option(help="Number of n-grams.")] = 75,
    shortest: Annotated[int, typer.Option(help="Minimum length of an n-gram.")] = 1,
    longest: Annotated[int, typer.Option(help="Maximum length of an n-gram.")] = 3,
    h: Annotated[int, typer.Option("--h", help="Number of leading characters used of each name; public.")] = 8,
    public_because: Annotated[str | None, typer.Option(help="Why the alphabet is public; recorded in the manifest.")] = None,
    user: Annotated[str | None, typer.Option(help="Column with the person, if one person may have several rows.")] = None,
    unit: o.UnitName = None,
    max_sequences: o.MaxSequences = 1,
    delimiter: Delimiter = None,
    format: Annotated[
        str | None, typer.Option(help="File format, if it cannot be inferred from the file name: csv, tsv, parquet or txt.")
    ] = None,
    **spending: Any,
) -> None:
    """Mine frequent n-grams from your own names, with differential privacy. Send the folder to the other data holder.

    Example: seqveil link base names.csv --column name --alphabet latin --epsilon 1 --out base-a/
    """
    given = {**locals(), **spending}
    with done_once(given["as_json"]):
        order = _order(given)
        if given["dry_run"]:
            return show_plan(order, given["size"], given["length"])
        folder = carry_out(order)
        if not given["as_json"]:
            say(f"When both data holders have one, run: {command('link', 'merge', folder)} OTHER-BASE --out base.json")


def _order(given: dict[str, Any]) -> Order:
    """Everything public first, all problems at once: a wrong call must fail before anything is read or spent."""
    from seqveil.registry import make
    from seqveil.sources.name_source import NameSource
    from seqveil.tables.names import Alphabet
    from seqveil.wall.budget import grains

    wrong = Collected(unheard(given))
    if given["method"] not in METHODS:
        wrong.lines.append(f"--method {given['method']!r}: a base is mined by {' or '.join(METHODS)}.")
    parameters = {name: given[name] for name in ("top", "shortest", "longest", "h")}
    name = given["method"] if given["method"] in METHODS else METHODS[0]
    mechanism = wrong.or_else(lambda: make(name, parameters, "mine"), None)
    alphabet = wrong.or_else(lambda: Alphabet.parse(given["alphabet"]), None)
    epsilon = wrong.or_else(lambda: grains(given["epsilon"]), 0)
    unit = wrong.or_else(lambda: unit_of(given["unit"], given["user"], given["max_sequences"], "sequences"), None)
    wrong.lines += pointless(given, "sequences", unit)
    described = {name: given[name] for name in ("column", "user", "delimiter", "format")}
    source = NameSource(given["file"], alphabet or Alphabet("a"), **described)  # the format does not depend on the alphabet
    if not given["dry_run"]:
        wrong.or_else(lambda: refuse_again(given), None)  # before its folder, which is there already
        wrong.or_else(lambda: refuse_place(given["out"]), None)
        wrong.or_else(lambda: account_of(given), None)
        if source.file.nameless and given["format"] is None:
            wrong.lines.append(
                f"{given['file']}: cannot infer the format from the file name: add --format csv, tsv, parquet or txt"
            )
        wrong.or_else(lambda: source.description, "")
    if wrong.lines or mechanism is None or unit is None or alphabet is None:
        raise InputProblems("", wrong.lines)
    if not given["dry_run"]:
        if not given["as_json"]:
            say(f"reading {given['file']} as {source.description}")
        source = source.stating(_why(given, alphabet))
    return order_of(given, mechanism=mechanism, unit=unit, epsilon=epsilon, source=source)


def _why(given: dict[str, Any], alphabet: Any) -> str | None:
    """How the holder knows that the alphabet is public; of a to z nobody needs to be asked."""
    if given["public_because"] is None and alphabet.text == "abcdefghijklmnopqrstuvwxyz":
        return "the letters a to z"
    return why_public(given)
