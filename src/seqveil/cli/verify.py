"""`seqveil verify`: whether the files of a release are those of its manifest, and the manifest the one that the ledger knows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seqveil.cli.console import Json, emit, tell
from seqveil.errors import SeqveilError

if TYPE_CHECKING:
    from seqveil.release import Release


def verify(
    release: Annotated[Path, typer.Argument(help="Folder of a release.")],
    as_json: Json = False,
) -> None:
    """Verify every file of a release against its manifest, and the manifest against the ledger of this machine.

    Exits with 1 if a file was changed, or if the ledger has another digest for this release.

    Example: seqveil verify release/
    """
    from seqveil.release import load

    verdict = verdict_on(load(release))
    if as_json:
        return emit(verdict.to_dict())
    tell(verdict.sentence)


@dataclass(frozen=True, slots=True)
class Entry:
    """What the ledger of this machine says about a release: account and status of its charge, and whether it is the same."""

    account: str
    status: str
    same: bool


@dataclass(frozen=True, slots=True)
class Verdict:
    """A release whose files are what its manifest says; `entry` is None where this machine's ledger has no entry about it."""

    release: str
    digest: str
    private: bool
    files: int
    entry: Entry | None

    @property
    def sentence(self) -> str:
        """For people."""
        said = f"Verified: {self.files:,} files are what the manifest says."
        if not self.private:
            return f"{said} This is an EXPERIMENT, which is in no ledger."
        if self.entry is None:
            return f"{said} The ledger of this machine has no entry about this release."
        return f"{said} The ledger has the same digest, on account {self.entry.account!r} ({self.entry.status})."

    def to_dict(self) -> dict[str, Any]:
        """As one JSON object."""
        entry = None if self.entry is None else {"account": self.entry.account, "status": self.entry.status}
        return {"release": self.release, "digest": self.digest, "private": self.private, "files": self.files, "ledger": entry}


def entry_of(release: Release) -> Entry | None:
    """What the ledger of this machine says about a release."""
    from seqveil.wall.ledger import Ledger

    ledger = Ledger()
    for account in ledger.accounts():
        for charge in ledger.charges(account.name):
            if charge.release == release.manifest.release:
                return Entry(account.name, charge.status, charge.digest == release.digest)
    return None


def verdict_on(release: Release) -> Verdict:
    """The verdict on a release that was just loaded, so agrees with its manifest; one that the ledger contradicts is refused."""
    manifest, entry = release.manifest, entry_of(release)
    if entry is not None and not entry.same:
        raise SeqveilError(
            f"The files match their manifest, but the ledger (account {entry.account!r}) has another digest of it: "
            "this is not the folder that was committed. Copy the release again from where it was published."
        )
    return Verdict(manifest.release, release.digest, manifest.private, len(manifest.files), entry)
