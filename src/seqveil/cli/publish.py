"""`seqveil publish`: a release with synthetic records."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from seqveil.cli import options as o
from seqveil.cli.groups import takes
from seqveil.cli.ordering import place_order
from seqveil.cli.reading import Description, OrderIsPublic


@takes(o.Ordered, ..., Description, o.Where, o.Repeated, o.Spending, o.Stated)
def publish(
    context: typer.Context,
    method: o.MethodName = "record-model",
    k: Annotated[int, typer.Option("--k", min=1, help="Edges that one secret may change (--unit edge); one edge has ε/k.")] = 1,
    order_is_public: OrderIsPublic = False,
    **given: Any,
) -> None:
    """Publish synthetic data with differential privacy. Method parameters are options too, e.g. --l-max 20.

    The parameters of a method: seqveil publish --method ngram --help

    Example: seqveil publish trips.csv --user card --time ts --item station --domain stations.txt --epsilon 1 --out release/
    """
    place_order(context, "publish", {**given, "method": method, "k": k, "order_is_public": order_is_public})


publish.settings = {"allow_extra_args": True, "ignore_unknown_options": True}  # type: ignore[attr-defined]
