"""Files that another party sends, forged: a release, and what the parties of a linkage exchange. Doors of `fuzzing`."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from seqveil.audit.scratch import LABELS, Find, file_of, folder, spliced
from seqveil.errors import SeqveilError
from seqveil.tables.domain import Domain


def read_manifest(body: bytes) -> None:
    """The manifest of a release."""
    from seqveil.release.manifest import Manifest

    with contextlib.suppress(SeqveilError):
        manifest = Manifest.from_json(body.decode("utf-8", "replace"))
        if Manifest.from_json(manifest.to_json()) != manifest:
            raise Find("a manifest changes when it is written and read again")


@cache
def a_release() -> Path:
    """A small real release on disk."""
    import seqveil as sv

    table = sv.table_of([["a", "b", "1"], ["b"]] * 200, Domain.of(LABELS, public_because="made up"))
    out = folder() / "release"
    sv.experiment(table, sv.NGram(l_max=3, n_max=2), "5.0", seed=1).save(out)
    return out


def load_release(body: bytes) -> None:
    """A folder whose manifest is somebody's bytes: nothing but the true one may load."""
    from seqveil.release import load

    whole = a_release()
    true = (whole / "manifest.json").read_bytes()
    changed = true.replace(body[:8], body[8:16], 1) if body[:1] == b"\x00" else spliced(true, body)
    try:
        (whole / "manifest.json").write_bytes(changed)
        with contextlib.suppress(SeqveilError):
            load(whole)
    finally:
        (whole / "manifest.json").write_bytes(true)


VOUCHED = ("grams.EXPERIMENT.parquet", "synthetic.EXPERIMENT.txt.gz", "domain.txt.gz")


def forge_release(body: bytes) -> None:
    """A folder of a stranger who makes the digests fit: one value of the manifest, a table, the records or the labels changed."""
    from seqveil.release import load

    kind, body = (body[0] if body else 0) % 5, body[1:]
    with contextlib.suppress(SeqveilError), _changed(a_release(), ("manifest.json", *VOUCHED)) as place:
        manifest = (place / "manifest.json").read_bytes()
        if kind == 0:
            (place / "manifest.json").write_bytes(_revalued(manifest, body))
        elif kind == 1:
            values = json.loads(manifest)
            inside = [values["domain"], values["mechanism"], values["facts"], values["stages"][0], values["unit"]]
            at = (body[0] if body else 0) % len(inside)
            inside[at].update(json.loads(_revalued(json.dumps(inside[at]).encode(), body[1:])))
            (place / "manifest.json").write_text(json.dumps(values), encoding="utf-8")
        else:
            path = place / VOUCHED[kind - 2]
            true = path.read_bytes()
            packed = path.suffix == ".gz" and body[:1] == b"z"
            path.write_bytes(gzip.compress(body[1:], mtime=0) if packed else spliced(true, body))
            old, new = (hashlib.sha256(each).hexdigest() for each in (true, path.read_bytes()))
            (place / "manifest.json").write_bytes(manifest.replace(old.encode(), new.encode()))
        release: Any = load(place)
        answer = release.count(["a"])
        if answer.low is not None and not answer.low <= answer.value <= answer.high:
            raise Find("an answer of a forged release lies outside its own interval")
        if len(release.synthesize(3)) != 3:
            raise Find("a forged release draws another number of records than requested")


def load_base(body: bytes) -> None:
    """The base of a linkage as somebody sent it: raw bytes, or the true file with some bytes replaced."""
    from seqveil.link.base import Base

    true = (a_linkage() / "base.json").read_bytes()
    with contextlib.suppress(SeqveilError):
        base = Base.load(file_of("base.json", body if body[:1] == b"{" else spliced(true, body)))
        base.save(_absent("base-again.json"))
        if Base.load(folder() / "base-again.json").id != base.id:
            raise Find("a base changes when it is written and read again")


