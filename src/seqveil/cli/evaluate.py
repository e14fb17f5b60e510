"""`seqveil evaluate`: how close a release, or a method, comes to the raw data. INTERNAL: exact numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seqveil.cli import options as o
from seqveil.cli.console import Json, banner, emit, progress, say, table
from seqveil.cli.groups import takes
from seqveil.cli.reading import Description, described
from seqveil.cli.sources import unit_of
from seqveil.errors import CallError
from seqveil.sources import Source

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain


@takes(..., Description)
def evaluate(
    context: typer.Context,
    raw: Annotated[
        Path, typer.Argument(metavar="RAW [RELEASE]", help="The data, and the folder of a release made from them, or --method.")
    ],
    domain: Annotated[str | None, typer.Option(help="The public labels, where no release says them.")] = None,
    method: Annotated[str | None, typer.Option(help="Make experiments with this method instead.")] = None,
    epsilon: Annotated[str | None, typer.Option(help="The budget of every experiment.")] = None,
    runs: Annotated[int, typer.Option(min=1, help="How many seeded experiments; mean and 95 % interval are given.")] = 5,
    seed: Annotated[int, typer.Option(min=0, help="The first seed.")] = 1,
    sources: Annotated[bool, typer.Option("--sources/--no-sources", help="Tell truncation, model and noise apart.")] = True,
    kind: Annotated[str | None, typer.Option(help="For sets: sets, or relational (one record per row).")] = None,
    unit: o.UnitName = None,
    max_sequences: o.MaxSequences = 1,
    as_json: Json = False,
    **description: Any,
) -> None:
    """INTERNAL: measure how close a release is to the raw data: counts, patterns, shapes, and where the error comes from.

    Example: seqveil evaluate trips.csv release/ --user card --time ts --item station
    Example: seqveil evaluate msnbc.seq.gz --domain 1..17 --method ngram --epsilon 1 --runs 5 --l-max 20
    """
    given = {**locals(), **description}
    release, words = split(context.args)
    parameters = o.extra_parameters(words)
    if release is not None and (method or epsilon or parameters):
        raise CallError("give either a RELEASE, or --method and --epsilon for experiments: not both.")
    found = _of_method(given, parameters) if release is None else _of_release(Path(release), given)
    if as_json:
        return emit(found)
    banner("INTERNAL")
    if "degree_divergence" in found:
        from seqveil.cli.graphs import show_evaluation

        return show_evaluation(found)
    if "sets" in found:
        from seqveil.cli.sets import show_evaluation

        return show_evaluation(found)
    show(found)


evaluate.settings = {"allow_extra_args": True, "ignore_unknown_options": True}  # type: ignore[attr-defined]


def split(words: Sequence[str]) -> tuple[str | None, list[str]]:
    """The folder of a release among the words that are no options of this verb, and a method's parameters.

    A second argument of the verb itself would swallow the value of the first parameter that the verb does not know.

    >>> split(["release/"]), split(["--l-max", "4", "release/"]), split(["--n-max=3"])
    (('release/', []), ('release/', ['--l-max', '4']), (None, ['--n-max=3']))
    """
    release: str | None = None
    rest: list[str] = []
    left = list(words)
    while left:
        word = left.pop(0)
        if release is None and not word.startswith("--"):
            release = word
            continue
        rest.append(word)
        if word.startswith("--") and "=" not in word and left and not left[0].startswith("--"):
            rest.append(left.pop(0))
    return release, rest


def raw_table(file: Path, domain: Domain, given: dict[str, Any]) -> Any:
    """The raw sequences as `publish` would read them."""
    source = Source(file, domain, **described(given))
    if not given.get("as_json"):
        say(f"reading {file} as {source.description}")
    return source.read()


def _of_release(release: Path, given: dict[str, Any]) -> dict[str, Any]:
    from seqveil.evaluate.evaluation import evaluate as measure
    from seqveil.release import load

    held = load(release)
    if held.content == "graph":
        from seqveil.cli.graphs import evaluate_graph

        return evaluate_graph(given["raw"], held, given)
    if held.content == "sets":
        from seqveil.cli.sets import evaluate_sets

        return evaluate_sets(given["raw"], held, given)
    with progress("evaluating", steps=7, quiet=given["as_json"]) as step:
        step("reading")
        return measure(raw_table(given["raw"], held.domain, given), held, sources=given["sources"], on_step=step)


def _of_method(given: dict[str, Any], parameters: dict[str, str]) -> dict[str, Any]:
    from seqveil.evaluate.experiments import experiments
    from seqveil.registry import make, method
    from seqveil.tables.domain import Domain

    missing = [f"--{name}" for name in ("domain", "method", "epsilon") if given[name] is None]
    if missing:
        raise CallError(f"without a RELEASE, experiments need {', '.join(missing)}: give them, or the folder of a release.")
    mechanism = make(given["method"], parameters, "publish")
    if method(given["method"]).kind == "graph":
        from seqveil.cli.graphs import evaluate_graph_method

        return evaluate_graph_method(mechanism, given)
    if method(given["method"]).kind == "sets":
        from seqveil.cli.sets import evaluate_sets_method

        return evaluate_sets_method(mechanism, given)
    unit = unit_of(given["unit"], given["user"], given["max_sequences"])
    labels = Domain.parse(given["domain"])
    with progress("evaluating", steps=given["runs"] + 1, quiet=given["as_json"]) as step:
        step("reading")
        sequences = raw_table(given["raw"], labels, given)
        return experiments(
            sequences, mechanism, given["epsilon"], given["runs"], unit, given["seed"], given["sources"], on_step=step
        )


def show(found: dict[str, Any]) -> None:
    """The numbers as tables for people."""
    made = found.get("release") or found["experiments"]
    runs = f", {made['runs']} experiments: mean [95 % interval]" if "experiments" in found else ""
    say(f"{made['method']}, ε = {made['epsilon']}{runs}")
    count, sources = found["count_error"], found.get("error_sources", {})
    header = ["mean relative error of counts, queries of up to", *map(str, count["full"])]
    rows = [["against the full data", *map(_number, count["full"].values())]]
    named = ("truncation", "model", "noise") if sources else ()
    rows += [[f"  of it {name}", *(_number(parts[name]) for parts in sources.values())] for name in named]
    rows += [["against the truncated data", *map(_number, count["truncated"].values())]]
    rows += [["records that begin with the query", *map(_number, found["other_queries"]["prefix"].values())]]
    table(header, rows)
    if not sources:
        say("Truncation, model and noise are not told apart: it was not wanted, or the model without noise does not fit.")
    visited = found["other_queries"]["visited_all"]
    say()
    table(["mean relative error, sets of up to", *map(str, visited)], [["visited all of these", *map(_number, visited.values())]])
    say()
    names = {
        "occurrences_truncated": "contiguous, by occurrences, truncated data",
        "documents_full": "contiguous, by records, full data",
        "gapped_documents": "with gaps, by records, full data",
    }
    for metric in ("true_positive_ratio", "utility_loss"):
        ks = next(iter(found["top_k"].values()))
        header = [f"top K patterns: {metric.replace('_', ' ')}, K =", *map(str, ks)]
        table(header, [[text, *(_number(v[metric]) for v in found["top_k"][name].values())] for name, text in names.items()])
        say()
    table(["shape", "value"], [[name.replace("_", " "), _number(value)] for name, value in found["shape"].items()])
    if "intervals" in found:
        say()
        share = found["intervals"]["covered"]
        table(["intervals", "value"], [["grams whose 95 % interval covers the true count", _number(share)]])


def _number(value: Any) -> str:
    """A metric as it is shown.

    >>> _number(0.12345), _number({"mean": 0.5, "low": 0.4, "high": 0.6}), _number(None)
    ('0.1235', '0.5000 [0.4000, 0.6000]', '-')
    """
    if isinstance(value, dict):
        if value["low"] is None:
            return _number(value["mean"])
        return f"{value['mean']:.4f} [{value['low']:.4f}, {value['high']:.4f}]"
    return "-" if value is None else f"{value:.4f}"
