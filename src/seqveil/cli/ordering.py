"""From what was typed to an order: what `publish` and `mine` share before anything is read or spent."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from typing import Any, TypeVar

import typer

from seqveil.cli import options as o
from seqveil.cli.config import read_config
from seqveil.cli.console import say
from seqveil.cli.process import output_closed
from seqveil.cli.reading import described
from seqveil.cli.releasing import Order, account_name, carry_out, refuse_place, show_plan
from seqveil.cli.sources import Source, format_of, kind_of, open_source, read_specimen, unit_of
from seqveil.errors import CallError, InputProblems

Found = TypeVar("Found")


@dataclass
class Collected:
    """What is wrong with a call, all of it: a user who mends one thing should not meet the next one afterwards."""

    lines: list[str] = field(default_factory=list)

    def or_else(self, work: Callable[[], Found], otherwise: Found) -> Found:
        """What the work gives, or something else after noting what is wrong."""
        try:
            return work()
        except InputProblems as error:
            if error.total > error.MOST_SHOWN:  # one line with a list of its own, so that no other problem is crowded out
                self.lines.append(str(error))
            else:
                self.lines += [f"{error.source}: {problem}" for problem in error.problems]
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
    found = []
    if given["size"] is not None and not given["dry_run"]:
        found.append("--size is for --dry-run: add --dry-run to see the plan, or leave out --size.")
    if kind is not None and kind != "graph" and (given.get("k", 1) != 1 or given.get("order_is_public")):
        found.append("--k and --order-is-public are for graphs: leave them out.")
    if unit is not None and unit.name != "user" and given["max_sequences"] != 1:
        found.append(f"--max-sequences is for --unit user, but this run protects every {unit.name}: leave it out.")
    return found


def rows_alone(kind: str, source: Source) -> bool:
    """Whether every row of an event log would be a record of its own, because nothing says which rows belong together."""
    events = format_of(kind, source) in ("csv", "tsv", "events", "jsonl-events")
    return kind in ("sequences", "sets") and events and source.user is None and source.session == "none"


@dataclass(frozen=True)
class FileInput:
    """The file of a command, and how it is read; an input of the wall."""

    kind: str
    domain: Any
    file: Any
    read: Callable[[], Any]
    specimen: Callable[[], Any]

    def chunks(self) -> Iterator[bytes]:
        chunks: Iterator[bytes] = self.file.chunks()
        return chunks


def place_order(context: typer.Context, verb: str, given: dict[str, Any]) -> None:
    """Everything public first: a wrong call must fail before anything is read or spent."""
    from seqveil.registry import make, method
    from seqveil.sources.spool import spooled
    from seqveil.tables.domain import Domain
    from seqveil.wall.budget import grains

    wrong = Collected(unheard(given))
    nothing: tuple[dict[str, Any], str] = ({}, given["method"])
    parameters, name = wrong.or_else(lambda: _parameters(context, given), nothing)
    chosen = wrong.or_else(lambda: method(name, verb), None)
    domain = wrong.or_else(lambda: Domain.parse(given["domain"]), None)
    if domain and given.get("sample") is not None and not given["dry_run"]:
        vouched = wrong.or_else(lambda: _public_sample(given, domain), None)
        parameters = {**parameters, "sample": vouched}
    mechanism = wrong.or_else(lambda: make(name, parameters, verb), None) if chosen else None
    epsilon = wrong.or_else(lambda: grains(given["epsilon"]), 0)
    kind = wrong.or_else(lambda: kind_of(given["kind"], chosen.kind), None) if chosen else None
    unit = wrong.or_else(lambda: _unit(given, kind), None)
    wrong.lines += pointless(given, kind, unit)
    if not given["dry_run"]:
        wrong.or_else(lambda: refuse_place(given["out"]), None)
        wrong.or_else(lambda: account_of(given), None)
    description, read, rehearse = "", unread, unread
    if domain and kind and not given["dry_run"]:
        given = {**given, "file": spooled(given["file"])}
        stated = {"order_is_public": given.get("order_is_public", False)}
        source = Source(file=given["file"], domain=domain, options=stated, **described(given))
        description, read = wrong.or_else(lambda: open_source(kind, source), (description, read))
        rehearse = partial(read_specimen, kind, source)
        if rows_alone(kind, source):
            say("warning: without --user COLUMN every row is a record of its own, and ε protects one row.")
    if wrong.lines or mechanism is None or unit is None or domain is None:
        raise InputProblems("this call", wrong.lines)
    if description and not given["as_json"]:
        say(f"reading {given['file']} as {description}")
    because = why_public(given)
    domain = replace(domain.with_other() if given["outside"] == "other" else domain, public_because=because)
    order = order_of(given, mechanism=mechanism, unit=unit, domain=domain, epsilon=epsilon, read=read, rehearse=rehearse)
    if given["dry_run"]:
        show_plan(order, given["size"])
    else:
        carry_out(order)


def _unit(given: dict[str, Any], kind: str | None) -> Any:
    return unit_of(given["unit"], given["user"], given["max_sequences"], kind, given.get("k", 1))


def account_of(given: dict[str, Any]) -> str:
    """The ledger account: as typed, or from the file's name, where that says more than which pipe it was."""
    from seqveil.sources.spool import Spool

    if given["account"] is not None:
        return str(given["account"])
    if given["seed"] is None and not given["dry_run"] and Spool(given["file"]).nameless:
        raise CallError(f"{given['file']} has no name to take an account from: add --account NAME, the same for the same people.")
    return account_name(given["file"])


