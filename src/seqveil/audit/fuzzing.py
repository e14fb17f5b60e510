"""Any bytes at all: doors that a stranger's file or text comes through, each with what it may answer.

A target takes bytes and returns nothing. It may end quietly (a correct table, a correct answer) or in a SeqveilError that is
one of the library's own words; everything else, an exception of another kind or a table that is not one, is a find.
tests/fuzz runs a fixed corpus through all of them, benchmarks/fuzz.py lets a coverage-guided fuzzer look for more.
"""

from __future__ import annotations

import contextlib
import io
import shlex
import sys
from collections.abc import Callable
from functools import cache, partial
from typing import Any
from unittest.mock import patch

import numpy as np

from seqveil.audit.forging import (
    a_release,
    forge_release,
    load_base,
    load_key,
    load_pairs,
    load_release,
    load_vectors,
    read_manifest,
)
from seqveil.audit.readings import BY_LINE, Reader, differing
from seqveil.audit.scratch import LABELS, Find, file_of, folder, small_domain
from seqveil.errors import SeqveilError
from seqveil.tables.domain import Domain

Target = Callable[[bytes], None]
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
    from seqveil import sources

    described = SEQUENCES[format]
    size = len(LABELS) + (described.get("outside") == "other")
    with contextlib.suppress(SeqveilError):
        _sound(sources.read_sequences(file_of(f"data.{format}", body), domain=small_domain(), format=format, **described), size)


def read_journeys(body: bytes) -> None:
    """A table with a journey in each row: every record that is read has both ends."""
    from seqveil import sources

    with contextlib.suppress(SeqveilError):
        described: dict[str, Any] = {"user": "u", "origin": "o", "destination": "d"}
        table = sources.read_sequences(file_of("journeys.csv", body), domain=small_domain(), **described)
        _sound(table, len(LABELS))
        if (np.diff(table.flat.offsets) != 2).any():
            raise Find("a journey without its origin or its destination")


def read_packed(body: bytes) -> None:
    """A gzip archive of lines."""
    from seqveil import sources

    with contextlib.suppress(SeqveilError):
        _sound(sources.read_sequences(file_of("data.seq.gz", body), domain=small_domain()), len(LABELS))


def read_graph(format: str, body: bytes) -> None:
    """A file of edges."""
    from seqveil.sources.graphs import read_graph as reader

    with contextlib.suppress(SeqveilError):
        table = reader(file_of(f"edges.{format}", body), domain=small_domain(), order_is_public=True, format=format)
        if len(table) and not ((table.low < table.high).all() and table.low.min() >= 0 and table.high.max() < len(LABELS)):
            raise Find("a graph holds a pair that is not an edge")


def read_relational(body: bytes) -> None:
    """A table of declared categories."""
    from seqveil.sources.relational import read_relational as reader

    with contextlib.suppress(SeqveilError):
        domain = Domain.of(["sex=f", "sex=m", "age=1", "age=2"])
        _sound(reader(file_of("people.csv", body), domain=domain), 4)


def read_apart(reader: Reader, body: bytes) -> None:
    """Lines of two people, who are read apart and together. The first byte says which line is the second one's first."""
    lines = body[1:].split(b"\n")
    at = body[0] % (len(lines) + 1) if body else 0
    if words := differing(reader, lines[:at], lines[at:]):
        raise Find(words)


def read_domain(body: bytes) -> None:
    """A file of labels."""
    with contextlib.suppress(SeqveilError):
        if len(Domain.from_file(file_of("labels.txt", body))) < 1:
            raise Find("a domain without labels")


def parse_domain(body: bytes) -> None:
    """What is typed after --domain."""
    text = body.decode("utf-8", "replace").replace("\x00", "")
    with contextlib.suppress(SeqveilError):
        if len(text) < 200 and len(Domain.parse(text)) < 1:
            raise Find("a domain without labels")


def read_calendar(body: bytes) -> None:
    """A file of time bins, and what is typed after --time-bins; times in it, and what a release writes of it."""
    from seqveil.tables.calendar import Calendar
    from seqveil.tables.calendar_file import calendar_of, calendar_text
    from seqveil.tables.calendar_file import read_calendar as reader

    text = body.decode("utf-8", "replace").replace("\x00", "")
    doors: tuple[Callable[[], Calendar], ...] = (partial(reader, file_of("bins.tsv", body)), partial(Calendar.parse, text[:20]))
    for read in doors:
        with contextlib.suppress(SeqveilError), contextlib.chdir(folder()):
            calendar = read()
            bins = calendar.bins(np.array([0.0, 1e300, -1e300, *calendar.starts[:50]]))
            if bins.min() < -1 or bins.max() >= len(calendar):
                raise Find("a moment lies in a bin that the calendar does not have")
            if calendar_of("again", calendar_text(calendar)) != calendar:
                raise Find("a calendar changes when it is written and read again")
            calendar.named(text[:20])


NAMES = ("csv", "tsv", "txt", "parquet")


def read_names(format: str, body: bytes) -> None:
    """A file of names: silently for a base, and row by row in small batches for vectors."""
    from seqveil.sources import names

    path, column = file_of(f"names.{format}", body), None if format == "txt" else "n"
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
            raise Find("names that are encoded together change each other")


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
            raise Find("an answer outside its own interval")


def parse_words(body: bytes) -> None:
    """Amounts of ε, parameters of methods, comparisons of streams."""
    from seqveil import registry
    from seqveil.cli.options import extra_parameters
    from seqveil.wall.budget import decimal, grains
    from seqveil.wall.continual import Matches
    from seqveil.wall.continual.where import Where

    text = body.decode("utf-8", "replace")
    with contextlib.suppress(SeqveilError):
        amount = grains(text)
        if grains(decimal(amount)) != amount:
            raise Find("an ε changes when it is written and read again")
    with contextlib.suppress(SeqveilError):
        Where(text).holds(text[::-1])
    with contextlib.suppress(SeqveilError):
        Matches(text).numbers([text, text[::-1]])
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
    place = {"R": str(a_release()), "F": str(file_of("data.seq", b"a b\nb 1\n")), "O": str(folder() / "nowhere" / "out")}
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
    if "internal error" in said.getvalue() or "Traceback" in said.getvalue():
        raise Find(f"seqveil {verb} {words}: {said.getvalue()[-500:]}")


TARGETS: dict[str, Target] = {
    **{f"read {format}": partial(read_sequences, format) for format in SEQUENCES},
    "read journeys": read_journeys,
    "read gzip": read_packed,
    **{f"read graph {format}": partial(read_graph, format) for format in GRAPHS},
    "read relational": read_relational,
    **{f"read apart {reader.name}": partial(read_apart, reader) for reader in BY_LINE},
    **{f"read names {format}": partial(read_names, format) for format in NAMES},
    "read domain": read_domain,
    "read calendar": read_calendar,
    "parse alphabet": parse_alphabet,
    "parse domain": parse_domain,
    "read manifest": read_manifest,
    "load release": load_release,
    "load base": load_base,
    "forge release": forge_release,
    "load key": load_key,
    "load vectors": load_vectors,
    "load pairs": load_pairs,
    "ask query": ask_query,
    "parse words": parse_words,
    "run command": run_command,
}
"""Every door by name."""
