"""Any bytes at all: doors that a stranger's file or text comes through, each with what it may answer.

A target takes bytes and returns nothing. It may end quietly (a correct table, a correct answer) or in a SeqveilError that is
one of the library's own words; everything else, an exception of another kind or a table that is not one, is a find.
tests/fuzz runs a fixed corpus through all of them, benchmarks/fuzz.py lets a coverage-guided fuzzer look for more.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from seqveil.errors import SeqveilError
from seqveil.tables.domain import Domain

Target = Callable[[bytes], None]
LABELS = ["a", "b", "1", "2", "x y"]
EVENTS = {"user": "u", "time": "t", "item": "i"}
SEQUENCES: dict[str, dict[str, Any]] = {
    "lines": {},
    "dat": {},
    "spmf": {},
    "csv": EVENTS,
    "tsv": {**EVENTS, "session": "gap:30m", "outside": "other"},
    "events": {"item": "2", "user": "1", "time": "3", "header": False, "time_format": "text"},
    "jsonl": {"user": "u"},
    "jsonl-events": {**EVENTS, "session": "day", "timezone": "Europe/Paris"},
    "xes": {"user": "u", "time": "time:timestamp"},
    "parquet": EVENTS,
}
"""Formats of sequences, and how a file of each is described."""

GRAPHS = ("edges", "csv", "tsv", "graphml")


class Find(AssertionError):
    """Something came out that should not."""


@cache
def folder() -> Path:
    """A place for the files of this process, in memory where the system has such a place."""
    shared = Path("/dev/shm")
    made = tempfile.TemporaryDirectory(prefix="seqveil-fuzz-", dir=shared if shared.is_dir() else None)
    folder.keep = made  # type: ignore[attr-defined]
    return Path(made.name)


@cache
def _domain() -> Domain:
    return Domain.of(LABELS)


def _file(name: str, body: bytes) -> Path:
    path = folder() / name
    path.write_bytes(body)
    return path


def _sound(table: Any, size: int) -> None:
    """A table is what it says: offsets rise, codes are the domain's, there is an owner for every record or for none."""
    offsets, items = table.flat.offsets, table.flat.items
    if offsets[0] != 0 or offsets[-1] != len(items) or (np.diff(offsets) < 0).any():
        raise Find("offsets of a table do not fit its items")
    if len(items) and (items.min() < 0 or items.max() >= size):
        raise Find("a table holds codes that its domain does not have")
    if table.owners is not None and len(table.owners) != len(table):
        raise Find("a table has more or fewer owners than records")


def read_sequences(format: str, body: bytes) -> None:
    """A file of sequences."""
    from seqveil.tables import read

    described = SEQUENCES[format]
    size = len(LABELS) + (described.get("outside") == "other")
    with contextlib.suppress(SeqveilError):
        _sound(read.read_sequences(_file(f"data.{format}", body), domain=_domain(), format=format, **described), size)


def read_packed(body: bytes) -> None:
    """A gzip archive of lines."""
    from seqveil.tables import read

    with contextlib.suppress(SeqveilError):
        _sound(read.read_sequences(_file("data.seq.gz", body), domain=_domain()), len(LABELS))


def read_graph(format: str, body: bytes) -> None:
    """A file of edges."""
    from seqveil.tables.read.graphs import read_graph as reader

    with contextlib.suppress(SeqveilError):
        table = reader(_file(f"edges.{format}", body), domain=_domain(), order_is_public=True, format=format)
        if len(table) and not ((table.low < table.high).all() and table.low.min() >= 0 and table.high.max() < len(LABELS)):
            raise Find("a graph holds an edge that is none")


def read_relational(body: bytes) -> None:
    """A table of declared categories."""
    from seqveil.tables.read.relational import read_relational as reader

    with contextlib.suppress(SeqveilError):
        domain = Domain.of(["sex=f", "sex=m", "age=1", "age=2"])
        _sound(reader(_file("people.csv", body), domain=domain), 4)


def read_domain(body: bytes) -> None:
    """A file of labels."""
    with contextlib.suppress(SeqveilError):
        if len(Domain.from_file(_file("labels.txt", body))) < 1:
            raise Find("a domain without labels")


def parse_domain(body: bytes) -> None:
    """What is typed after --domain."""
    text = body.decode("utf-8", "replace").replace("\x00", "")
    with contextlib.suppress(SeqveilError):
        if len(text) < 200 and len(Domain.parse(text)) < 1:
            raise Find("a domain without labels")


NAMES = ("csv", "tsv", "txt", "parquet")


