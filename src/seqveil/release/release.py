"""Release: what may be shown to the world. The base does all the work with files; a content only names its tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from seqveil.durable import sync
from seqveil.errors import ReleaseDamaged, RunFailed
from seqveil.places import Place, place_for
from seqveil.release import rendering
from seqveil.release.manifest import Manifest
from seqveil.release.readme import one_unit
from seqveil.release.rendering import Rendering
from seqveil.release.saved import Saved
from seqveil.release.standing import Standing, standing

if TYPE_CHECKING:
    import pyarrow as pa

    from seqveil.facts import Facts
    from seqveil.signature.ed25519 import Signer
    from seqveil.tables.domain import Domain


class Release(ABC):
    """A release about a domain. Subclasses name their `content`, their tables, and how they are rebuilt from them.

    What a release can do beyond that it says by its capabilities: classes of `seqveil.release.capabilities` that it derives from.
    """

    content: ClassVar[str]
    description: ClassVar[str]
    """What the folder of a release holds, for its README.txt."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self._manifest: Manifest | None = None
        self._rendering: Rendering | None = None
        self._signer: Signer | None = None

    def __repr__(self) -> str:
        """What it is and what it guarantees, from the manifest alone."""
        name, manifest = type(self).__name__, self._manifest
        if manifest is None:
            return f"{name}(not sealed)"
        promise = f"{manifest.promised} for {one_unit(manifest)}" if manifest.private else "EXPERIMENT, not private"
        return f"{name}({manifest.mechanism.name}, {promise})"

    def _repr_html_(self) -> str | None:
        """What a notebook shows; nothing but `repr` for a release that is not sealed."""
        from seqveil.release.notebook import as_html

        return None if self._manifest is None else as_html(self)

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
    def _per_user(self) -> str:
        """How many records of each user are counted, where users are protected; a clause for `about`."""
        unit = None if self._manifest is None else self._manifest.whom
        return f", at most {unit.sequences:,} per user" if unit is not None and unit.name == "user" else ""

    def _cut_to(self, l_max: int) -> str:
        """What was kept of records with more than l_max items; a clause for `about`."""
        how = "first" if self._manifest is None else self._manifest.mechanism.parameters.get("cut", "first")
        kept = {"window": f"a random window of {l_max:,} items", "sample": f"a random block of at most {l_max:,} items"}
        return f"records cut to {kept.get(how, f'their first {l_max:,} items')}"

    def sizes(self) -> dict[str, int]:
        """The size of each part of the release, in words."""
        return {}

    @property
    def empty(self) -> bool:
        """Whether the release holds nothing: no count and no record exceeded the noise."""
        sizes = self.sizes().values()
        return bool(sizes) and not any(sizes)

    @property
    def manifest(self) -> Manifest:
        """What is guaranteed. It lists the files of the release once these were rendered, by `digest` or `save`."""
        if self._rendering is not None:
            return self._rendering.manifest
        if self._manifest is None:
            raise RunFailed("This release was never sealed: make it with vault.release(mechanism, epsilon).")
        return self._manifest

    @property
    def digest(self) -> str:
        """SHA-256 of the manifest as `save` has written it or will write it; it covers every other file."""
        return self._rendered().digest

    def seal(self, facts: Facts) -> None:
        """Attach what the wall vouches for, once. The id of the release and the time it was made are fixed here."""
        if self._manifest is not None:
            raise RunFailed("This release is sealed already.")
        self._manifest = Manifest.new(facts, content=self.content, facts=self.facts())

    def sign_with(self, signer: Signer) -> None:
        """Give the key that the manifest names, for as long as it takes to render the files."""
        self._signer = signer

    @property
    def signature(self) -> Standing:
        """Whose signature the release has, and what this installation knows about that key."""
        return standing(self.manifest.signer)

    def save(self, target: str | Path) -> Path:
        """Write the release as a folder that is either whole and durable, or not there at all."""
        self.manifest  # noqa: B018 — one that was never sealed is refused before a folder is made
        with place_for(target) as place:
            return self.save_at(place)

    def save_at(self, place: Place, or_beside: bool = False) -> Path:
        """Write the release to a place that was taken before the run began; returns where it is.

        With `or_beside` it gets another name beside the target where somebody has put something there in spite of that.
        """
        work = place.work
        try:
            rendered = self._write(work)
            for path in [*work.iterdir(), work]:
                sync(path)
            target = place.name(or_beside)
            sync(target.parent)
        except OSError as error:
            why = error.strerror or "the disk failed"
            raise RunFailed(f"The release could not be written to {place.target}: {why}.") from None
        self._rendering = replace(rendered, files=target.absolute()) if rendered.files == work else rendered
        return target

    def _write(self, work: Path) -> Rendering:
        """Put all files into an empty folder: as they were rendered before, or rendered into it now."""
        if self._rendering is None:
            return self._forget_key(rendering.into(work, self, self.manifest, self._signer))
        try:
            self._rendering.write(work)
        except ReleaseDamaged:  # the folder that they were saved to has gone or was changed
            self._rendering = self._rendered_again()
            self._rendering.write(work)
        return self._rendering

    def _rendered(self) -> Rendering:
        if self._rendering is None:
            self._rendering = self._forget_key(rendering.in_memory(self, self.manifest, self._signer))
        return self._rendering

    def _forget_key(self, rendered: Rendering) -> Rendering:
        """A release has one manifest, which is signed by now: it needs no private key any more."""
        self._signer = None
        return rendered

    def _rendered_again(self) -> Rendering:
        """The same bytes once more, or an error: a release has one digest, and the ledger may hold it."""
        again = rendering.again(self, self.manifest, self._rendered().signature)
        if again.digest != self.digest:
            raise RunFailed(
                "The files of this release were moved or changed after it was saved, and cannot be made again byte for byte. "
                "Copy the folder from where it is now."
            )
        return again

    def _loaded(self, rendered: Rendering) -> Self:
        self._manifest, self._rendering = rendered.manifest, rendered
        return self
