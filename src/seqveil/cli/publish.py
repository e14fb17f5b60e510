"""`seqveil publish`: a release with synthetic records."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from seqveil.cli import options as o
from seqveil.cli.groups import takes
from seqveil.cli.ordering import place_order
from seqveil.cli.reading import Description


@takes(o.Ordered, ..., Description, o.Repeated, o.Spending)
def publish(
    context: typer.Context,
    method: Annotated[str, typer.Option(help="How: see `seqveil methods`.")] = "ngram",
    k: Annotated[int, typer.Option("--k", min=1, help="How many edges are protected together (unit edge).")] = 1,
    order_is_public: Annotated[
        bool, typer.Option("--order-is-public", help="The order of a graph's vertices was made without looking at its edges.")
    ] = False,
    **given: Any,
) -> None:
    """Publish data about people with differential privacy. Parameters of the method are options of their own name.

    Example: seqveil publish trips.csv --user card --time ts --item station --domain stations.txt --epsilon 1 --out release/
    """
    place_order(context, "publish", {**given, "method": method, "k": k, "order_is_public": order_is_public})


publish.settings = {"allow_extra_args": True, "ignore_unknown_options": True}  # type: ignore[attr-defined]
