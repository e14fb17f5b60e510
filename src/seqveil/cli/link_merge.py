"""`seqveil link merge`: the common base of the holders. Post-processing of private releases; spends nothing."""

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
    bases: Annotated[list[Path], typer.Argument(metavar="BASE...", help="Folders that `link base` wrote, one of each holder.")],
    out: Annotated[Path, typer.Option(help="The file that the common base becomes; must not exist.")],
    top: Annotated[int, typer.Option(help="How many grams: the most frequent of all holders together.")] = 75,
    as_json: Json = False,
) -> None:
    """Either holder: make one base of both. Uses the releases alone, so it spends nothing. Send it to the other holder.

    Example: seqveil link merge base-a/ base-b/ --top 75 --out base.json
    """
    from seqveil.link.base import Base
    from seqveil.link.whole import refuse_existing

    wrong = Collected()
    wrong.or_else(lambda: refuse_existing(out, "--out"), None)
    found = [wrong.or_else(partial(_grams, folder), None) for folder in bases]
    if len(bases) < 2:
        wrong.lines.append("there is only one base: give one of each holder, such as base-a/ base-b/")
    if wrong.lines:
        raise InputProblems("this call", wrong.lines)
    merged = Base.merge([release for release in found if release is not None], top)
    merged.save(out)
    if as_json:
        known = {"id": merged.id, "grams": len(merged), "private": merged.private, "sources": list(merged.sources)}
        return emit({"out": str(out), **known})
    say(merged.spent)
    say(f"{out}: {len(merged):,} grams over {len(merged.alphabet.text):,} characters; its id begins with {merged.id[:12]}.")
    base = shlex.quote(str(out))
    say(f"Next, each holder: seqveil link embed NAMES --column COLUMN --base {base} --edits 1 --out vectors/ --key rows.key")


def _grams(folder: Path) -> PatternRelease:
    from seqveil.release import load
    from seqveil.release.patterns import PatternRelease

    release = load(folder)
    if not isinstance(release, PatternRelease):
        raise CallError(f"{folder} holds {release.content}, not grams: give a folder that `seqveil link base` wrote.")
    return release
