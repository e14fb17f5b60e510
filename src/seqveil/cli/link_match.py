"""`seqveil link match`: the third party finds the vectors that lie close together. NOT differentially private."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from seqveil.cli.console import Json, emit, progress, say
from seqveil.cli.ordering import Collected
from seqveil.errors import InputProblems


def match(
    a: Annotated[Path, typer.Argument(metavar="VECTORS-A", help="The folder that one holder's `link embed` wrote.")],
    b: Annotated[Path, typer.Argument(metavar="VECTORS-B", help="The folder of the other holder.")],
    out: Annotated[Path, typer.Option(help="The folder of pairs, for both holders; must not exist.")],
    one_to_one: Annotated[
        bool, typer.Option("--one-to-one", help="Each vector in at most one pair: the nearest pairs first.")
    ] = False,
    most_pairs: Annotated[int | None, typer.Option(min=1, help="Give up beyond so many pairs. Default: 100 million.")] = None,
    as_json: Json = False,
) -> None:
    """The third party: find the pairs of vectors within reach of each other. NOT differentially private.

    Example: seqveil link match vectors-a/ vectors-b/ --out pairs/
    """
    from seqveil.badge import BADGE
    from seqveil.link.matching import MOST_PAIRS
    from seqveil.link.matching import match as match_vectors
    from seqveil.link.vectors import Vectors
    from seqveil.link.whole import refuse_existing

    say(f"{BADGE}: pairs tell each holder which of its people the other one has. For the two holders alone.")
    wrong = Collected()
    wrong.or_else(lambda: refuse_existing(out, "--out"), None)
    with progress("matching", quiet=as_json) as stage:
        stage("loading")
        ours, theirs = (wrong.or_else(partial(Vectors.load, folder), None) for folder in (a, b))
        if wrong.lines or ours is None or theirs is None:
            raise InputProblems("this call", wrong.lines)
        found = match_vectors(
            ours, theirs, one_to_one, most_pairs or MOST_PAIRS, lambda done, of: stage(f"{done:,} of {of:,} vectors")
        )
        stage("writing")
        found.save(out)
    if as_json:
        vectors = {"a": len(ours), "b": len(theirs)}
        facts = {"vectors": vectors, "thresholds": found.thresholds, "pairs": len(found)}
        return emit({"out": str(out), "private": False, "base": found.base_id, **facts})
    if ours.reach is not None and theirs.reach is not None:
        say(f"Both folders have thresholds; those of {a} were used, because it was named first.")
    say(f"{out}: {len(found):,} pairs among {len(ours):,} and {len(theirs):,} vectors. Send it to both holders.")
