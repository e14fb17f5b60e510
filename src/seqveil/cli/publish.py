"""`seqveil publish`: a release with synthetic records."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from seqveil.cli import options as o
from seqveil.cli import reading
from seqveil.cli.console import Json, say
from seqveil.cli.releasing import Order, account_name, carry_out, show_plan
from seqveil.cli.sources import Source, open_source, unit_of


def publish(
    context: typer.Context,
    file: o.File,
    domain: reading.Domain,
    epsilon: Annotated[str, typer.Option(help="The privacy budget of this release, as a decimal.")],
    out: Annotated[Path, typer.Option(help="The folder that the release becomes; must not exist.")],
    method: Annotated[str, typer.Option(help="How: see `seqveil methods`.")] = "ngram",
    kind: Annotated[str | None, typer.Option(help="What the file holds, where the method does not say.")] = None,
    public_because: o.PublicBecause = None,
    format: reading.Format = None,
    user: reading.User = None,
    time: reading.Time = None,
    item: reading.Item = None,
    session: reading.Session = "none",
    timezone: reading.Timezone = "UTC",
    outside: reading.Outside = "drop",
    delimiter: reading.Delimiter = None,
    header: reading.Header = True,
    time_unit: reading.TimeUnit = "s",
    time_format: reading.TimeFormat = None,
    unit: o.UnitName = None,
    max_sequences: o.MaxSequences = 1,
    account: Annotated[str | None, typer.Option(help="The ledger account to charge. Default: from the file's name.")] = None,
    like: Annotated[Path | None, typer.Option(help="Repeat the method and parameters of this release.")] = None,
    config: Annotated[Path | None, typer.Option(help="Read parameters from a TOML file (name = value).")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan; open no data, spend nothing.")] = False,
    size: Annotated[int | None, typer.Option(help="A rough public number of records, for --dry-run.")] = None,
    seed: Annotated[int | None, typer.Option(help="Make an experiment with repeatable noise: NOT private.")] = None,
    as_json: Json = False,
) -> None:
    """Publish data about people with differential privacy. Parameters of the method are options of their own name.

    Example: seqveil publish trips.csv --user card --time ts --item station --domain stations.txt --epsilon 1 --out release/
    """
    _release(context, "publish", locals())


publish.settings = {"allow_extra_args": True, "ignore_unknown_options": True}  # type: ignore[attr-defined]


def _release(context: typer.Context, verb: str, given: dict[str, Any]) -> None:
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
    unit = unit_of(given["unit"], given["user"], given["max_sequences"])
    description, read = ("", _unread) if given["dry_run"] else open_source(given["kind"] or chosen.kind, source)
    if description and not given["as_json"]:
        say(f"reading {given['file']} as {description}")
    order = Order(
        mechanism=mechanism,
        unit=unit,
        domain=domain,
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
