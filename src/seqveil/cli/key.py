"""`seqveil key`: the key that signs releases of this installation, and the keys of others that are trusted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seqveil.cli.console import Json, emit, printable, say, tell

if TYPE_CHECKING:
    from seqveil.signature.keyfile import KnownKey

key_app = typer.Typer(
    name="key",
    help="Show, change and trust the keys that releases are signed with. Example: seqveil key show",
    no_args_is_help=True,
    add_completion=False,
)

_NO_KEY = "this installation has no signing key yet. Its first release makes one; to make one now, type: seqveil key rotate"


@key_app.command()
def show(
    out: Annotated[Path | None, typer.Option(help="Also write the public key to this new file, to be given to others.")] = None,
    as_json: Json = False,
) -> None:
    """Show the public key of this installation, its earlier ones, and the trusted keys. Example: seqveil key show --out key.txt

    Makes no key: the first release does, and so does `seqveil key rotate`.
    """
    from seqveil.errors import CallError
    from seqveil.signature.ed25519 import fingerprint
    from seqveil.signature.keys import Keys
    from seqveil.whole import write_whole

    keys = Keys.at()
    public = keys.current()
    earlier, trusted = [key for key in keys.own() if key.public != public], keys.trusted()
    if out is not None:
        if public is None:
            raise CallError(f"--out {out}: {_NO_KEY}")
        write_whole(out, f"# Public key of an installation of Seqveil, fingerprint {fingerprint(public)}\n{public}\n".encode())
    if as_json:
        return emit(
            {
                "key": public,
                "fingerprint": None if public is None else fingerprint(public),
                "earlier": [_facts(key) for key in earlier],
                "trusted": [_facts(key) for key in trusted],
            }
        )
    if public is None:
        tell(f"Public key   {_NO_KEY}")
    else:
        tell(f"Public key   {public}")
        tell(f"Fingerprint  {fingerprint(public)}")
    for key in earlier:
        tell(f"Earlier      {key.fingerprint}, since {key.since}" + (", reported stolen" if key.status == "stolen" else ""))
    for key in trusted:
        tell(f"Trusted      {key.fingerprint}, since {key.since}: {printable(key.name)}")
    if out is not None:
        say(f"written: {out}")
    return None


@key_app.command()
def rotate(
    stolen: Annotated[bool, typer.Option("--stolen", help="No longer accept signatures of the old key on this machine.")] = False,
    as_json: Json = False,
) -> None:
    """Replace the signing key; releases of the old one still verify, unless --stolen. Example: seqveil key rotate

    The old private key is destroyed. Give the new public key to everybody who trusts the old one.
    """
    from seqveil.signature.ed25519 import fingerprint
    from seqveil.signature.keys import Keys

    public = Keys.at().rotate(stolen).public
    if as_json:
        return emit({"key": public, "fingerprint": fingerprint(public)})
    tell(f"Public key   {public}")
    tell(f"Fingerprint  {fingerprint(public)}")
    if stolen:
        say("Tell everybody who trusts the old key to remove it: seqveil key forget FINGERPRINT")
    return None


@key_app.command()
def trust(
    key: Annotated[
        str, typer.Argument(metavar="KEY|FILE", help="Public key of 64 hexadecimal digits, or a file that holds one.")
    ],
    name: Annotated[str, typer.Argument(metavar="NAME", help="Who has this key, for example 'Metro data office'.")],
    as_json: Json = False,
) -> None:
    """Accept releases that are signed with a key of somebody else. Example: seqveil key trust key.txt 'Metro data office'

    Compare the fingerprint with its owner first, on another channel than the one the key came by.
    """
    from seqveil.errors import CallError
    from seqveil.signature.keyfile import MOST_NAME, public_key
    from seqveil.signature.keys import Keys
    from seqveil.tables.characters import refused_in_label, shown

    if name.strip() != name or not 0 < len(name) <= MOST_NAME or refused_in_label(name) is not None:
        raise CallError(f"NAME {shown(name)}: give 1 to {MOST_NAME} visible characters, for example 'Metro data office'.")
    trusted = Keys.at().trust(public_key(key), name)
    if as_json:
        return emit(_facts(trusted))
    tell(f"Trusted: the key {trusted.fingerprint} of {name!r}.")
    return None


@key_app.command()
def forget(
    key: Annotated[
        str, typer.Argument(metavar="FINGERPRINT", help="Fingerprint of a trusted key, as `seqveil key show` lists it.")
    ],
    as_json: Json = False,
) -> None:
    """No longer accept releases that are signed with a key. Example: seqveil key forget 3f9c-0a12-…"""
    from seqveil.signature.keys import Keys

    forgotten = Keys.at().forget(key)
    if as_json:
        return emit(_facts(forgotten))
    tell(f"No longer trusted: the key {forgotten.fingerprint} of {forgotten.name!r}.")
    return None


def _facts(key: KnownKey) -> dict[str, Any]:
    return {"key": key.public, "fingerprint": key.fingerprint, "since": key.since, "status": key.status, "name": key.name or None}
