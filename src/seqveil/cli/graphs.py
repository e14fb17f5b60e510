"""What `seqveil check` says of a graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqveil.cli.check import Checked

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain


def check_graph_file(file: list[Path], domain: Domain, description: dict[str, Any], **limits: Any) -> Checked:
    """INTERNAL: what is there, and whether the order of the vertices follows the edges."""
    from seqveil.sources import Source
    from seqveil.sources.check_graphs import check_graph

    # Nothing is released here, so the data holder is not asked about the order: this is where they learn about it.
    source = Source(file, domain, reader="graph", order_is_public=True, **description)
    facts = check_graph(source.read())
    order = facts["order"]
    rows = [
        ["vertices declared", f"{facts['vertices']['declared']:,}"],
        ["vertices without an edge", f"{facts['vertices']['without_edges']:,}"],
        ["edges kept (simple, inside the domain)", f"{facts['edges']:,}"],
        ["rank correlation of order and degree", f"{order['correlation_with_degree']:.3f}"],
        ["mean distance of an edge's ends in the order (1: as in a random order)", f"{order['mean_distance_of_ends']:.3f}"],
    ]
    degrees = [["edges per vertex", *(f"{value:,}" for value in facts["degrees"].values())]]
    remarks = (
        ["The order follows the degrees. If it was made from the edges, do not publish it: shuffle the domain."]
        if order["follows_degrees"]
        else []
    )
    grids = [(["quantity", "value"], rows), (["quantiles of", *facts["degrees"]], degrees)]
    return Checked(facts, source.description, grids, remarks)
