"""`seqveil fenced route`: a trip that a group can share. Not about privacy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from seqveil.badge import BADGE
from seqveil.cli.console import Json, emit, say, tell
from seqveil.errors import CallError
from seqveil.extras import need
from seqveil.whole import write_whole

if TYPE_CHECKING:
    from seqveil.fenced.routes import LocationGraph


def route(
    graph: Annotated[Path, typer.Argument(help="Road map: DIMACS .gr, GraphML .graphml, or California's .cedge (also .gz).")],
    users: Annotated[Path, typer.Option(help="Travellers: .yaml, .json, .toml or .csv (see docs/mechanisms/routes.md).")],
    pois: Annotated[Path | None, typer.Option(help="Places: 'node category …' (.gr), 'lon lat category' (.cedge).")] = None,
    nodes: Annotated[Path | None, typer.Option(help="Coordinates of the nodes: California's .cnode.")] = None,
    categories: Annotated[
        Path | None, typer.Option(help="Tree of categories: lines 'category path', as in '12 food/pizza'.")
    ] = None,
    attach: Annotated[bool, typer.Option("--attach", help="Make every place of --pois a node of its own (.cedge).")] = False,
    method: Annotated[str, typer.Option(help="exact, scaled (at least 1 - ε of the best profit) or greedy (1/k).")] = "exact",
    order: Annotated[list[str] | None, typer.Option(help="Visit in this order: dinner,cinema. Can be repeated.")] = None,
    quality: Annotated[Path | None, typer.Option(help="Quality of places: .json with {node: 0 to 1}.")] = None,
    popularity: Annotated[Path | None, typer.Option(help="A release of visits, for the popularity of places.")] = None,
    levels: Annotated[int, typer.Option(min=1, max=10, help="Number of quality levels.")] = 2,
    theta: Annotated[float, typer.Option(help="Weight of profit against distance: 1 is profit only, 0 is distance only.")] = 1.0,
    epsilon: Annotated[float, typer.Option(help="Share of the profit that `scaled` may lose. Not a privacy budget.")] = 0.5,
    waiting: Annotated[float, typer.Option(help="What waiting for the others counts as: 0 nothing, 1 the same as travel.")] = 0.0,
    max_wait: Annotated[float | None, typer.Option(help="Nobody waits longer than this at the first stop (exact only).")] = None,
    coverage: Annotated[float, typer.Option(help="Share of their preferences that everybody must get (exact only).")] = 0.0,
    curve: Annotated[float, typer.Option(help="Power of everybody's coverage that counts; 0.5 is fairer (exact only).")] = 1.0,
    geojson: Annotated[Path | None, typer.Option(help="Also write the trip as GeoJSON.")] = None,
    picture: Annotated[Path | None, typer.Option(help="Also draw a small map into this .svg file.")] = None,
    as_json: Json = False,
) -> None:
    """Plan a trip that a group can share: nobody exceeds their own limit, and together they visit what they like most.

    Example: seqveil fenced route rome99.gr --pois places.txt --users friends.yaml --order dinner,cinema
    """
    from seqveil.fenced.routes import plan, read_categories, read_users

    if picture is not None:
        need("plots")
    if not as_json:
        say(f"{BADGE}: a planner. Its output shows the start, end and route of every traveller.")
    travellers = read_users(users)
    roads = _graph(graph, pois, nodes, attach)
    if categories is not None:
        roads = roads.named(read_categories(categories))
    trip = plan(
        roads, travellers, method, order=[chain.split(",") for chain in order or []],
        quality=_quality(quality, popularity, roads), levels=levels, theta=theta, epsilon=epsilon,
        waiting=waiting, max_wait=max_wait, coverage=coverage, curve=curve,
    )  # fmt: skip
    if trip.found and geojson:
        write_whole(geojson, json.dumps(trip.geojson(), ensure_ascii=False).encode(), overwrite=True)
    if trip.found and picture:
        trip.picture(picture)
    if as_json:
        emit(trip.to_json())
    else:
        for line in trip.explain().splitlines():
            tell(line)
    if not trip.found:
        raise typer.Exit(1)


def _graph(graph: Path, pois: Path | None, nodes: Path | None, attach: bool) -> LocationGraph:
    """The road map, in the format that its file name implies."""
    from seqveil.fenced.routes import read_california, read_dimacs, read_graphml

    suffix = Path(graph.name.removesuffix(".gz")).suffix
    if suffix == ".graphml":
        return read_graphml(graph)
    if suffix == ".gr" and pois is not None:
        return read_dimacs(graph, pois)
    if suffix == ".cedge" and pois is not None and nodes is not None:
        return read_california(nodes, graph, pois, attach)
    needs = {".gr": "a .gr file needs --pois", ".cedge": "a .cedge file needs --nodes and --pois"}
    raise CallError(f"graph {graph.name!r}: {needs.get(suffix, 'its name must end in .gr, .cedge or .graphml, plain or .gz')}.")


def _quality(quality: Path | None, release: Path | None, roads: LocationGraph) -> dict[str, float] | None:
    """Quality from a file or from a release, not both."""
    if quality is not None and release is not None:
        raise CallError("--quality and --popularity exclude each other: give one of them.")
    if release is not None:
        from seqveil.fenced.routes import popularity
        from seqveil.release import load

        return popularity(load(release), roads.ids)
    if quality is None:
        return None
    try:
        values = json.loads(quality.read_text(encoding="utf-8"))
        return {str(node): float(value) for node, value in values.items()}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise CallError(f"quality file {quality.name!r} is not a JSON object {{node: number}}: {error}.") from None
