"""Release: what may be shown to the world. The base does all the work with files; a content only names its tables."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from seqveil.durable import sync
from seqveil.errors import ReleaseDamaged, RunFailed
from seqveil.places import Place, place_for
from seqveil.release.limits import MOST_FILE, MOST_UNPACKED, refuse_beyond
from seqveil.release.manifest import Made, Manifest, Stage, Universe
from seqveil.release.readme import readme
from seqveil.release.regular import opened, sha256

if TYPE_CHECKING:
    import pyarrow as pa

    from seqveil.release.parquet import Kind
    from seqveil.tables.domain import Domain
    from seqveil.tables.units import Unit

MANIFEST = "manifest.json"
DOMAIN = "domain.txt.gz"


class StageFacts(Protocol):
    """A line of the wall's bill; `wall.bill` has its rules."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def epsilon(self) -> str: ...
    @property
    def used(self) -> str: ...
    @property
    def rule(self) -> str: ...
    @property
    def parts(self) -> tuple[str, ...]: ...


class Facts(Protocol):
    """What the wall vouches for; epsilons are decimal strings."""

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
    def unused(self) -> str: ...
    @property
    def stages(self) -> Sequence[StageFacts]: ...
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

    def holds(self, name: str) -> bool:
        """Whether the manifest lists a file."""
        return marked(name, self.manifest.private) in self.manifest.files

    def body(self, name: str) -> bytes:
        """The bytes of a file, which are those that the manifest vouches for even if somebody changed the file since."""
        name = marked(name, self.manifest.private)
        return vouched(self.folder / name, self.manifest.files.get(name))

    def text(self, name: str) -> bytes:
        """The bytes of a packed text, unpacked as far as a release can go."""
        return unpacked(name, self.body(name))

    def table(self, name: str, columns: Mapping[str, Kind], gaps: Collection[str] = ()) -> dict[str, Any]:
        """The columns of one of the release's tables."""
        from seqveil.release.parquet import read_columns

        return read_columns(f"{name}.parquet", self.body(f"{name}.parquet"), columns, gaps)


def vouched(path: Path, digest: str | None) -> bytes:
    """The bytes of a regular file of at most 2 GiB, if they have this SHA-256."""
    try:
        with opened(path) as file:
            body = file.read(MOST_FILE + 1)
    except OSError as error:
        raise ReleaseDamaged(f"{path.name} {error.strerror or 'cannot be read'}. Copy the release again.") from None
    refuse_beyond(f"{path.name} has at least this many bytes", len(body), MOST_FILE)
    if hashlib.sha256(body).hexdigest() != digest:
        raise ReleaseDamaged(f"{path.name} was changed: its SHA-256 is not the manifest's. Copy the release again.")
    return body


def unpacked(name: str, body: bytes) -> bytes:
    """A gzip archive unpacked; refused as soon as it is larger than a release can be."""
    try:
        with gzip.GzipFile(fileobj=BytesIO(body)) as file:
            text = file.read(MOST_UNPACKED + 1)
    except (OSError, EOFError, zlib.error):
        raise ReleaseDamaged(f"{name} is not a whole gzip archive. Copy the release again.") from None
    refuse_beyond(f"{name} unpacks into at least this many bytes", len(text), MOST_UNPACKED)
    return text


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
            unused=facts.unused,
            stages=[Stage(s.name, s.kind, s.epsilon, s.used, s.rule, s.parts) for s in facts.stages],
            noise=facts.noise,
            private=facts.private,
            content=self.content,
            facts=self.facts(),
        )

    def save(self, target: str | Path) -> Path:
        """Write the release as a folder that is either whole and durable, or not there at all."""
        self.manifest  # noqa: B018 — one that was never sealed is refused before a folder is made
        with place_for(target) as place:
            return self.save_at(place)

    def save_at(self, place: Place, or_beside: bool = False) -> Path:
        """Write the release to a place that was taken before the run began; returns where it is.

        With `or_beside` it gets another name beside the target where somebody has put something there in spite of that.
        """
        work, manifest = place.work, self.manifest
        try:
            self._write(work, manifest)
            manifest = manifest.listing({path.name: sha256(path) for path in work.iterdir()})
            (work / MANIFEST).write_text(manifest.to_json(), encoding="utf-8")
            for path in [*work.iterdir(), work]:
                sync(path)
            digest = sha256(work / MANIFEST)
            target = place.name(or_beside)
            sync(target.parent)
        except OSError as error:
            why = error.strerror or "the disk failed"
            raise RunFailed(f"The release could not be written to {place.target}: {why}.") from None
        self._manifest, self._digest = manifest, digest
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
