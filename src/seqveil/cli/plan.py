"""`seqveil plan`: what accuracy to expect, and which ε an accuracy needs. Reads no data, spends nothing."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Annotated, Any

import typer

from seqveil.cli import options as o
from seqveil.cli.config import use_config
from seqveil.cli.console import Json, command, emit, progress, say, table, tell
from seqveil.cli.groups import names, takes
from seqveil.cli.ordering import Collected, length_of_journeys, one_record_each, parameters_of, unheard, untangled
from seqveil.cli.publish import publish
from seqveil.cli.reading import Description, Domain, described
from seqveil.cli.sources import domain_of, kind_of, unit_of
from seqveil.errors import CallError, InputProblems
from seqveil.sources.layout import ENDS

USUAL = str(inspect.signature(publish).parameters["method"].default)
"""The method that `publish` uses if none is named."""

REPEATED = ("domain", "method", "kind", "delta", "unit", "max_sequences", *names(Description))
"""What a plan and the command that it prints have in common."""


class Question:
    """Plan."""

    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE...]", help="Repeated in the printed command. A plan never opens it.")
    ] = None
    domain: Domain
    size: Annotated[int | None, typer.Option(min=1, help="Rough public number of users (--unit user) or records.")] = None
    epsilon: Annotated[str, typer.Option(help="Privacy budgets to compare, as decimals separated by commas.")] = "0.5,1,2"
    delta: o.Delta = None
    length: Annotated[float | None, typer.Option(min=1, help="Rough public mean length of records. Default: 5.")] = None
    records_per_user: Annotated[
        float | None,
        typer.Option(
            min=1, help="For --unit user: rough public mean number of records per user; what the bound drops is then an error."
        ),
    ] = None
    target: Annotated[str | None, typer.Option(help="Accuracy to find the ε for, e.g. 'top 20 within 5%'.")] = None
    method: o.MethodName = USUAL
    like: Annotated[Path | None, typer.Option(help="PUBLIC or simulated sample to plan with.")] = None
    kind: Annotated[str | None, typer.Option(help="Kind of data in the file, if the method accepts several.")] = None
    unit: o.UnitName = None
    max_sequences: o.MaxSequences = None
    k: Annotated[int, typer.Option("--k", min=1, help="Edges that one secret may change (--unit edge); one edge has ε/k.")] = 1


class Running:
    """Run options."""

    config: Annotated[
        Path | None,
        typer.Option(callback=use_config, is_eager=True, help="Read method parameters and options from a TOML file."),
    ] = None
    as_json: Json = False


@takes(Question, ..., Description, Running)
def plan(context: typer.Context, **given: Any) -> None:
    """Predict the accuracy of a release, or find the ε that an accuracy needs. Reads no data and spends nothing.

    Example: seqveil plan --domain 1..17 --size 200000 --epsilon 0.5,1,2 --target 'top 20 within 5%'
    """
    given, words = untangled(context, given)
    wrong = Collected([*unheard(given), *length_of_journeys(given)])
    nothing: tuple[dict[str, Any], str] = ({}, given["method"])
    parameters, name = wrong.or_else(lambda: parameters_of(context, {**given, "like": None}, words), nothing)
    order = wrong.or_else(lambda: _ordered(given, name, parameters), None)
    if wrong.lines or order is None:
        raise InputProblems("", wrong.lines)
    for line in one_record_each(given, order["kind"], ""):
        say(f"warning: {line}")
    forecast = _simulated(given, order)
    pasted = _command(order["verb"], given, words, forecast)
    if given["as_json"]:
        return emit({**forecast.to_dict(), "command": pasted})
    _show(forecast, pasted, given)


plan.settings = {"allow_extra_args": True, "ignore_unknown_options": True}  # type: ignore[attr-defined]


def _ordered(given: dict[str, Any], name: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Everything that is wrong with a plan at once."""
    from seqveil.registry import make, method

    chosen = method(name)
    if chosen.verb == "stream":
        dry = "`seqveil stream count --where '>= 5' --length 100000 --epsilon 1 --dry-run`"
        raise CallError(f"{name} answers a stream: its error bounds follow from a formula, which {dry} shows.")
    wrong = Collected()
    domain = wrong.or_else(lambda: domain_of(given["domain"], given["file"]), None)
    mechanism = wrong.or_else(lambda: make(name, parameters), None)
    kind = wrong.or_else(lambda: kind_of(given["kind"], chosen.kind), None)
    # The unit of a user needs no column here, because nothing is read.
    user = given["user"] or ("user" if given["unit"] == "user" else None)
    unit = wrong.or_else(lambda: unit_of(given["unit"], user, given["max_sequences"], kind, given["k"]), None)
    if wrong.lines:
        raise InputProblems("", wrong.lines)
    return {"verb": chosen.verb, "mechanism": mechanism, "domain": domain, "kind": kind, "unit": unit}


