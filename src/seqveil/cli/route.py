"""`seqveil fenced route`: a trip that a group can share. Not about privacy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from seqveil.cli.console import Json, emit, say, tell
from seqveil.errors import CallError
from seqveil.whole import write_whole

if TYPE_CHECKING:
    from seqveil.fenced.routes import LocationGraph


def route(
    graph: Annotated[Path, typer.Argument(help="Roads: DIMACS .gr, GraphML .graphml, or California's .cedge (also .gz).")],
    users: Annotated[Path, typer.Option(help="Who travels: .yaml, .json, .toml or .csv; see docs/mechanisms/routes.md")],
    pois: Annotated[Path | None, typer.Option(help="Places: 'node category …' (.gr), 'lon lat category' (.cedge).")] = None,
    nodes: Annotated[Path | None, typer.Option(help="Coordinates of the nodes: California's .cnode.")] = None,
    attach: Annotated[bool, typer.Option("--attach", help="Make every place of --pois a node of its own (.cedge).")] = False,
    method: Annotated[str, typer.Option(help="exact, scaled (1 - ε of the best profit or more) or greedy (1/k).")] = "exact",
    order: Annotated[list[str] | None, typer.Option(help="Visit in this order: dinner,cinema. May be repeated.")] = None,
    quality: Annotated[Path | None, typer.Option(help="How good places are: .json with {node: 0 to 1}.")] = None,
    popularity: Annotated[Path | None, typer.Option(help="A Seqveil release of visits: how popular places are.")] = None,
    levels: Annotated[int, typer.Option(min=1, max=10, help="Steps of quality that are told apart.")] = 2,
    theta: Annotated[float, typer.Option(help="1: only profit counts; 0: only distance.")] = 1.0,
    epsilon: Annotated[float, typer.Option(help="The share of the profit that scaled may lose. No privacy budget.")] = 0.5,
    geojson: Annotated[Path | None, typer.Option(help="Also write the trip as GeoJSON.")] = None,
    picture: Annotated[Path | None, typer.Option(help="Also draw a small map into this .svg file.")] = None,
    as_json: Json = False,
) -> None:
    """Plan a trip that a group can share: everybody keeps to their own limit, and together they see what they like most.

    Example: seqveil fenced route rome99.gr --pois places.txt --users friends.yaml --order dinner,cinema
    """
    from seqveil.fenced.routes import plan, read_users

    if not as_json:
        say("FENCED - a planner, not a private method: it shows everybody's start, end and way to whoever reads the answer.")
    held = _graph(graph, pois, nodes, attach)
    trip = plan(
        held, read_users(users), method, order=[chain.split(",") for chain in order or []],
        quality=_quality(quality, popularity, held), levels=levels, theta=theta, epsilon=epsilon,
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
    """Read the roads in the format that the file's name tells."""
    from seqveil.fenced.routes import read_california, read_dimacs, read_graphml

    suffix = Path(graph.name.removesuffix(".gz")).suffix
    if suffix == ".graphml":
        return read_graphml(graph)
    if suffix == ".gr" and pois is not None:
        return read_dimacs(graph, pois)
    if suffix == ".cedge" and pois is not None and nodes is not None:
        return read_california(nodes, graph, pois, attach)
    needs = {".gr": "a .gr file needs --pois", ".cedge": "a .cedge file needs --nodes and --pois"}
    raise CallError(f"graph {graph.name!r}: {needs.get(suffix, 'the name must end in .gr, .cedge or .graphml (.gz is fine)')}.")


def _quality(quality: Path | None, release: Path | None, held: LocationGraph) -> dict[str, float] | None:
    """Quality from a file or from a release, not both."""
    if quality is not None and release is not None:
        raise CallError("give --quality or --popularity, not both.")
    if release is not None:
        from seqveil.fenced.routes import popularity
        from seqveil.release import load

        return popularity(load(release), held.ids)
    if quality is None:
        return None
    try:
        read = json.loads(quality.read_text(encoding="utf-8"))
        return {str(node): float(value) for node, value in read.items()}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise CallError(f"quality file {quality.name!r} is not a JSON object {{node: number}}: {error}.") from None
