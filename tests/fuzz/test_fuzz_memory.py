"""Small files that would like to become large: they are refused or read, and memory stays bounded either way."""

from __future__ import annotations

import gzip
import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from seqveil.audit.faults import forked
from seqveil.errors import InputProblems, ReleaseDamaged
from seqveil.release.manifest import Manifest
from seqveil.sources import blocks as source_module
from seqveil.sources import read_sequences
from seqveil.sources.names import read_names, stream_names
from seqveil.tables.domain import Domain
from seqveil.tables.names import Alphabet

pytestmark = pytest.mark.slow
DOMAIN = Domain.of(["a", "b"])
MOST = 600
"""Megabytes that reading any of these may take."""


def _packed(path: Path, head: bytes, piece: bytes, times: int, tail: bytes) -> Path:
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(head)
        for _ in range(times):
            file.write(piece)
        file.write(tail)
    return path


def _peak(work: Callable[[], object], paper: Path) -> tuple[str, int]:
    """What work came to, and how many megabytes it took at most; in a child of its own."""

    def measured() -> int:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        try:
            came = type(work()).__name__
        except (InputProblems, ReleaseDamaged) as error:
            came = type(error).__name__
        print(came, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
        return 0

    assert 0 == forked(measured, patience=120, paper=paper)
    came, megabytes = paper.read_text(encoding="utf-8").split()
    return came, int(megabytes)


MEGABYTE = b"z" * (1 << 20)


@pytest.mark.parametrize(
    ("name", "parts", "expected"),
    [
        ("one label.seq.gz", (b"a ", MEGABYTE, 200, b" b\na b\n"), "SequenceTable"),
        ("many lines.seq.gz", (b"", b"zzzzzzz\n" * (1 << 17), 100, b"a\n"), "SequenceTable"),
        ("header.csv.gz", (b"", b"c," * (1 << 19), 100, b"i\na\n"), "InputProblems"),
        ("cell.csv.gz", (b"i\n", MEGABYTE, 200, b"\na\n"), "SequenceTable"),
        ("deep.jsonl.gz", (b"", b"[" * (1 << 20), 20, b'\n["a"]\n'), "SequenceTable"),
        ("tag.xes.gz", (b'<log><trace><event><string key="', MEGABYTE, 200, b'" value="a"/>'), "InputProblems"),
    ],
)
def test_what_unpacks_into_much_takes_little(
    name: str, parts: tuple[bytes, bytes, int, bytes], expected: str, tmp_path: Path
) -> None:
    """A megabyte of archive is a hundred of content; reading it takes no more than it would for any file."""
    path = _packed(tmp_path / name, *parts)
    described = {"item": "i"} if ".csv" in name else {}

    came, megabytes = _peak(lambda: read_sequences(path, domain=DOMAIN, **described), tmp_path / "paper")

    assert expected == came
    assert megabytes < MOST


@pytest.mark.parametrize(
    ("name", "parts", "most"),
    [
        ("cell.csv.gz", (b"n\n", MEGABYTE, 200, b"\na\n"), MOST),
        ("line.txt.gz", (b"", MEGABYTE, 200, b"\na\n"), MOST),
        ("many.txt.gz", (b"", b"zzzzzzz\n" * (1 << 17), 15, b"a\n"), 240),  # takes 142
    ],
)
def test_names_that_unpack_into_much_take_little(
    name: str, parts: tuple[bytes, bytes, int, bytes], most: int, tmp_path: Path
) -> None:
    """The same for a base; and the holder's own steps read so much as one batch holds, or refuse."""
    path, column = _packed(tmp_path / name, *parts), "n" if ".csv" in name else None
    alphabet = Alphabet.parse("a..y")

    came, megabytes = _peak(lambda: read_names(path, column, alphabet), tmp_path / "paper")
    streamed = _peak(lambda: sum(len(batch) for batch in stream_names(path, column, rows=100_000)), tmp_path / "paper")

    assert "SequenceTable" == came
    assert max(megabytes, streamed[1]) < most


def test_what_stands_after_a_long_line_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line is cut in silence; the lines around it are whole."""
    monkeypatch.setattr(source_module, "MOST_LINE", 40)
    monkeypatch.setattr(source_module, "STEP", 16)
    path = tmp_path / "data.seq"
    path.write_text("a b\n" + "b " * 500 + "\na a b\n" + "a " * 7 + "\nb", encoding="utf-8")
    table = read_sequences(path, domain=DOMAIN)

    assert [2, 20, 3, 7, 1] == table.flat.lengths.tolist()


def test_a_domain_that_does_not_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it is unpacked."""
    monkeypatch.setattr("seqveil.tables.labels.MOST_BYTES", 1 << 16)
    with pytest.raises(InputProblems, match="longer than 1 GB"):
        Domain.from_file(_packed(tmp_path / "labels.txt.gz", b"a\n", MEGABYTE, 5, b"\n"))


@pytest.mark.parametrize("text", ["[" * 500_000, '{"a":' * 100_000])
def test_deep_json_is_no_manifest(text: str) -> None:
    """Nested deeper than a parser can go: refused in words."""
    with pytest.raises(ReleaseDamaged, match="is not JSON"):
        Manifest.from_json(text)


def test_entities_are_refused(tmp_path: Path) -> None:
    """An XES log that declares entities, however few, is refused before any is expanded."""
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 12))
    path = tmp_path / "log.xes"
    path.write_text(f'<!DOCTYPE l [<!ENTITY l0 "ha">{laughs}]><log><trace>&l11;</trace></log>', encoding="utf-8")

    with pytest.raises(InputProblems, match="entity"):
        read_sequences(path, domain=DOMAIN)
