"""`seqveil link embed`: a data holder's names as vectors for the third party. NOT differentially private."""

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
    base: Annotated[Path, typer.Option(help="Common base that `link merge` wrote.")],
    out: Annotated[Path, typer.Option(help="Folder for the vectors, for the third party only; must not exist.")],
    key: Annotated[Path, typer.Option(help="SECRET: file for the row of each vector. Never send it. Must not exist.")],
    column: Column = None,
    edits: Annotated[
        int | None,
        typer.Option(help="Typing errors that still match; 0: equal names only. One data holder must give it."),
    ] = None,
    threshold: Annotated[
        str | None,
        typer.Option(help="Threshold: neighbours, lengths, sqrt_k (miss no pair), personal (may miss some), or a number."),
    ] = None,
    delimiter: Delimiter = None,
    as_json: Json = False,
) -> None:
    """Each data holder: write your own names as vectors for the third party. NOT differentially private.

    Example: seqveil link embed names.csv --column name --base base.json --edits 1 --out vectors-a/ --key rows-a.key
    """
    from seqveil.badge import BADGE
    from seqveil.link.base import Base
    from seqveil.link.pending import settle
    from seqveil.link.whole import refuse_existing
    from seqveil.link.writing import threshold_of, write_vectors
    from seqveil.sources.names import stream_names

    say(f"{BADGE}: with a list of common names, most names can be recovered from the vectors. For the third party only.")
    wrong = Collected()
    wrong.or_else(lambda: settle(key), None)
    wrong.or_else(lambda: refuse_existing(out, "--out"), None)
    wrong.or_else(lambda: refuse_existing(key, "--key"), None)
    common = wrong.or_else(lambda: Base.load(base), None)
    rule = wrong.or_else(lambda: threshold_of(threshold, edits), None)
    if rule is None and threshold is not None and not wrong.lines:
        wrong.lines.append(f"--threshold {threshold} depends on the number of edits: add --edits 1, or 0 for equal names")
    names: Iterable[list[str]] = wrong.or_else(lambda: stream_names(file, column, delimiter, ROWS), iter(()))
    if wrong.lines or common is None:
        raise InputProblems("", wrong.lines)
    with progress("embedding", quiet=as_json) as stage:
        written = write_vectors(common, _counted(names, stage), out, key, threshold, edits)
    left_out = {"empty": written.empty, "without_gram": written.without_gram}
    if as_json:
        facts = {"rows": written.rows, "vectors": written.vectors, "left_out": left_out, "thresholds": rule is not None}
        return emit({"out": str(out), "key": str(key), "private": False, "base": common.id, **facts})
    say(f"{out}: {written.vectors:,} vectors from {written.rows:,} names. Send it to the third party.")
    if written.empty or written.without_gram:
        say(f"Left out (internal, do not share): {written.empty:,} empty names, {written.without_gram:,} without a known n-gram.")
    if rule is None:
        say("It has no thresholds: the other data holder must give --edits.")
    elif not rule.sound:
        say(f"The threshold {rule.kind} may miss names within {edits or 0} edits; neighbours, lengths and sqrt_k miss none.")
    say(f"Keep {key}, and keep it secret: without it, not even you can open the pairs.")


def _counted(batches: Iterable[list[str]], stage: Callable[[str], None]) -> Iterator[list[str]]:
    """The batches; reports how many names have been read."""
    seen = 0
    for batch in batches:
        yield batch
        seen += len(batch)
        stage(f"{seen:,} names")
