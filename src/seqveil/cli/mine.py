"""`seqveil mine`: a release with patterns and their noisy counts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from seqveil.cli import options as o
from seqveil.cli.groups import takes
from seqveil.cli.ordering import place_order
from seqveil.cli.reading import Description


@takes(o.Ordered, ..., Description, o.Where, o.Repeated, o.Spending, o.Stated)
def mine(
    context: typer.Context,
    method: o.MethodName = "two-phase",
    sample: Annotated[Path | None, typer.Option(help="PUBLIC sample for two-phase: used without any protection.")] = None,
    sample_public_because: Annotated[
        str | None, typer.Option(help="Why the sample is public, and not among the protected records.")
    ] = None,
    **given: Any,
) -> None:
    """Mine frequent patterns with differential privacy. Method parameters are options too, e.g. --top 60.

    The parameters of a method: seqveil mine --method pfs2 --help

    Example: seqveil mine clicks.seq --domain 1..17 --method two-phase --top 60 --epsilon 1 --out patterns/
    """
    vouched = {"sample": sample, "sample_public_because": sample_public_because}
    place_order(context, "mine", {**given, **vouched, "method": method})


mine.settings = {"allow_extra_args": True, "ignore_unknown_options": True}  # type: ignore[attr-defined]
