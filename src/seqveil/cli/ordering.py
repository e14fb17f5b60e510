"""From what was typed to an order: what `publish` and `mine` share before anything is read or spent."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from seqveil.cli import options as o
from seqveil.cli.config import MORE_FILES, method_parameters
from seqveil.cli.console import say
from seqveil.cli.miscalls import before_the_verb
from seqveil.cli.process import output_closed
from seqveil.cli.reading import described
from seqveil.cli.releasing import Order, account_name, carry_out, done_once, refuse_place, show_plan
from seqveil.cli.sources import domain_of, kind_of, unit_of
from seqveil.errors import CallError, InputProblems
from seqveil.sources.layout import ENDS
from seqveil.sources.source import Source
from seqveil.surface import one_word

if TYPE_CHECKING:
    from seqveil.facts import Holder
    from seqveil.sources.name_source import NameSource
    from seqveil.tables.domain import Domain

Result = TypeVar("Result")


@dataclass
class Collected:
    """Everything that is wrong with a call, reported at once."""

    lines: list[str] = field(default_factory=list)

    def or_else(self, work: Callable[[], Result], otherwise: Result) -> Result:
        """What the work gives, or something else after noting what is wrong."""
        try:
            return work()
        except InputProblems as error:
            if error.total > error.MOST_SHOWN:  # one line with a list of its own, so that no other problem is crowded out
                self.lines.append(str(error))
            else:
                self.lines += [f"{error.source}: {problem}" if error.source else problem for problem in error.problems]
        except CallError as error:
            self.lines.append(str(error))
        return otherwise


def unheard(given: dict[str, Any]) -> list[str]:
    """A result that nobody could get is refused before it costs anything."""
    if given["as_json"] and output_closed():
        return ["--json prints on standard output, which is closed: open it, or leave out --json."]
    return []


def pointless(given: dict[str, Any], kind: str | None, unit: Any) -> list[str]:
    """Options that would be ignored: whoever typed one means a run other than the one that would be charged."""
    from seqveil.kinds import KINDS
    from seqveil.tables.units import Edge

    problems = length_of_journeys(given)
    engine = given.get("engine", "local")  # names are read on this machine only
    if engine not in ("local", "spark"):
        problems.append(f"--engine {engine!r} is unknown: use local or spark.")
    if engine != "spark" and (given.get("master") is not None or given.get("partitions") is not None):
        problems.append("--master and --partitions only apply to --engine spark: add that, or leave them out.")
    if given["size"] is not None and not given["dry_run"]:
        problems.append("--size only applies to --dry-run: add --dry-run to see the plan, or leave out --size.")
    if given.get("once") is not None and given["seed"] is not None:
        problems.append("--once only applies to releases, and a run with --seed is an experiment: leave out one of them.")
    if given["length"] is not None and not given["dry_run"]:
        problems.append("--length only applies to --dry-run: add --dry-run and --size to see the plan, or leave out --length.")
    if kind is not None and given.get("k", 1) != 1 and Edge not in KINDS[kind].unit_classes():
        problems.append("--k only applies to graphs: leave it out.")
    if kind is not None and given.get("order_is_public") and "order_is_public" not in KINDS[kind].unreleased:
        problems.append("--order-is-public only applies to graphs: leave it out.")
    if unit is not None and unit.name != "user" and given["max_sequences"] is not None:
        problems.append(f"--max-sequences only applies to --unit user, but the unit here is {unit.name}: leave it out.")
    return problems


def length_of_journeys(given: dict[str, Any]) -> list[str]:
    """Every journey has two items, so nobody can plan with another length."""
    wrong = given.get("origin") and given["length"] not in (None, ENDS)  # names have no columns of ends
    return ["--length does not apply to --origin and --destination: every journey has 2 items. Leave it out."] if wrong else []


def rows_alone(source: Source) -> bool:
    """Whether every row of an event log would be a record of its own, because nothing says which rows belong together."""
    events = source.decided_format in ("csv", "tsv", "events", "jsonl-events")
    return source.reader in ("sequences", "sets") and events and source.user is None and source.session == "none"


def one_record_each(given: dict[str, Any], reader: str, format: str) -> list[str]:
    """Whoever protects users and says nothing about their records publishes one record of each: said before anything is spent."""
    several = given["origin"] or given["session"] != "none" or format in ("jsonl", "xes") or reader == "relational"
    unit = given["unit"] or ("user" if given["user"] else "record")
    if unit != "user" or given["max_sequences"] is not None or not several:
        return []
    return [
        "no --max-sequences is given, so counts cover one record of each user, drawn at random, and not all records. Choose the "
        "number from what is publicly known about use, before you look at the data, for example --max-sequences 10 "
        "(docs/how-to/choose.md, 'max_sequences: how many records of one user?')."
    ]


def _warn_of_rows(source: Source) -> None:
    if rows_alone(source):
        say("warning: without --user COLUMN, every row is a separate record, and ε protects one row.")


def _warn_of_account(source: Source, given: dict[str, Any]) -> None:
    """A domain that was discovered cost something: where another account was charged for it, nobody adds both up."""
    from seqveil.discovery import account_of_discovery

    discovery, own = source.domain.discovered, account_of(given)
    if discovery is None or given["seed"] is not None or (charged := account_of_discovery(discovery)) == own:
        return
    there = "in another ledger than this one" if charged is None else f"under account {charged!r}"
    advice = "" if charged is None else f" If they are about the same people, use --account {one_word(charged)}."
    say(
        f"warning: the domain was discovered {there}, and this run is charged to {own!r}: what both cost is not added up.{advice}"
    )


def _announce(source: Source) -> None:
    """How a file of records would be read, and why not, from its name and the options alone: a dry run opens nothing."""
    from seqveil.sources.problems import call_problems

    if type(source) is not Source or source.reader not in ("sequences", "sets") or not source.is_file:
        return
    if (format := source.decided_format) is None:
        return
    layout = source.layout(format)
    say(f"would read {source.name} as {layout.describe()}")
    for problem in call_problems(layout, source.reader):
        say(f"warning: this run would be refused: {problem}")


def place_order(context: typer.Context, verb: str, given: dict[str, Any]) -> None:
    """An order is carried out, unless it is for once and was."""
    with done_once(given["as_json"]):
        _place_order(context, verb, given)


def _place_order(context: typer.Context, verb: str, given: dict[str, Any]) -> None:
    """Everything public first: a wrong call must fail before anything is read or spent."""
    from seqveil.registry import make, method
    from seqveil.wall.budget import grains
    from seqveil.wall.stated import check_stated
    from seqveil.wall.vault import delta_of

    given, words = untangled(context, given)
    if given["file"] is None:
        raise CallError(f"missing required argument: FILE. See {context.command_path} --help.")
    wrong = Collected(unheard(given))
    nothing: tuple[dict[str, Any], str] = ({}, given["method"])
    parameters, name = wrong.or_else(lambda: parameters_of(context, given, words), nothing)
    chosen = wrong.or_else(lambda: method(name, verb), None)
    domain = wrong.or_else(lambda: _domain(given), None)
    if domain and given.get("sample") is not None and not given["dry_run"]:
        vouched = wrong.or_else(lambda: _public_sample(given, domain), None)
        parameters = {**parameters, "sample": vouched}
    mechanism = wrong.or_else(lambda: make(name, parameters, verb), None) if chosen else None
    epsilon = wrong.or_else(lambda: grains(given["epsilon"]), 0)
    delta = wrong.or_else(lambda: delta_of(given["delta"]), 0)
    kind = wrong.or_else(lambda: kind_of(given["kind"], chosen.kind), None) if chosen else None
    unit = wrong.or_else(lambda: _unit(given, kind), None)
    wrong.lines += pointless(given, kind, unit)
    wrong.or_else(lambda: check_stated(holder_of(given)), None)
    source = wrong.or_else(lambda: _source(given, domain, kind), None) if domain and kind else None
    if not given["dry_run"]:
        wrong.or_else(lambda: refuse_again(given), None)  # before its folder, which is there already
        wrong.or_else(lambda: refuse_place(given["out"]), None)
        wrong.or_else(lambda: account_of(given), None)
        if source is not None:
            wrong.or_else(source.inspect, None)
    if wrong.lines or mechanism is None or unit is None or source is None:
        raise InputProblems("", wrong.lines)
    for line in one_record_each(given, source.reader, str(source.decided_format)):
        say(f"warning: {line}")
    if given["dry_run"]:
        order = order_of(given, mechanism=mechanism, unit=unit, epsilon=epsilon, delta=delta, source=source)
        if not given["as_json"]:
            _announce(source)
            _warn_of_rows(source)
        return show_plan(order, given["size"], ENDS if given["origin"] else given["length"])
    _warn_of_rows(source)
    _warn_of_account(source, given)
    if not given["as_json"]:
        say(f"reading {source.name} as {source.description}")
    source = source.stating(str(source.domain.public_because) if source.domain.discovered else why_public(given))
    carry_out(order_of(given, mechanism=mechanism, unit=unit, epsilon=epsilon, delta=delta, source=source))


def _domain(given: dict[str, Any]) -> Domain:
    if given["public_because"] == o.TO_FILL_IN:
        raise CallError(f"--public-because {o.TO_FILL_IN!r} is to be filled in: say where the list of labels is published.")
    return domain_of(given["domain"], given["file"], given["public_because"])


def _source(given: dict[str, Any], domain: Domain, kind: str) -> Source:
    """What is to be read. `pointless` refuses an order where there is no graph, so it is not repeated here."""
    from seqveil.kinds import KINDS

    order = "order_is_public" in KINDS[kind].unreleased and given.get("order_is_public", False)
    if given["engine"] != "spark":
        return Source(given["file"], domain, kind, order, **described(given))
    from seqveil.extras import need

    need("spark")
    from seqveil.sources.spark.source import SparkSource

    where = {"master": given["master"], "partitions": given["partitions"]}
    return SparkSource(given["file"], domain, kind, order, **described(given), **where)


def _unit(given: dict[str, Any], kind: str | None) -> Any:
    return unit_of(given["unit"], given["user"], given["max_sequences"], kind, given.get("k", 1))


def account_of(given: dict[str, Any]) -> str:
    """The ledger account: as typed, or from the file's name, where that says more than which pipe it was."""
    from seqveil.sources.spool import Spool

    if given["account"] is not None:
        return str(given["account"])
    if given["seed"] is None and not given["dry_run"] and Spool(_called(given["file"])).nameless:
        advice = "add --account NAME, the same name for the same people."
        raise CallError(f"cannot infer the account from {given['file']}, which has no name of its own: {advice}")
    return account_name(_called(given["file"]))


