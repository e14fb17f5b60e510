"""`seqveil link merge`: the common base of the data holders. Post-processing of private releases; spends nothing."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from seqveil.cli.console import Json, emit, say
from seqveil.cli.ordering import Collected
from seqveil.errors import CallError, InputProblems

if TYPE_CHECKING:
    from seqveil.release.patterns import PatternRelease


def merge(
    bases: Annotated[list[Path], typer.Argument(metavar="BASE...", help="Folders from `link base`, one per data holder.")],
    out: Annotated[Path, typer.Option(help="File for the common base; must not exist.")],
    top: Annotated[int, typer.Option(help="Number of n-grams: the most frequent over all data holders.")] = 75,
    as_json: Json = False,
) -> None:
    """Either data holder: merge both bases into one. Uses the releases only, so it spends nothing. Send it to the other one.

    Example: seqveil link merge base-a/ base-b/ --top 75 --out base.json
    """
    from seqveil.link.base import Base
    from seqveil.link.whole import refuse_existing

    wrong = Collected()
    wrong.or_else(lambda: refuse_existing(out, "--out"), None)
    releases = [wrong.or_else(partial(_grams, folder), None) for folder in bases]
    if len(bases) < 2:
        wrong.lines.append("only one base is given: give one from each data holder, e.g. base-a/ base-b/")
    if wrong.lines:
        raise InputProblems("", wrong.lines)
    merged = Base.merge([release for release in releases if release is not None], top)
    merged.save(out)
    if as_json:
        facts = {"id": merged.id, "grams": len(merged), "private": merged.private, "sources": list(merged.sources)}
        return emit({"out": str(out), **facts})
    say(merged.spent)
    say(f"{out}: {len(merged):,} n-grams over {len(merged.alphabet.text):,} characters; its id begins with {merged.id[:12]}.")
    base = shlex.quote(str(out))
    say(f"Next, each data holder: seqveil link embed NAMES --column COLUMN --base {base} --edits 1 --out vectors/ --key rows.key")


def _grams(folder: Path) -> PatternRelease:
    from seqveil.release import load
    from seqveil.release.patterns import PatternRelease

    release = load(folder)
    if not isinstance(release, PatternRelease):
        raise CallError(
            f"{folder} holds {release.description}, not mined patterns: give a folder that `seqveil link base` wrote."
        )
    return release
