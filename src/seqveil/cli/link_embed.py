"""`seqveil link embed`: a holder's names as vectors for the third party. NOT differentially private."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from seqveil.cli.console import Json, emit, progress, say
from seqveil.cli.link_base import Column, NamesFile
from seqveil.cli.ordering import Collected
from seqveil.cli.reading import Delimiter
from seqveil.errors import InputProblems

ROWS = 200_000
"""How many names are in memory at once."""


def embed(
    file: NamesFile,
    base: Annotated[Path, typer.Option(help="The common base that `link merge` wrote.")],
    out: Annotated[Path, typer.Option(help="The folder of vectors, for the third party alone; must not exist.")],
    key: Annotated[Path, typer.Option(help="YOUR SECRET: which row each vector is of. Never send it. Must not exist.")],
    column: Column = None,
    edits: Annotated[
        int | None, typer.Option(help="How many typing errors still match; 0: equal names. One of the holders must give it.")
    ] = None,
    threshold: Annotated[
        str | None,
        typer.Option(help="From edits to distances: neighbours, lengths, sqrt_k (lose no pair), personal (may), or a number."),
    ] = None,
    delimiter: Delimiter = None,
    as_json: Json = False,
) -> None:
    """Each holder: write the own names as vectors for the third party. NOT differentially private.

    Example: seqveil link embed names.csv --column name --base base.json --edits 1 --out vectors-a/ --key rows-a.key
    """
    from seqveil.badge import BADGE
    from seqveil.link.base import Base
    from seqveil.link.pending import settle
    from seqveil.link.whole import refuse_existing
    from seqveil.link.writing import threshold_of, write_vectors
    from seqveil.sources.names import stream_names

    say(f"{BADGE}: whoever has vectors and a list of common names can read most names off them. For the third party alone.")
    wrong = Collected()
    wrong.or_else(lambda: settle(key), None)
    wrong.or_else(lambda: refuse_existing(out, "--out"), None)
    wrong.or_else(lambda: refuse_existing(key, "--key"), None)
    common = wrong.or_else(lambda: Base.load(base), None)
    rule = wrong.or_else(lambda: threshold_of(threshold, edits), None)
    if rule is None and threshold is not None and not wrong.lines:
        wrong.lines.append(f"--threshold {threshold} follows from the number of edits: add --edits 1, or 0 for equal names")
    names: Iterable[list[str]] = wrong.or_else(lambda: stream_names(file, column, delimiter, ROWS), iter(()))
    if wrong.lines or common is None:
        raise InputProblems("this call", wrong.lines)
    with progress("embedding", quiet=as_json) as stage:
        done = write_vectors(common, _counted(names, stage), out, key, threshold, edits)
    left_out = {"empty": done.empty, "without_gram": done.without_gram}
    if as_json:
        facts = {"rows": done.rows, "vectors": done.vectors, "left_out": left_out, "thresholds": rule is not None}
        return emit({"out": str(out), "key": str(key), "private": False, "base": common.id, **facts})
    say(f"{out}: {done.vectors:,} vectors of {done.rows:,} names. Send it to the third party.")
    if done.empty or done.without_gram:
        say(f"Left out (internal, do not share): {done.empty:,} empty names, {done.without_gram:,} without a gram of the base.")
    if rule is None:
        say("It has no thresholds: the other holder must give --edits.")
    elif not rule.sound:
        say(
            f"The threshold {rule.kind} may miss names that are within {edits or 0} edits; neighbours, lengths and sqrt_k do not."
        )
    say(f"{key} stays with you: without it the pairs cannot be opened, not even by you.")


def _counted(batches: Iterable[list[str]], stage: Callable[[str], None]) -> Iterator[list[str]]:
    """The batches; says how many names have gone by."""
    seen = 0
    for batch in batches:
        yield batch
        seen += len(batch)
        stage(f"{seen:,} names")
