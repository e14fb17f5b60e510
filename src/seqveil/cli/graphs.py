"""What the verbs `check`, `query` and `inspect` do differently for a graph."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqveil.cli.check import Checked
from seqveil.cli.console import banner, command, emit, say, table, tell
from seqveil.errors import CallError
from seqveil.notation import to_text
from seqveil.numbers import whole
from seqveil.whole import refuse_taken, write_whole

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain

_BOUNDS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def query_graph(held: Any, asked: Sequence[list[str]], degrees: str | None, as_json: bool) -> None:
    """Cuts ("A B | C D") and the histogram of degrees, with sure and likely bars."""
    answers = [*(held.count(labels) for labels in asked)]
    histogram = held.degree_histogram(_bounds(degrees)) if degrees is not None else []
    names = [*map(to_text, asked), *(f"vertices with {d} edges or more" for d, _ in histogram)]
    answers += [answer for _, answer in histogram]
    if not answers:
        raise CallError("give a cut such as 'A B | C D', or --degrees 1,10,100.")
    if as_json:
        told = [{"query": name, **answer.to_json()} for name, answer in zip(names, answers, strict=True)]
        return emit({"release": held.manifest.release, "private": held.manifest.private, "answers": told})
    if not held.manifest.private:
        banner("EXPERIMENT")
    rows = [
        [name, f"{round(a.value):,}", f"{a.low:,}", f"{a.high:,}", f"{a.likely[0]:,}..{a.likely[1]:,}" if a.likely else "-"]
        for name, a in zip(names, answers, strict=True)
    ]
    table(["query", "count", "low", "high", "likely"], rows)
    say("low to high covers the true count with probability 95 % or more, whatever the graph is; likely is a narrower guess")
    say("that takes edges to lie evenly inside each region of the density map (or noise to be normal): a hint, no promise.")


def _bounds(text: str) -> list[int]:
    """The degrees to tell about.

    >>> _bounds("1, 10,3"), _bounds("all")[:4]
    ([1, 3, 10], [1, 2, 5, 10])
    """
    if text == "all":
        return list(_BOUNDS)
    try:
        return sorted({whole(word) for word in text.split(",")})
    except ValueError:
        raise CallError(f"--degrees {text!r}: give whole numbers such as 1,10,100, or all.") from None


def write_picture(held: Any, release: Path, picture: Path) -> None:
    """The density map as a drawing in a new file; a release without one is refused."""
    from seqveil.release.graphs.picture import as_svg

    if getattr(held, "regions", None) is None:
        what = "this graph has no density map" if held.content == "graph" else f"{release} holds {held.content}"
        raise CallError(
            f"--picture: {what}; only graphs made by der or graph-random have a map to draw. "
            f"For a page with pictures: {command('report', release)}"
        )
    refuse_taken(picture, "give another name with --picture")
    write_whole(picture, as_svg(held.regions, len(held.domain)).encode())


def draw_map(held: Any) -> None:
    """The density map on the terminal."""
    from seqveil.release.graphs.picture import as_text

    tell()
    tell(f"Synthetic graph: {len(held.domain):,} vertices, {len(held.low):,} edges.")
    if held.regions is None:
        return
    tell(f"Density map: {len(held.regions):,} regions; vertices run down and to the right, dark is dense (logarithmic).")
    for line in as_text(held.regions, len(held.domain)):
        tell(line)


def check_graph_file(file: Path, domain: Domain, description: dict[str, Any], **limits: Any) -> Checked:
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
