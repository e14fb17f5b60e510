"""Release: what may be shown to the world. The base does all the work with files; a content only names its tables."""

from __future__ import annotations

import gzip
import hashlib
import os
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from seqveil.errors import RunFailed
from seqveil.release.manifest import Made, Manifest, Stage, Universe
from seqveil.release.partial import Place, make_durable, place_for
from seqveil.release.readme import readme

if TYPE_CHECKING:
    import pyarrow as pa

    from seqveil.tables.domain import Domain
    from seqveil.tables.units import Unit

MANIFEST = "manifest.json"
DOMAIN = "domain.txt.gz"


class Facts(Protocol):
    """What the wall vouches for; epsilons are decimal strings, stages are (name, kind, epsilon)."""

    @property
    def mechanism(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def paper(self) -> str: ...
    @property
    def parameters(self) -> dict[str, Any]: ...
    @property
    def epsilon(self) -> str: ...
    @property
    def unit(self) -> Unit: ...
    @property
    def domain(self) -> Domain: ...
    @property
    def stages(self) -> list[tuple[str, str, str]]: ...
    @property
    def noise(self) -> str: ...
    @property
    def private(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Saved:
    """A checked folder from which a release is rebuilt."""

    folder: Path
    manifest: Manifest
    domain: Domain

    def path(self, name: str) -> Path:
        """Where a file lies, whose name may say EXPERIMENT."""
        return self.folder / marked(name, self.manifest.private)

    def table(self, name: str) -> pa.Table:
        """One of the release's tables."""
        import pyarrow.parquet as pq

        return pq.read_table(self.path(f"{name}.parquet").absolute())  # Arrow takes a relative a:b/c for a URI


def marked(name: str, private: bool) -> str:
    """A file's name; those of experiments say so.

    >>> marked("grams.parquet", private=True), marked("synthetic.txt.gz", private=False)
    ('grams.parquet', 'synthetic.EXPERIMENT.txt.gz')
    """
    stem, dot, suffix = name.partition(".")
    return name if private else f"{stem}.EXPERIMENT{dot}{suffix}"


class Release(ABC):
    """A release about a domain. Subclasses name their `content`, their tables, and how they are rebuilt from them."""

    content: ClassVar[str]

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self._manifest: Manifest | None = None
        self._digest: str | None = None

    @abstractmethod
    def tables(self) -> dict[str, pa.Table]:
        """The tables that make up the release, by name; each becomes `<name>.parquet`."""

    @classmethod
    @abstractmethod
    def from_saved(cls, saved: Saved) -> Self:
        """The release that a checked folder holds."""

    def facts(self) -> dict[str, Any]:
        """Public facts of the content that its manifest must carry, in JSON's types."""
        return {}

    def extras(self) -> dict[str, bytes]:
        """Files that are not tables, by name."""
        return {}

    @property
    def manifest(self) -> Manifest:
        """What was promised. There is none until the wall has sealed the release."""
        if self._manifest is None:
            raise RunFailed("This release was never sealed: make it with vault.release(mechanism, epsilon).")
        return self._manifest

    @property
    def digest(self) -> str | None:
        """SHA-256 of the manifest on disk, which covers every other file; None until the release is saved."""
        return self._digest

    def seal(self, facts: Facts) -> None:
        """Attach what the wall vouches for, once."""
        if self._manifest is not None:
            raise RunFailed("This release is sealed already.")
        names = facts.domain.names
        domain = Universe(
            size=len(facts.domain),
            digest=facts.domain.digest,
            public_because=facts.domain.public_because,
            labels=f"{names.start}..{names.stop - 1}" if isinstance(names, range) else DOMAIN,
        )
        self._manifest = Manifest.new(
            mechanism=Made(facts.mechanism, facts.version, facts.paper, dict(facts.parameters)),
            epsilon=facts.epsilon,
            unit=facts.unit.describe(),
            neighbours=facts.unit.neighbours,
            domain=domain,
            stages=[Stage(*stage) for stage in facts.stages],
            noise=facts.noise,
            private=facts.private,
            content=self.content,
            facts=self.facts(),
        )

    def save(self, target: str | Path) -> Path:
        """Write the release as a folder that is either whole and durable, or not there at all."""
        manifest = self.manifest  # one that was never sealed is refused before a folder is made
        with place_for(target) as place:
            return self._save_at(place, manifest)

    def save_at(self, place: Place) -> Path:
        """Write the release to a place that was taken before the run began."""
        return self._save_at(place, self.manifest)

    def _save_at(self, place: Place, manifest: Manifest) -> Path:
        target, work = place.target, place.work
        try:
            self._write(work, manifest)
            manifest = manifest.listing({path.name: sha256(path) for path in work.iterdir()})
            (work / MANIFEST).write_text(manifest.to_json(), encoding="utf-8")
            for path in [*work.iterdir(), work]:
                make_durable(path)
            os.rename(work, target)
            make_durable(target.parent)
        except OSError as error:
            raise RunFailed(f"The release could not be written to {target}: {error.strerror or 'the disk failed'}.") from None
        self._manifest, self._digest = manifest, sha256(target / MANIFEST)
        return target

    def _write(self, work: Path, manifest: Manifest) -> None:
        import pyarrow.parquet as pq

        for name, table in self.tables().items():
            path = work.absolute() / marked(f"{name}.parquet", manifest.private)  # not a URI
            pq.write_table(table, path, compression="zstd")
        if manifest.domain.labels == DOMAIN:
            labels = "\n".join(self.domain.labels(range(len(self.domain)))) + "\n"
            (work / DOMAIN).write_bytes(gzip.compress(labels.encode(), mtime=0))
        for name, body in self.extras().items():
            (work / marked(name, manifest.private)).write_bytes(body)
        (work / "README.txt").write_text(readme(manifest), encoding="utf-8")

    def _loaded(self, manifest: Manifest, digest: str) -> Self:
        self._manifest, self._digest = manifest, digest
        return self


def sha256(path: Path) -> str:
    """The fingerprint of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
