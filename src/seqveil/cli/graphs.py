"""What the verbs do differently when a file or a release holds a graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqveil.cli.console import banner, emit, progress, say, table

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain

def check_graph_file(file: Path, domain: Domain, format: str | None, delimiter: str | None, header: bool, as_json: bool) -> None:
    """INTERNAL: what is there, and whether the order of the vertices follows the edges."""
    from seqveil.sources.check_graphs import check_graph
    from seqveil.sources.graphs import inspect_graph

    # Nothing is released here, so the holder is not asked about the order: this is where they find out.
    description, read = inspect_graph(
        file, domain=domain, order_is_public=True, format=format, delimiter=delimiter, header=header
    )
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