def order_of(
    given: dict[str, Any],
    *,
    mechanism: Any,
    unit: Any,
    domain: Any,
    epsilon: int,
    read: Callable[[], Any],
    rehearse: Callable[[], Any],
) -> Order:
    """What was typed as an order; the table will be over a domain that says why it is public."""

    def stating() -> Any:
        table = read()
        return replace(table, domain=replace(table.domain, public_because=domain.public_because))

    return Order(
        mechanism=mechanism,
        unit=unit,
        epsilon=epsilon,
        input=FileInput(mechanism.kind, domain, given["file"], stating, rehearse),
        out=given["out"],
        account=account_of(given),
        seed=given["seed"],
        as_json=given["as_json"],
    )


def _public_sample(given: dict[str, Any], domain: Any) -> Any:
    """The records of `--sample`, described like the data. They are used as they are, so someone must vouch for them."""
    from seqveil.mine.twophase.sample import PublicSample

    because = given["sample_public_because"]
    if not because:
        raise CallError(
            "--sample is used without any protection: add --sample-public-because TEXT, saying how you know that its records are "
            "public and are not among the protected ones (consent, an earlier publication, …)"
        )
    source = Source(file=given["sample"], domain=domain, **described(given))
    table = open_source("sequences", source)[1]()
    return PublicSample(table.domain, table.flat, because)


def unread() -> Any:
    raise AssertionError("a dry run reads nothing")


def _parameters(context: typer.Context, given: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Parameters of the method: from --like, then --config, then the command line, the later ones winning."""
    from seqveil.registry import method, parameters

    found: dict[str, Any] = {}
    name = given["method"]
    if given["like"] is not None:
        from seqveil.release import load

        made = load(given["like"]).manifest.mechanism
        name = made.name
        allowed = parameters(method(name))
        found.update({k: v for k, v in made.parameters.items() if k in allowed})
    if given["config"] is not None:
        found.update(read_config(given["config"]))
    typed = o.extra_parameters(context.args)
    _suggest(typed, [word for option in context.command.params for word in option.opts], name)
    found.update(typed)
    return found, name


def _suggest(typed: Iterable[str], options: list[str], name: str) -> None:
    """A misspelt option looks like a parameter of the method: say which one was meant.

    >>> _suggest(["itme"], ["--item", "--out"], "ngram")
    Traceback (most recent call last):
    seqveil.errors.CallError: there is no --itme: did you mean --item?
    """
    from seqveil.registry import methods, parameters

    known = parameters(methods()[name]) if name in methods() else {}
    options = [*options, *(f"--{parameter.replace('_', '-')}" for parameter in known)]
    for parameter in typed:
        word = f"--{parameter.replace('_', '-')}"
        near = get_close_matches(word, options, 2, 0.7)
        if parameter not in known and near:
            raise CallError(f"there is no {word}: did you mean {' or '.join(near)}?")


def why_public(given: dict[str, Any]) -> str | None:
    """How the holder knows that the domain is public: asked for on a terminal, "not stated" with a warning in a pipe."""
    stated: str | None = given["public_because"]
    if stated or given["dry_run"]:
        return stated
    if sys.stdin.isatty() and sys.stderr.isatty() and not given["as_json"]:
        answer = typer.prompt("How do you know that the domain is public?", default="", show_default=False, err=True)
        return str(answer) or None
    say("warning: it is not stated how you know that the domain is public; add --public-because TEXT.")
    return None
