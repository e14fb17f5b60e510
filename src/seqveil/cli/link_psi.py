"""`seqveil link psi`: two data holders learn which rows they share, by three messages and without a third party."""

from __future__ import annotations

from collections.abc import Callable

import typer

from seqveil.cli.link_psi_demo import demo
from seqveil.cli.link_psi_moves import answer, finish, open_, start, terms_
from seqveil.cli.link_psi_socket import join, key, serve

MOVES: dict[str, Callable[..., None]] = {
    "terms": terms_,
    "start": start,
    "answer": answer,
    "finish": finish,
    "open": open_,
    "demo": demo,
    "key": key,
    "serve": serve,
    "join": join,
}
"""The moves in the order in which they are taken, all of them with simulated people, and all of them over a connection."""

psi_app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Find the people two data holders share, without a third party: only matches are revealed. Not differentially private.",
    epilog="Example: seqveil link psi demo --out psi-demo",
)


@psi_app.callback()
def psi() -> None:
    """Find the people two data holders share, without a third party: only matches are revealed. Not differentially private."""


for _name, _move in MOVES.items():
    psi_app.command(_name)(_move)
