"""One start of the studio: the folders it may look into, its secrets, and what it keeps between two clicks."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from seqveil.home import home
from seqveil.studio.address import Address, Secrets
from seqveil.studio.drafts import Drafts
from seqveil.studio.roots import Roots
from seqveil.studio.runs import Runs
from seqveil.studio.shelf import Shelf
from seqveil.studio.tasks import Tasks


def _kept() -> Path:
    return home() / "studio"


@dataclass
class Studio:
    """What every page can use."""

    roots: Roots
    address: Address
    secrets: Secrets = field(default_factory=Secrets)
    folder: Path = field(default_factory=_kept)

    def __post_init__(self) -> None:
        self.drafts = Drafts(self.folder / "drafts")
        self.runs = Runs(self.folder / "runs")
        self.tasks = Tasks()
        self.shelf = Shelf(self.folder, self.roots, self.runs)
