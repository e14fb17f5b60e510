"""`seqveil link match`: the third party finds vectors that are close to each other. NOT differentially private."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from seqveil.cli.console import Json, emit, progress, say
from seqveil.cli.ordering import Collected
from seqveil.errors import InputProblems


def match(
    a: Annotated[Path, typer.Argument(metavar="VECTORS-A", help="Folder that one data holder's `link embed` wrote.")],
    b: Annotated[Path, typer.Argument(metavar="VECTORS-B", help="Folder of the other data holder.")],
    out: Annotated[Path, typer.Option(help="Folder for the pairs, for both data holders; must not exist.")],
    one_to_one: Annotated[
        bool, typer.Option("--one-to-one", help="Use each vector in at most one pair, nearest pairs first.")
    ] = False,
    most_pairs: Annotated[int | None, typer.Option(min=1, help="Fail beyond this number of pairs. Default: 100 million.")] = None,
    as_json: Json = False,
) -> None:
    """The third party: find the pairs of vectors within the thresholds. NOT differentially private.

    Example: seqveil link match vectors-a/ vectors-b/ --out pairs/
    """
    from seqveil.badge import BADGE
    from seqveil.link.matching import MOST_PAIRS
    from seqveil.link.matching import match as match_vectors
    from seqveil.link.vectors import Vectors
    from seqveil.link.whole import refuse_existing

    say(f"{BADGE}: pairs reveal to each data holder which of its people the other one has. For these two only.")
    wrong = Collected()
    wrong.or_else(lambda: refuse_existing(out, "--out"), None)
    with progress("matching", quiet=as_json) as stage:
        stage("loading")
        ours, theirs = (wrong.or_else(partial(Vectors.load, folder), None) for folder in (a, b))
        if wrong.lines or ours is None or theirs is None:
            raise InputProblems("", wrong.lines)
        pairs = match_vectors(
            ours, theirs, one_to_one, most_pairs or MOST_PAIRS, lambda done, of: stage(f"{done:,} of {of:,} vectors")
        )
        stage("writing")
        pairs.save(out)
    if as_json:
        vectors = {"a": len(ours), "b": len(theirs)}
        facts = {"vectors": vectors, "thresholds": pairs.thresholds, "pairs": len(pairs)}
        return emit({"out": str(out), "private": False, "base": pairs.base_id, **facts})
    if ours.reach is not None and theirs.reach is not None:
        say(f"Both folders have thresholds; those of {a}, the first one, were used.")
    say(f"{out}: {len(pairs):,} pairs among {len(ours):,} and {len(theirs):,} vectors. Send it to both data holders.")