def _called(file: str | Path | tuple[str, ...]) -> Path:
    """The one file, or the pattern that several stand for."""
    from seqveil.sources.folder import name_of

    return name_of(file, [Path(one) for one in file]) if isinstance(file, tuple) else Path(file)


def refuse_again(given: dict[str, Any]) -> None:
    """A run that happens once, and has happened, is looked up before anything else about it is refused."""
    if given["once"] is not None and given["seed"] is None:
        from seqveil.wall.ledger import Ledger

        Ledger().refuse_again(account_of(given), given["once"])


def order_of(
    given: dict[str, Any], *, mechanism: Any, unit: Any, epsilon: int, source: Source | NameSource, delta: int = 0
) -> Order:
    """What was typed as an order."""
    return Order(
        mechanism=mechanism,
        unit=unit,
        epsilon=epsilon,
        input=source,
        out=given["out"],
        account=account_of(given),
        seed=given["seed"],
        as_json=given["as_json"],
        holder=holder_of(given),
        once=given.get("once"),
        delta=delta,
    )


def holder_of(given: dict[str, Any]) -> Holder:
    """What the data holder states about the release."""
    from seqveil.facts import Holder

    return Holder(dataset=given["dataset_name"], contact=given["contact"], purpose=given["purpose"])


def _public_sample(given: dict[str, Any], domain: Any) -> Any:
    """The records of `--sample`, described like the data. They are used as they are, so someone must vouch for them."""
    from seqveil.mine.twophase.sample import PublicSample

    because = given["sample_public_because"]
    if not because:
        raise CallError(
            "--sample is used without any protection: add --sample-public-because TEXT, stating why its records are public and "
            "are not among the protected ones (consent, an earlier publication, …)."
        )
    table = Source(given["sample"], domain, **described(given)).read()
    return PublicSample(table.domain, table.flat, because)


