"""What the verbs do differently when a file or a release holds a graph."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqveil.cli.console import banner, command, emit, progress, say, table, tell
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


def check_graph_file(file: Path, domain: Domain, format: str | None, delimiter: str | None, header: bool, as_json: bool) -> None:
    """INTERNAL: what is there, and whether the order of the vertices follows the edges."""
    from seqveil.sources import Source
    from seqveil.sources.check_graphs import check_graph

    # Nothing is released here, so the holder is not asked about the order: this is where they find out.
    source = Source(file, domain, "graph", order_is_public=True, format=format, delimiter=delimiter, header=header)
    description, read = source.reading
    found = check_graph(read())
    if as_json:
        return emit(found)
    banner("INTERNAL")
    say(f"Read as {description}.")
    order = found["order"]
    rows = [
        ["vertices declared", f"{found['vertices']['declared']:,}"],
        ["vertices without an edge", f"{found['vertices']['without_edges']:,}"],
        ["edges kept (simple, inside the domain)", f"{found['edges']:,}"],
        ["rank correlation of order and degree", f"{order['correlation_with_degree']:.3f}"],
        ["distance of an edge's ends in the order (1: random)", f"{order['mean_distance_of_ends']:.3f}"],
    ]
    table(["what", "value"], rows)
    table(["per", *found["degrees"]], [["edges per vertex", *(f"{value:,}" for value in found["degrees"].values())]])
    if order["follows_degrees"]:
        say("The order follows the degrees. If it was made from the edges it must not be published: shuffle the domain.")


def evaluate_graph(raw: Path, held: Any, given: dict[str, Any]) -> dict[str, Any]:
    """INTERNAL: the artificial graph beside the real one."""
    from seqveil.evaluate.graphs import Graph, compare
    from seqveil.sources.graphs import read_graph

    described = {name: given[name] for name in ("format", "delimiter", "header")}
    real = read_graph(raw, domain=held.domain, order_is_public=True, **described)
    return compare(Graph.of(real), Graph.of(held))


def evaluate_graph_method(mechanism: Any, given: dict[str, Any]) -> dict[str, Any]:
    """INTERNAL: the same for seeded experiments with a method; numbers are means over the runs."""
    from seqveil.evaluate.graphs import Graph, compare
    from seqveil.sources.graphs import read_graph
    from seqveil.tables.domain import Domain
    from seqveil.tables.units import Edge
    from seqveil.wall.vault import experiment

    described = {name: given[name] for name in ("format", "delimiter", "header")}
    table = read_graph(given["raw"], domain=Domain.parse(given["domain"]), order_is_public=True, **described)
    found = []
    with progress("evaluating", steps=given["runs"], quiet=given["as_json"]) as step:
        for seed in range(given["seed"], given["seed"] + given["runs"]):
            step(f"experiment with seed {seed}")
            made = experiment(table, mechanism, given["epsilon"], seed=seed, unit=Edge())
            found.append(compare(Graph.of(table), Graph.of(made), number=5_000))
    return {**_mean(found), "experiments": {"method": mechanism.name, "epsilon": given["epsilon"], "runs": given["runs"]}}


def _mean(found: list[Any]) -> Any:
    """The mean of every number in equal trees of numbers.

    >>> _mean([{"a": 1, "b": {"c": 2.0}}, {"a": 2, "b": {"c": 4.0}}])
    {'a': 1.5, 'b': {'c': 3.0}}
    """
    if isinstance(found[0], dict):
        return {key: _mean([one[key] for one in found]) for key in found[0]}
    return found[0] if isinstance(found[0], bool) else sum(found) / len(found)


def show_evaluation(found: dict[str, Any]) -> None:
    """The comparison as tables for people."""
    cuts = found["cut_error"]
    table(
        ["mean relative error of cuts, vertices up to", *cuts],
        [
            ["any vertices", *(f"{e:.3f}" for e in cuts.values())],
            ["runs of the order", *(f"{e:.3f}" for e in found["cut_error_runs"].values())],
        ],
    )
    say()
    real, made = found["structure"]["real"], found["structure"]["made"]
    rows = [["edges", f"{found['edges']['real']:,.0f}", f"{found['edges']['made']:,.0f}"]]
    rows += [[name, f"{real[name]:.3f}", f"{made[name]:.3f}"] for name in real]
    table(["structure", "real", "made"], rows)
    say(f"KL divergence of degrees: {found['degree_divergence']:.3f}")
