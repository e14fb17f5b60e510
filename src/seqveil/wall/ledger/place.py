"""The files of a ledger, and who may read them: their owner and nobody else."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from seqveil.durable import make_directory


@dataclass(frozen=True, slots=True)
class Place:
    """The directory of one ledger.

    >>> str(Place(Path("/srv/seqveil/ledger")).ledger)
    '/srv/seqveil/ledger/ledger.sqlite'
    """

    directory: Path

    @property
    def ledger(self) -> Path:
        return self.directory / "ledger.sqlite"

    @property
    def copies(self) -> Path:
        return self.directory / "copies"

    @property
    def lock(self) -> Path:
        return self.directory / "ledger.lock"

    @property
    def queue(self) -> Path:
        return self.directory / "queue"

    @property
    def host(self) -> Path:
        return self.directory / "host.json"

    def make(self) -> None:
        """Create the directories, durably, closed to others whatever the umask; parents as the system would."""
        for directory in (self.directory, self.copies, self.queue):
            make_directory(directory, 0o700)
            if directory.stat().st_mode & 0o077:
                os.chmod(directory, 0o700)
