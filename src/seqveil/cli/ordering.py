"""From what was typed to an order: what `publish` and `mine` share before anything is read or spent."""

from __future__ import annotations

import sys
from typing import Any

import typer

from seqveil.cli import options as o
from seqveil.cli.console import say
from seqveil.cli.releasing import Order, account_name, carry_out, show_plan
from seqveil.cli.sources import Source, open_source, unit_of


def place_order(context: typer.Context, verb: str, given: dict[str, Any]) -> None:
    """Everything public first: a wrong call must fail before anything is read or spent."""
    from seqveil.registry import make, method
    from seqveil.tables.domain import Domain
    from seqveil.wall.budget import grains

    parameters, name = _parameters(context, given)
    chosen = method(name, verb)
    mechanism = make(name, parameters, verb)
    domain = Domain.parse(given["domain"], public_because=_because(given))
    described = (
        "format",
        "user",
        "time",
        "item",
        "session",
        "timezone",
        "outside",
        "delimiter",
        "header",
        "time_unit",
        "time_format",
    )
    source = Source(file=given["file"], domain=domain, **{name: given[name] for name in described})
    seen = domain.with_other() if given["outside"] == "other" else domain  # what the table will be about
    unit = unit_of(given["unit"], given["user"], given["max_sequences"])
    description, read = ("", _unread) if given["dry_run"] else open_source(given["kind"] or chosen.kind, source)
    if description and not given["as_json"]:
        say(f"reading {given['file']} as {description}")
    order = Order(
        mechanism=mechanism,
        unit=unit,
        domain=seen,
        epsilon=grains(given["epsilon"]),
        file=given["file"],
        read=read,
        out=given["out"],
        account=given["account"] or account_name(given["file"]),
        seed=given["seed"],
        as_json=given["as_json"],
    )
    if given["dry_run"]:
        show_plan(order, given["size"])
    else:
        carry_out(order)


def _unread() -> Any:
    raise AssertionError("a dry run reads nothing")


def _parameters(context: typer.Context, given: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Parameters of the method: from --like, then --config, then the command line, the later ones winning."""
    import tomllib

    from seqveil.errors import CallError
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
        try:
            found.update(tomllib.loads(given["config"].read_text(encoding="utf-8")))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise CallError(f"--config {given['config']}: {error}") from None
    found.update(o.extra_parameters(context.args))
    return found, name


def _because(given: dict[str, Any]) -> str | None:
    """How the holder knows that the domain is public: asked for on a terminal, "not stated" with a warning in a pipe."""
    stated: str | None = given["public_because"]
    if stated or given["dry_run"]:
        return stated
    if sys.stdin.isatty() and sys.stderr.isatty() and not given["as_json"]:
        answer = typer.prompt("How do you know that the domain is public?", default="", show_default=False, err=True)
        return str(answer) or None
    say("warning: it is not stated how you know that the domain is public; add --public-because TEXT.")
    return None
