"""The manifest: what was promised, to whom, for how much, and the fingerprint of every file it was promised about."""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any, Self, get_args, get_type_hints

from seqveil.errors import ReleaseDamaged
from seqveil.tables.units import Unit, unit_from

SCHEMA = 1
"""Version of the manifest's layout; a loader refuses every other one."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One entry of the bill."""

    name: str
    kind: str
    epsilon: str


@dataclass(frozen=True, slots=True)
class Made:
    """Which mechanism made the release, from which public parameters."""

    name: str
    version: str
    paper: str
    parameters: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Universe:
    """The public domain: `labels` is an integer range such as `1..17`, or the file of the release that lists them."""

    size: int
    digest: str
    public_because: str | None
    labels: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything a stranger needs to hold the data holder to the promise. Epsilons are decimal strings.

    >>> universe = Universe(size=17, digest="ab" * 32, public_because="a published list", labels="1..17")
    >>> manifest = Manifest.new(
    ...     mechanism=Made("ngram", "1", "Chen et al. 2012", {"l_max": 20}), epsilon="1.0", unit={"name": "record"},
    ...     neighbours="add or remove one record", domain=universe, stages=[Stage("unigrams", "tree", "1.0")],
    ...     noise="secure", private=True, content="grams", facts={},
    ... )
    >>> Manifest.from_json(manifest.to_json()) == manifest
    True
    """

    schema: int
    release: str
    created: str
    mechanism: Made
    epsilon: str
    unit: dict[str, Any]
    neighbours: str
    domain: Universe
    stages: list[Stage]
    noise: str
    private: bool
    content: str
    facts: dict[str, Any]
    files: dict[str, str]

    @classmethod
    def new(cls, **known: Any) -> Self:
        """A manifest of now, under a fresh random release id and with no files yet."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        return cls(schema=SCHEMA, release=secrets.token_hex(16), created=now, files={}, **known)

    def listing(self, files: dict[str, str]) -> Manifest:
        """The same manifest about these files (name to SHA-256)."""
        return replace(self, files=dict(sorted(files.items())))

    @property
    def whom(self) -> Unit:
        """The unit whom the promise protects."""
        return unit_from(self.unit)

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Manifest:
        """Read strictly: another schema, an unknown or missing key, or a wrong type is damage, never a guess."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            raise _damaged("is not JSON") from None
        if not isinstance(data, dict):
            raise _damaged("is not a JSON object")
        if data.get("schema") != SCHEMA:
            given = data.get("schema")
            if given is None:
                raise _damaged("names no schema: it is not that of a release, which `seqveil publish` or `mine` writes")
            raise ReleaseDamaged(
                f"manifest.json has schema {given!r}; this Seqveil reads schema {SCHEMA}. "
                "Open the release with the version of Seqveil that wrote it, or publish it again."
            )
        manifest: Manifest = _strict(cls, data, "")
        try:
            manifest.whom.describe()
        except Exception:
            raise _damaged("names a unit that does not exist in 'unit'") from None
        return manifest


def _damaged(what: str) -> ReleaseDamaged:
    return ReleaseDamaged(f"manifest.json {what}. Copy the release again from where it was published.")


def _strict(cls: Any, data: Any, where: str) -> Any:
    """An instance of the dataclass from exactly its keys, each of exactly its type."""
    if not isinstance(data, dict):
        raise _damaged(f"has no object at {where!r}")
    names = [f.name for f in fields(cls)]
    for key in data.keys() - set(names):
        raise _damaged(f"has an unknown key {where + key!r}")
    for key in names:
        if key not in data:
            raise _damaged(f"lacks the key {where + key!r}")
    kinds = get_type_hints(cls)
    return cls(**{key: _typed(kinds[key], data[key], where + key) for key in names})


def _typed(kind: Any, value: Any, where: str) -> Any:
    if kind in (Made, Universe):
        return _strict(kind, value, where + ".")
    if kind == list[Stage]:
        if not isinstance(value, list):
            raise _damaged(f"has no list at {where!r}")
        return [_strict(Stage, entry, f"{where}[{i}].") for i, entry in enumerate(value)]
    if kind == dict[str, str]:
        if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
            raise _damaged(f"has something else than texts at {where!r}")
        return value
    plain = dict if kind == dict[str, Any] else kind
    allowed = get_args(plain) or (plain,)
    if type(value) not in allowed:
        raise _damaged(f"has a value of the wrong type at {where!r}")
    return value
