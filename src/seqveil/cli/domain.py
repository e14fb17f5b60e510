"""`seqveil domain`: a domain where nobody has a public list of labels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from seqveil.cli import options as o
from seqveil.cli.console import Json, command, say
from seqveil.cli.groups import takes
from seqveil.cli.ordering import Collected, account_of, holder_of, unheard
from seqveil.cli.reading import Description, described
from seqveil.cli.releasing import Order, carry_out, done_once, refuse_place
from seqveil.cli.sources import unit_of
from seqveil.errors import InputProblems

domain_app = typer.Typer(
    name="domain",
    help="Discover the labels of data of which no list of labels is public. Example: seqveil domain discover --help",
    no_args_is_help=True,
    add_completion=False,
)


@domain_app.callback()
def _domain() -> None:
    """A command of its own, although there is but one."""


@domain_app.command()
@takes(..., Description, o.Stated)
def discover(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Files or folders of one format; - is stdin.")],
    epsilon: Annotated[str, typer.Option(help="Privacy budget of the discovery, as a decimal.")],
    delta: Annotated[
        str,
        typer.Option(help="δ at which --epsilon holds, well below 1 / number of users, e.g. 1e-6. Half is for the threshold."),
    ],
    out: Annotated[Path, typer.Option(help="Folder to create for the labels; give it to --domain afterwards.")],
    most: Annotated[
        int, typer.Option(min=1, help="To how many of its labels a user (or record) gives weight; of more, so many are drawn.")
    ] = 30,
    unit: Annotated[
        str | None, typer.Option("--unit", help="Unit of privacy: user or record. Default: user if --user is given.")
    ] = None,
    account: Annotated[str | None, typer.Option(help="Ledger account to charge. Default: taken from the file name.")] = None,
    once: Annotated[str | None, typer.Option(metavar="KEY", help="Charge the account at most once for this key.")] = None,
    seed: Annotated[int | None, typer.Option(help="Run an experiment with repeatable noise: NOT private.")] = None,
    as_json: Json = False,
    **given: Any,
) -> None:
    """Find the labels that enough users have, and publish them with noisy weights: a domain for --domain.

    Labels of a few users are left out, and with probability δ/2 at most a label of one user alone is not. Both this release and
    those that use the domain are charged; give them the same --account, so that they are added up.

    Example: seqveil domain discover trips.csv --user card --item station --epsilon 0.2 --delta 1e-6 --out stations/
    """
    file = files[0] if len(files) == 1 else tuple(files)
    given |= {"file": file, "account": account, "seed": seed, "dry_run": False, "as_json": as_json, "once": once, "out": out}
    with done_once(as_json):
        _discover({**given, "epsilon": epsilon, "delta": delta, "most": most, "unit": unit})
    if not as_json:
        say(f"To use it: add --domain {command('', out).split()[-1]}")


def _discover(given: dict[str, Any]) -> None:
    from seqveil.publish.discover import Discover
    from seqveil.sources.unlisted import labels_source
    from seqveil.wall.budget import grains
    from seqveil.wall.stated import check_stated
    from seqveil.wall.vault import delta_of

    wrong = Collected(unheard(given))
    mechanism = wrong.or_else(lambda: Discover(given["most"]), None)
    epsilon = wrong.or_else(lambda: grains(given["epsilon"]), 0)
    delta = wrong.or_else(lambda: delta_of(given["delta"]), 0)
    unit = wrong.or_else(lambda: unit_of(given["unit"], given["user"], None, "labels"), None)
    if given["once"] is not None and given["seed"] is not None:
        wrong.lines.append("--once only applies to releases, and a run with --seed is an experiment: leave out one of them.")
    wrong.or_else(lambda: check_stated(holder_of(given)), None)
    wrong.or_else(lambda: refuse_place(given["out"]), None)
    source = wrong.or_else(lambda: labels_source(given["file"], **described(given)), None)
    if source is not None:
        wrong.or_else(source.inspect, None)
    account = wrong.or_else(lambda: account_of(given), "")
    if wrong.lines or mechanism is None or unit is None or source is None:
        raise InputProblems("", wrong.lines)
    if not given["as_json"]:
        say(f"reading {source.name} as {source.description}")
    order = Order(
        mechanism=mechanism,
        unit=unit,
        epsilon=epsilon,
        input=source,
        out=given["out"],
        account=account,
        seed=given["seed"],
        as_json=given["as_json"],
        holder=holder_of(given),
        once=given["once"],
        delta=delta,
    )
    carry_out(order)
