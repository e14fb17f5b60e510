"""`seqveil verify`: whether a release is whole, who signed it, and whether it is the one that the ledger was charged for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from seqveil.cli.console import Json, emit, tell
from seqveil.errors import SeqveilError

NOT_ESTABLISHED = 4
"""Exit code: nothing contradicts, but nothing that is trusted says who vouches for the manifest."""


def verify(
    release: Annotated[Path, typer.Argument(help="Folder of a release.")],
    as_json: Json = False,
) -> None:
    """Verify the files, the manifest and the signature of a release, and compare it with the ledger of this machine.

    Exits with 0 if a trusted key or the ledger of this machine vouches for it; with 1 if a file, the manifest, the signature or
    the ledger contradict each other; with 4 if nothing contradicts, but it is unsigned or signed by a key that is not trusted.

    Example: seqveil verify release/
    """
    from seqveil import verification

    try:
        verdict = verification.verify(release)
    except SeqveilError as error:
        if as_json:
            emit({"established": False, "error": str(error), "exit_code": error.exit_code})
        raise
    if as_json:
        emit(verdict.to_dict())
    else:
        tell(verdict.sentence)
    if not verdict.established:
        raise typer.Exit(NOT_ESTABLISHED)