def load_key(body: bytes) -> None:
    """A holder's key that was cut off, changed or is another file."""
    from seqveil.link.key import Key

    true = (a_linkage() / "a.key").read_bytes()
    with contextlib.suppress(SeqveilError):
        key = Key.load(file_of("some.key", body if body[:1] == b"P" else spliced(true, body)))
        if len(key.rows) and not 1 <= key.rows.min() <= key.rows.max() <= key.names:
            raise Find("a key names rows that are not there")


def load_vectors(body: bytes) -> None:
    """A folder of vectors with a changed manifest, or with changed vectors that the manifest vouches for."""
    from seqveil.link.vectors import Vectors

    with contextlib.suppress(SeqveilError), _forged("vectors-a", "vectors.parquet", body) as forged:
        vectors = Vectors.load(forged)
        if vectors.counts.shape != (len(vectors.reaches), len(vectors.lengths)):
            raise Find("vectors do not fit their grams")


def load_pairs(body: bytes) -> None:
    """A folder of pairs, likewise."""
    from seqveil.link.pairs import Pairs

    with contextlib.suppress(SeqveilError), _forged("pairs", "pairs.parquet", body) as forged:
        pairs = Pairs.load(forged)
        if len(pairs) and min(pairs.a.min(), pairs.b.min()) < 1:
            raise Find("pairs name positions before the first")


@cache
def a_linkage() -> Path:
    """A small real linkage on disk: base.json, vectors-a, vectors-b, a.key, b.key and pairs."""
    from seqveil.link.base import Base
    from seqveil.link.matching import match
    from seqveil.link.vectors import Vectors
    from seqveil.link.writing import write_vectors
    from seqveil.tables.names import Alphabet

    place = folder() / "linkage"
    base = Base(Alphabet.parse("latin"), ("a", "n", "b", "an", "nna"))
    base.save(place / "base.json")
    # Other names for b: vectors are shuffled, and two equal lists are the same folder once in twelve times.
    for holder, names in (("a", ["Anna", "Bob", "Hannah", "Bo"]), ("b", ["Ana", "Bob", "Hannah"])):
        write_vectors(base, [names], place / f"vectors-{holder}", place / f"{holder}.key", None, 1)
    match(Vectors.load(place / "vectors-a"), Vectors.load(place / "vectors-b")).save(place / "pairs")
    return place


@contextlib.contextmanager
def _forged(name: str, data: str, body: bytes) -> Iterator[Path]:
    """The true folder while bytes of its manifest, one value of it, or its data together with their digest are changed."""
    with _changed(a_linkage() / name, ("manifest.json", data)) as place:
        manifest, true = (place / "manifest.json").read_bytes(), (place / data).read_bytes()
        match (body[0] if body else 0) % 3:
            case 0:
                manifest = spliced(manifest, body[1:])
            case 1:
                manifest = _revalued(manifest, body[1:])
            case 2:
                (place / data).write_bytes(spliced(true, body[1:]))
                old, new = (hashlib.sha256(each).hexdigest() for each in (true, (place / data).read_bytes()))
                manifest = manifest.replace(old.encode(), new.encode())
        (place / "manifest.json").write_bytes(manifest)
        yield place


@contextlib.contextmanager
def _changed(place: Path, names: tuple[str, ...]) -> Iterator[Path]:
    """A folder whose files may be changed until the block ends."""
    before = {place / name: (place / name).read_bytes() for name in names}
    try:
        yield place
    finally:
        for path, true in before.items():
            path.write_bytes(true)


def _revalued(manifest: bytes, body: bytes) -> bytes:
    """JSON in which one key has another value: what the bytes say as JSON, else a number."""
    values = json.loads(manifest)
    key = list(values)[(body[0] if body else 0) % len(values)]
    try:
        values[key] = json.loads(body[1:])
    except (ValueError, RecursionError):
        values[key] = int.from_bytes(body[1:9], "little", signed=True)
    return json.dumps(values).encode()


def _absent(name: str) -> Path:
    (folder() / name).unlink(missing_ok=True)
    return folder() / name