def untangled(context: typer.Context, given: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """What was typed, with `file` a tuple where there are several, and the words that are parameters of the method.

    Without a FILE, the first parameter of the method stands where it should: then the files are those of --config.
    """
    source = context.get_parameter_source("file")
    typed = [str(given["file"])] if source is not None and source.name == "COMMANDLINE" else []
    files, words = o.files_and_parameters([*typed, *context.args])
    if not files and (listed := (context.default_map or {}).get("file")) is not None:
        files = [str(listed), *context.meta.get(MORE_FILES, [])]
    return {**given, "file": tuple(files) if len(files) > 1 else next(iter(files), None)}, words


def parameters_of(context: typer.Context, given: dict[str, Any], words: list[str]) -> tuple[dict[str, Any], str]:
    """Parameters of the method: from --like, then --config, then the command line, the later ones winning."""
    from seqveil.registry import method, methods, parameters

    values: dict[str, Any] = {}
    name = given["method"]
    if given["like"] is not None:
        from seqveil.release import load

        like = load(given["like"]).manifest.mechanism
        name = like.name
        allowed = parameters(method(name))
        values.update({k: v for k, v in like.parameters.items() if k in allowed})
    if given["config"] is not None:
        values.update(method_parameters(given["config"]))
    typed = o.extra_parameters(words)
    if misplaced := [one for name in typed if (one := before_the_verb(f"--{name.replace('_', '-')}", context))]:
        raise CallError(f"{misplaced[0]}.")
    _suggest(typed, [word for option in context.command.params for word in option.opts], name)
    values.update(typed)
    journeys = given.get("origin") is not None
    if journeys and "l_max" not in values and name in methods() and "l_max" in parameters(methods()[name]):
        values["l_max"] = ENDS  # public: every journey has two items, and what is asked about longer records would be lost
    return values, name


def _suggest(typed: Iterable[str], options: list[str], name: str) -> None:
    """A misspelt option looks like a parameter of the method: say which one was meant.

    >>> _suggest(["itme"], ["--item", "--out"], "ngram")
    Traceback (most recent call last):
    seqveil.errors.CallError: unknown option --itme (did you mean --item?)
    """
    from seqveil.registry import methods, parameters

    allowed = parameters(methods()[name]) if name in methods() else {}
    options = [*options, *(f"--{parameter.replace('_', '-')}" for parameter in allowed)]
    for parameter in typed:
        word = f"--{parameter.replace('_', '-')}"
        near = get_close_matches(word, options, 2, 0.7)
        if parameter not in allowed and near:
            raise CallError(f"unknown option {word} (did you mean {' or '.join(near)}?)")


def why_public(given: dict[str, Any]) -> str | None:
    """Why the domain is public: asked for on a terminal, "not stated" with a warning in a pipe."""
    stated: str | None = given["public_because"]
    if stated or given["dry_run"]:
        return stated
    if sys.stdin.isatty() and sys.stderr.isatty() and not given["as_json"]:
        answer = typer.prompt("Why is the domain public?", default="", show_default=False, err=True)
        return str(answer) or None
    say("warning: no reason given for treating the domain as public; add --public-because TEXT to record one.")
    return None