def read_names(format: str, body: bytes) -> None:
    """A file of names: silently for a base, and row by row in small batches for vectors."""
    from seqveil.tables.read import names

    path, column = _file(f"names.{format}", body), None if format == "txt" else "n"
    with contextlib.suppress(SeqveilError):
        _sound(names.read_names(path, column, _alphabet(), user=None if format == "txt" else "u"), len(_alphabet().text))
    with contextlib.suppress(SeqveilError):
        whole = [name for batch in names.stream_names(path, column) for name in batch]
        if whole != [name for batch in names.stream_names(path, column, rows=2) for name in batch]:
            raise Find("names depend on the size of a batch")


@cache
def _alphabet() -> Any:
    from seqveil.tables.names import Alphabet

    return Alphabet.parse("latin,а..я,é")


def parse_alphabet(body: bytes) -> None:
    """What is typed after --alphabet, and a name that is reduced to it."""
    from seqveil.tables.names import Alphabet

    text = body.decode("utf-8", "replace").replace("\x00", "")
    with contextlib.suppress(SeqveilError), contextlib.chdir(folder()):
        alphabet = Alphabet.parse(text[:200])
        normal = alphabet.normalise(text)
        if not set(normal) <= set(alphabet.text) or Alphabet(alphabet.text) != alphabet:
            raise Find("a name keeps characters outside its alphabet")
        if len(alphabet.encode([text, text[:3]]).items) != len(normal) + len(alphabet.normalise(text[:3])):
            raise Find("names that are encoded together touch each other")


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
    changed = true.replace(body[:8], body[8:16], 1) if body[:1] == b"\x00" else _spliced(true, body)
    try:
        (whole / "manifest.json").write_bytes(changed)
        with contextlib.suppress(SeqveilError):
            load(whole)
    finally:
        (whole / "manifest.json").write_bytes(true)


def load_base(body: bytes) -> None:
    """The base of a linkage as somebody sent it: raw bytes, or the true file with some bytes replaced."""
    from seqveil.fenced.linkage.base import Base

    true = (a_linkage() / "base.json").read_bytes()
    with contextlib.suppress(SeqveilError):
        base = Base.load(_file("base.json", body if body[:1] == b"{" else _spliced(true, body)))
        base.save(_absent("base-again.json"))
        if Base.load(folder() / "base-again.json").id != base.id:
            raise Find("a base changes when it is written and read again")


def load_key(body: bytes) -> None:
    """A holder's key that was cut off, changed or is another file."""
    from seqveil.fenced.linkage.key import Key

    true = (a_linkage() / "a.key").read_bytes()
    with contextlib.suppress(SeqveilError):
        key = Key.load(_file("some.key", body if body[:1] == b"P" else _spliced(true, body)))
        if len(key.rows) and not 1 <= key.rows.min() <= key.rows.max() <= key.names:
            raise Find("a key names rows that are not there")


def load_vectors(body: bytes) -> None:
    """A folder of vectors with a changed manifest, or with changed vectors that the manifest vouches for."""
    from seqveil.fenced.linkage.vectors import Vectors

    with contextlib.suppress(SeqveilError), _forged("vectors-a", "vectors.parquet", body) as forged:
        vectors = Vectors.load(forged)
        if vectors.counts.shape != (len(vectors.reaches), len(vectors.lengths)):
            raise Find("vectors do not fit their grams")


def load_pairs(body: bytes) -> None:
    """A folder of pairs, likewise."""
    from seqveil.fenced.linkage.pairs import Pairs

    with contextlib.suppress(SeqveilError), _forged("pairs", "pairs.parquet", body) as forged:
        pairs = Pairs.load(forged)
        if len(pairs) and min(pairs.a.min(), pairs.b.min()) < 1:
            raise Find("pairs name positions before the first")


@cache
def a_linkage() -> Path:
    """A small real linkage on disk: base.json, vectors-a, vectors-b, a.key, b.key and pairs."""
    from seqveil.fenced.linkage.base import Base
    from seqveil.fenced.linkage.matching import match
    from seqveil.fenced.linkage.vectors import Vectors
    from seqveil.fenced.linkage.writing import write_vectors
    from seqveil.tables.names import Alphabet

    place = folder() / "linkage"
    base = Base(Alphabet.parse("latin"), ("a", "n", "b", "an", "nna"))
    base.save(place / "base.json")
    for holder in ("a", "b"):
        names = ["Anna", "Bob", "Hannah", "Bo"]
        write_vectors(base, [names], place / f"vectors-{holder}", place / f"{holder}.key", None, 1)
    match(Vectors.load(place / "vectors-a"), Vectors.load(place / "vectors-b")).save(place / "pairs")
    return place


