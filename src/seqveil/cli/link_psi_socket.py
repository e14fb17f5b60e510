"""`seqveil link psi key`, `serve`, `join`: the messages of a private linkage over TLS instead of files."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from seqveil.cli.console import Json, emit, progress, say
from seqveil.cli.link_base import NamesFile
from seqveil.cli.link_psi_moves import Columns, KeepFolder, RowsFile, TermsFile, learnt, opened, people_of, telling, write
from seqveil.cli.reading import Delimiter
from seqveil.cli.writing import RawCells
from seqveil.errors import CallError

KeyFile = Annotated[Path, typer.Option(help="SECRET: key that both sides have, from `link psi key`.")]
Address = Annotated[str, typer.Argument(metavar="HOST:PORT", help="Address of the starter, e.g. 127.0.0.1:7410.")]


def key(
    out: Annotated[Path, typer.Option(help="File for the key; must not exist.")],
    as_json: Json = False,
) -> None:
    """Make a key for `serve` and `join`. Carry it to the other side in a safe way, such as in person.

    Example: seqveil link psi key --out pair.key
    """
    from seqveil.link.psi.channel import write_key

    write_key(out)
    if as_json:
        return emit({"out": str(out)})
    say(f"{out}: a key for you and one other data holder. It lets anyone take either side: keep it secret.")


def serve(
    address: Address,
    file: NamesFile,
    terms: TermsFile,
    keep: KeepFolder,
    key: KeyFile,
    out: RowsFile,
    column: Columns = None,
    delimiter: Delimiter = None,
    raw_cells: RawCells = False,
    as_json: Json = False,
) -> None:
    """The starter: make all moves with an answerer that connects to this machine. LISTENS on the network.

    Example: seqveil link psi serve 127.0.0.1:7410 people.csv --terms terms.json --keep secret/ --key pair.key --out shared.csv
    """
    from seqveil.link.psi import dialogue
    from seqveil.link.psi.channel import read_key, served
    from seqveil.link.psi.terms import Terms

    host, port = _address(address)
    agreed, own = opened(file, partial(Terms.load, terms), column, delimiter, None if dialogue.over(keep) else out)
    secret = read_key(key)
    with progress("link psi", quiet=as_json) as stage:
        dialogue.prepare(agreed, own, keep, telling(stage))
        if not as_json:
            say(f"listening on {host}:{port}; strangers without the key are turned away.")
        with served(host, port, secret, agreed) as channel:
            save = partial(write, out, agreed.fields, raw_cells)
            again = partial(people_of, file, agreed, column, delimiter)
            result = dialogue.serve(channel, again, keep, save, telling(stage))
    _said(out, result, as_json)


def join(
    address: Address,
    file: NamesFile,
    terms: TermsFile,
    keep: KeepFolder,
    key: KeyFile,
    out: RowsFile,
    column: Columns = None,
    delimiter: Delimiter = None,
    raw_cells: RawCells = False,
    as_json: Json = False,
) -> None:
    """The answerer: make all moves with a starter that serves. CONNECTS to the network.

    Example: seqveil link psi join 127.0.0.1:7410 people.csv --terms terms.json --keep secret/ --key pair.key --out shared.csv
    """
    from seqveil.link.psi import dialogue
    from seqveil.link.psi.channel import joined, read_key
    from seqveil.link.psi.terms import Terms

    host, port = _address(address)
    agreed, _ = opened(file, partial(Terms.load, terms), column, delimiter, None if dialogue.over(keep) else out)
    with progress("link psi", quiet=as_json) as stage, joined(host, port, read_key(key), agreed) as channel:
        save = partial(write, out, agreed.fields, raw_cells)
        again = partial(people_of, file, agreed, column, delimiter)
        result = dialogue.join(channel, agreed, again, keep, save, telling(stage))
    _said(out, result, as_json)


def _said(out: Path, result: object, as_json: bool) -> None:
    from seqveil.link.psi.moves import Result

    if isinstance(result, Result):
        return learnt(out, result, as_json)
    if as_json:
        return emit({"out": None, "private": False})
    say("Your part is done: by the terms you learn nothing more, or you have your rows already.")


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not host or not (port.isascii() and port.isdigit() and int(port) < 1 << 16):
        raise CallError(f"{text!r} is no address: write HOST:PORT, such as 127.0.0.1:7410.")
    return host.strip("[]"), int(port)