def _simulated(given: dict[str, Any], order: dict[str, Any]) -> Any:
    from seqveil.planning.plan import plan as foreseen
    from seqveil.sources.source import Source

    like = None
    if given["like"] is not None:
        say(f"warning: {given['like']} is read as it is: it must be public or simulated. It influences this plan only.")
        like = Source(given["like"], order["domain"], order["kind"], **described(given)).read()
    with progress("planning", quiet=given["as_json"]) as stage:
        return foreseen(
            order["mechanism"],
            order["domain"],
            given["size"],
            [one.strip() for one in given["epsilon"].split(",")],
            unit=order["unit"],
            length=ENDS if given["origin"] else given["length"],
            same_length=bool(given["origin"]),
            target=given["target"],
            like=like,
            kind=order["kind"],
            records_per_user=given["records_per_user"],
            delta=given["delta"],
            on_step=stage,
        )


def _command(verb: str, given: dict[str, Any], words: list[str], forecast: Any) -> str:
    """The command that makes the release: with the ε of the target, else with the least that comes without a warning."""
    from seqveil.wall.budget import decimal

    answer = forecast.answer
    planned = list(dict.fromkeys([*forecast.outcomes, *forecast.notes]))
    calm = [epsilon for epsilon in planned if not forecast.warnings(epsilon)]
    epsilon = decimal(answer.epsilon) if answer and answer.epsilon else next(iter([*calm, planned[-1]]))
    default = {name: option.default for name, option in inspect.signature(plan).parameters.items()}
    files = given["file"] or "FILE"
    typed: list[object] = [verb, *(files if isinstance(files, tuple) else [files])]
    for name in REPEATED:
        if given[name] != default[name] or name == "method":
            typed += _words(name, given[name])
    return command(*typed, *words, "--public-because", o.TO_FILL_IN, "--epsilon", epsilon, "--out", "release/")


def _words(name: str, value: object) -> list[object]:
    option = name.replace("_", "-")
    if isinstance(value, bool):
        return [f"--{option}" if value else f"--no-{option}"]
    return [f"--{option}", value]


def _show(forecast: Any, pasted: str, given: dict[str, Any]) -> None:
    header, rows = forecast.table
    if rows:
        table(header, rows)
        say(_about(forecast))
        if forecast.remark:
            say(f"{forecast.remark[0].upper()}{forecast.remark[1:]}.")
    else:
        say(f"{forecast.facts['method']}: data of this kind is not simulated; these statements follow from formulas alone.")
        for epsilon, sentences in forecast.closed.items():
            for sentence in sentences:
                tell(f"ε = {epsilon}{forecast.at}: {sentence}")
    for epsilon in dict.fromkeys([*forecast.notes, *forecast.outcomes]):
        for sentence in forecast.warnings(epsilon):
            say(f"warning: ε = {epsilon}{forecast.at}: {sentence}")
    for sentence in forecast.everywhere:
        say(f"warning: {sentence}")
    if forecast.answer is not None:
        tell(forecast.answer.sentence)
    if forecast.answer is None:
        say("Choose the ε that your purpose needs; --target 'top 20 within 5%' finds it.")
    say(f"To make the release, fill in {_to_fill_in(given)}: {pasted}")
    say(f"{'Nothing' if given['like'] is None else 'Nothing but the sample'} was read, and nothing was spent.")


def _to_fill_in(given: dict[str, Any]) -> str:
    """What a plan cannot know, and stands in capitals in the printed command."""
    file = "" if given["file"] else "FILE, its columns if it has any (--user, --item, --time), and "
    return f"{file}where the labels are published"


def _about(forecast: Any) -> str:
    """How to read the table."""
    if "sample" in next(iter(forecast.outcomes.values())):
        return "Records were drawn from the sample. Errors are relative; a count that is not released has an error of 100 %."
    return (
        f"Each cell: typical simulated data, and the range over {', '.join(next(iter(forecast.outcomes.values())))} data. "
        "Errors are relative; a count that is not released has an error of 100 %."
    )
