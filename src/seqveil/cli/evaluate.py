"""`seqveil evaluate`: how close a release, or a method, is to the raw data. INTERNAL: exact numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seqveil.cli import options as o
from seqveil.cli.console import Json, banner, emit, progress, say, table
from seqveil.cli.groups import takes
from seqveil.cli.reading import Description, described
from seqveil.cli.sources import domain_of, kind_of, unit_of
from seqveil.errors import CallError
from seqveil.sources import Source

if TYPE_CHECKING:
    from seqveil.evaluate import Comparison
    from seqveil.release import Release
    from seqveil.tables.domain import Domain


@takes(..., Description)
def evaluate(
    context: typer.Context,
    raw: Annotated[
        Path, typer.Argument(metavar="RAW... [RELEASE]", help="Raw data, and the folder of a release made from it (or --method).")
    ],
    domain: Annotated[str | None, typer.Option(help="Public labels; with a RELEASE its own are used.")] = None,
    method: Annotated[str | None, typer.Option(help="Method to run seeded experiments with, instead of a RELEASE.")] = None,
    epsilon: Annotated[str | None, typer.Option(help="Privacy budget of every experiment.")] = None,
    runs: Annotated[int, typer.Option(min=1, help="Number of experiments; shows the mean and its 95 % interval.")] = 5,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first experiment.")] = 1,
    sources: Annotated[
        bool, typer.Option("--sources/--no-sources", help="Split the error into truncation, model and noise.")
    ] = True,
    kind: Annotated[str | None, typer.Option(help="Kind of data, if not the method's own: relational is read as sets.")] = None,
    unit: o.UnitName = None,
    max_sequences: o.MaxSequences = None,
    as_json: Json = False,
    **description: Any,
) -> None:
    """INTERNAL: measure how close a release is to the raw data it was made from. Do not share the output.

    Works for sequences, sets, relational tables and graphs, for published and for mined releases.

    Example: seqveil evaluate trips.csv release/ --user card --time ts --item station
    Example: seqveil evaluate msnbc.seq.gz --domain 1..17 --method ngram --epsilon 1 --runs 5 --l-max 20
    """
    given = {**locals(), **description}
    files, words = o.files_and_parameters([str(raw), *context.args])
    release = files.pop() if len(files) > 1 and (method is None or _is_release(files[-1])) else None
    given["raw"] = files
    parameters = o.extra_parameters(words)
    if release is not None and (method or epsilon or parameters):
        raise CallError("both a RELEASE and a method were given: give the RELEASE alone, or --method and --epsilon, not both.")
    show(_of_method(given, parameters) if release is None else _of_release(Path(release), given), as_json)


evaluate.settings = {"allow_extra_args": True, "ignore_unknown_options": True}  # type: ignore[attr-defined]


def _is_release(word: str) -> bool:
    return (Path(word) / "manifest.json").exists()


def raw_table(file: Path | list[str], domain: Domain, given: dict[str, Any], reader: str = "sequences") -> Any:
    """The raw data as `publish` would read it."""
    from seqveil.kinds import kind

    source = Source(file, domain, reader=reader, **kind(reader).unreleased, **described(given))
    if not given.get("as_json"):
        say(f"reading {source.name} as {source.description}")
    return source.read()


def kind_of_release(release: Release) -> str:
    """The kind of data that a release was made from: what its method works on, else what can hold such a content."""
    from seqveil.kinds import kinds_with
    from seqveil.registry import method

    try:
        return method(release.manifest.mechanism.name).kind
    except CallError:  # a method that this Seqveil does not have
        return next((kind.name for kind in kinds_with(content=release.content)), "sequences")


def _refuse_unlisted(reader: str) -> None:
    """Data of which no label is public cannot be read over the labels that were found: the others are what would be compared."""
    from seqveil.kinds import kind

    if kind(reader).unlisted:
        raise CallError("a discovery of labels is not compared with the data: evaluate a release over its domain instead.")


def _of_release(folder: Path, given: dict[str, Any]) -> Comparison:
    from seqveil.evaluate import compare
    from seqveil.release import load

    release = load(folder)
    reader = kind_of(given["kind"], kind_of_release(release))
    _refuse_unlisted(reader)
    with progress("evaluating", steps=9, quiet=given["as_json"]) as step:
        step("reading")
        raw = raw_table(given["raw"], release.domain, given, reader)
        return compare(raw, release, sources=given["sources"], on_step=step)


def _of_method(given: dict[str, Any], parameters: dict[str, str]) -> Comparison:
    from seqveil.evaluate import compare_runs
    from seqveil.registry import make, method

    missing = [f"--{name}" for name in ("domain", "method", "epsilon") if given[name] is None]
    if missing:
        raise CallError(f"without a RELEASE, experiments need {', '.join(missing)}: add them, or give the folder of a release.")
    if method(given["method"]).verb == "stream":
        raise CallError(f"--method {given['method']} answers a stream: `seqveil stream … --dry-run` shows the error to expect.")
    mechanism = make(given["method"], parameters)
    reader = kind_of(given["kind"], mechanism.kind)
    _refuse_unlisted(reader)
    unit = unit_of(given["unit"], given["user"], given["max_sequences"], reader)
    with progress("evaluating", steps=given["runs"] + 1, quiet=given["as_json"]) as step:
        step("reading")
        raw = raw_table(given["raw"], domain_of(given["domain"], given["raw"]), given, reader)
        repeated = {"unit": unit, "first_seed": given["seed"], "sources": given["sources"]}
        return compare_runs(raw, mechanism, given["epsilon"], given["runs"], **repeated, on_step=step)


def show(comparison: Comparison, as_json: bool) -> None:
    """The numbers as one JSON object, or as tables for people."""
    if as_json:
        return emit(comparison.to_dict())
    banner("INTERNAL")
    say(comparison.headline)
    for place, grid in enumerate(comparison.grids):
        if place:
            say()
        table(grid.header, grid.rows)
        if grid.remark:
            say(grid.remark)
