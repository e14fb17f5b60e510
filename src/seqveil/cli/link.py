"""`seqveil link`: which people two holders share, with typing errors, by files that three parties send each other."""

from __future__ import annotations

import typer

from seqveil.cli.link_base import base

link_app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Find the people two holders share. Only `link base` is differentially private; what comes after it is NOT.",
    epilog="Example: seqveil link demo --out link-demo",
)


@link_app.callback()
def link() -> None:
    """Find the people two holders share. Only `link base` is differentially private; what comes after it is NOT."""


for verb in (base,):
    link_app.command()(verb)
