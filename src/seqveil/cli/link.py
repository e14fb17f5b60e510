"""`seqveil link`: which people two data holders share, typing errors included, by files that three parties exchange."""

from __future__ import annotations

from collections.abc import Callable

import typer

from seqveil.cli.link_base import base
from seqveil.cli.link_demo import demo
from seqveil.cli.link_embed import embed
from seqveil.cli.link_match import match
from seqveil.cli.link_merge import merge
from seqveil.cli.link_open import open_
from seqveil.cli.link_psi import psi_app

STEPS: dict[str, Callable[..., None]] = {
    "base": base,
    "merge": merge,
    "embed": embed,
    "match": match,
    "open": open_,
    "demo": demo,
}
"""The steps in the order in which they are taken, and all of them with simulated people."""

link_app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Find the people two data holders share. Only `link base` is differentially private; the other steps are NOT.",
    epilog="Example: seqveil link demo --out link-demo",
)


@link_app.callback()
def link() -> None:
    """Find the people two data holders share. Only `link base` is differentially private; the other steps are NOT."""


for _name, _step in STEPS.items():
    link_app.command(_name)(_step)
link_app.add_typer(psi_app, name="psi")