@contextlib.contextmanager
def _forged(name: str, data: str, body: bytes) -> Iterator[Path]:
    """The true folder while bytes of its manifest, one value of it, or its data together with their digest are changed."""
    place = a_linkage() / name
    before = {path: path.read_bytes() for path in (place / "manifest.json", place / data)}
    manifest = before[place / "manifest.json"]
    try:
        match (body[0] if body else 0) % 3:
            case 0:
                manifest = _spliced(manifest, body[1:])
            case 1:
                manifest = _revalued(manifest, body[1:])
            case 2:
                (place / data).write_bytes(_spliced(before[place / data], body[1:]))
                old, new = (hashlib.sha256(each).hexdigest() for each in (before[place / data], (place / data).read_bytes()))
                manifest = manifest.replace(old.encode(), new.encode())
        (place / "manifest.json").write_bytes(manifest)
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


def _spliced(true: bytes, body: bytes) -> bytes:
    """The true bytes with some of them replaced: most of what comes out is still nearly JSON."""
    if len(body) < 4:
        return body
    at = int.from_bytes(body[:2], "little") % len(true)
    return true[:at] + body[3:] + true[at + body[2] :]


def ask_query(body: bytes) -> None:
    """What is typed after `seqveil query release/`."""
    from seqveil.cli.query import _labels
    from seqveil.release import load

    if not hasattr(ask_query, "release"):
        ask_query.release = load(a_release())  # type: ignore[attr-defined]
    text = body.decode("utf-8", "replace")
    with contextlib.suppress(SeqveilError):
        answer = ask_query.release.count(_labels(text, "," if text[:1] == "," else None))  # type: ignore[attr-defined]
        if answer.low is not None and not answer.low <= answer.value <= answer.high:
            raise Find("an answer outside its own bar")


def parse_words(body: bytes) -> None:
    """Amounts of ε, parameters of methods, comparisons of streams."""
    from seqveil import registry
    from seqveil.cli.options import extra_parameters
    from seqveil.wall.budget import decimal, grains
    from seqveil.wall.continual.where import Where

    text = body.decode("utf-8", "replace")
    with contextlib.suppress(SeqveilError):
        amount = grains(text)
        if grains(decimal(amount)) != amount:
            raise Find("an ε changes when it is written and read again")
    with contextlib.suppress(SeqveilError):
        Where(text).holds(text[::-1])
    with contextlib.suppress(SeqveilError):
        names = list(registry.methods())
        registry.make(names[len(text) % len(names)], extra_parameters(text.split()))


COMMANDS = ("publish", "mine", "query", "synth", "inspect", "check", "evaluate", "ledger", "methods", "report", "stream", "link")
UNTYPED = ("--out", "-o", "--page", "--key", "demo")
"""Words that would write somewhere, or take minutes."""


def run_command(body: bytes) -> None:
    """The command line, with words of its own and of a stranger. Ends with an exit code and no traceback."""
    from seqveil.cli.app import main

    text = body.decode("utf-8", "replace").replace("\x00", "")
    try:
        words = shlex.split(text)[:12]
    except ValueError:
        words = text.split()[:12]
    verb = COMMANDS[(body[0] if body else 0) % len(COMMANDS)]
    place = {"R": str(a_release()), "F": str(_file("data.seq", b"a b\nb 1\n")), "O": str(folder() / "nowhere" / "out")}
    words = [place.get(word, word) for word in words if word not in UNTYPED and "/" not in word]
    said = io.StringIO()
    with (
        patch.object(sys, "argv", ["seqveil", verb, *words]),
        patch.object(sys, "stdin", io.StringIO("1\n2\n")),
        patch.dict("os.environ", {"SEQVEIL_HOME": str(folder() / "home")}),
        contextlib.chdir(folder()),
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(said),
    ):
        try:
            main()
        except SystemExit as left:
            if left.code not in (0, 1, 2, 3, None):
                raise Find(f"exit code {left.code}") from None
    if "unforeseen" in said.getvalue() or "Traceback" in said.getvalue():
        raise Find(f"seqveil {verb} {words}: {said.getvalue()[-500:]}")


TARGETS: dict[str, Target] = {
    **{f"read {format}": partial(read_sequences, format) for format in SEQUENCES},
    "read gzip": read_packed,
    **{f"read graph {format}": partial(read_graph, format) for format in GRAPHS},
    "read relational": read_relational,
    **{f"read names {format}": partial(read_names, format) for format in NAMES},
    "read domain": read_domain,
    "parse alphabet": parse_alphabet,
    "parse domain": parse_domain,
    "read manifest": read_manifest,
    "load release": load_release,
    "load base": load_base,
    "load key": load_key,
    "load vectors": load_vectors,
    "load pairs": load_pairs,
    "ask query": ask_query,
    "parse words": parse_words,
    "run command": run_command,
}
"""Every door by name."""
