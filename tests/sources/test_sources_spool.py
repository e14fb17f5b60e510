"""Inputs that can be read once, and inputs that change under one's hands: opened once, read as often as needed."""

from __future__ import annotations

import gc
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import polars as pl
import pytest

from seqveil.errors import InputProblems
from seqveil.sources import Source, read_sequences
from seqveil.sources.graphs import read_graph
from seqveil.sources.names import read_names, stream_names
from seqveil.sources.relational import read_relational
from seqveil.sources.spool import spooled
from seqveil.tables.domain import Domain
from seqveil.tables.names import Alphabet

LABELS = Domain.of(["a", "b", "c"])
LOG = b"who,what\nu,a\nv,b\nu,c\n"


def fifo(path: Path, body: bytes) -> Path:
    """A FIFO into which somebody writes, once."""
    os.mkfifo(path)
    threading.Thread(target=path.write_bytes, args=(body,), daemon=True).start()
    return path


def records(table: object) -> list[list[int]]:
    return [codes.tolist() for codes in table.flat]  # type: ignore[attr-defined]


def parquet(path: Path) -> bytes:
    pl.DataFrame({"who": ["u", "v", "u"], "what": ["a", "b", "c"]}).write_parquet(path)
    return path.read_bytes()


@pytest.mark.parametrize("suffix", ["csv", "parquet", "seq"])
def test_a_fifo_is_read_whole(suffix: str, tmp_path: Path) -> None:
    """Though its header is looked at first."""
    body = {"csv": LOG, "seq": b"a c\nb\n"}.get(suffix) or parquet(tmp_path / "x.parquet")
    named = {} if suffix == "seq" else {"user": "who", "item": "what"}

    assert [[0, 2], [1]] == records(read_sequences(fifo(tmp_path / f"log.{suffix}", body), domain=LABELS, **named))


def test_every_reader_takes_a_fifo(tmp_path: Path) -> None:
    """Relational tables, graphs and names too."""
    people = fifo(tmp_path / "p.csv", b"sex\nf\nm\n")
    edges = fifo(tmp_path / "g.csv", b"from,to\n1,2\n2,3\n")
    base, embedded = (fifo(tmp_path / f"{k}.csv", b"name\nann\nbob\n") for k in "no")

    assert [[0], [1]] == records(read_relational(people, domain=Domain.of(["sex=f", "sex=m"])))
    assert [0, 1] == read_graph(edges, domain=Domain.range(1, 3), order_is_public=True).low.tolist()
    assert [3, 3] == [len(name) for name in records(read_names(base, "name", Alphabet.parse("latin")))]
    assert [["ann", "bob"]] == list(stream_names(embedded, "name"))


def test_standard_input_is_read_whole() -> None:
    """As - and as /dev/stdin, from Python; the format must be said."""
    kept = os.dup(0)
    try:
        for name in ("-", "/dev/stdin"):
            read, write = os.pipe()
            os.write(write, LOG)
            os.close(write)
            os.dup2(read, 0)
            os.close(read)
            table = read_sequences(name, domain=LABELS, format="csv", user="who", item="what")
            assert [[0, 2], [1]] == records(table)
            with pytest.raises(InputProblems, match="add format=FORMAT"):
                read_sequences(name, domain=LABELS, user="who", item="what")
    finally:
        os.dup2(kept, 0)
        os.close(kept)


def test_a_pipe_that_was_read_before_is_not_an_empty_one() -> None:
    """Nothing comes out of it any more: an error, not a table without rows."""
    read, write = os.pipe()
    os.write(write, LOG)
    os.close(write)
    path = f"/dev/fd/{read}"
    try:
        assert b"" != os.read(read, 1 << 16)
        with pytest.raises(InputProblems, match="without a byte"):
            read_sequences(path, domain=LABELS, format="csv", user="who", item="what")
    finally:
        os.close(read)


@pytest.mark.parametrize("how", ["replaced", "removed"])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_what_was_opened_is_what_is_read(how: str, suffix: str, tmp_path: Path) -> None:
    """Another file takes the name between the look at the format, the fingerprint and the reading."""
    path = tmp_path / f"log.{suffix}"
    path.write_bytes(LOG) if suffix == "csv" else parquet(path)
    whole = path.read_bytes()
    source = Source(path, LABELS, user="who", item="what")
    assert source.description
    path.unlink()
    if how == "replaced":
        path.write_bytes(b"something\nelse\n")

    assert whole == b"".join(source.chunks())
    assert [[0, 2], [1]] == records(source.read())
    assert whole == b"".join(source.chunks())


def test_what_has_no_end_and_what_is_no_file_is_refused(tmp_path: Path) -> None:
    """Each with a sentence, before a byte is read."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s.seq"))
        cases = {
            "/dev/zero": "is a device",
            "/dev/null": "is a device",
            str(tmp_path): "is a folder",
            str(tmp_path / "s.seq"): "is a socket",
            str(tmp_path / "none.seq"): "does not exist",
        }
        for path, message in cases.items():
            with pytest.raises(InputProblems, match=message):
                read_sequences(path, domain=LABELS, format="lines")


def open_descriptors() -> set[str]:
    """Without the one that lists them, which is closed again."""
    return {fd for fd in os.listdir("/proc/self/fd") if os.path.lexists(f"/proc/self/fd/{fd}")}


def test_the_copy_is_private_and_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It lies where TMPDIR says, for nobody else to read, without a name; no descriptor is left."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    gc.collect()  # what an earlier test left open would be closed meanwhile, and its number used again
    before = open_descriptors()
    file = spooled(fifo(tmp_path / "log.seq", b"a b\n" * 10))
    descriptors = sorted(open_descriptors() - before)
    (mode,) = {os.stat(f"/proc/self/fd/{fd}").st_mode & 0o777 for fd in descriptors}

    assert 0o600 == mode
    assert os.readlink(f"/proc/self/fd/{descriptors[0]}").startswith(str(tmp_path))
    assert ["log.seq"] == os.listdir(tmp_path)
    assert b"a b\n" * 10 == file.read_bytes()
    del file
    gc.collect()
    assert before >= open_descriptors()


def test_a_full_disk_is_told() -> None:
    """With what to do about it; a file may not grow beyond a limit, as on a disk that is full."""
    python = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "import seqveil as sv\n"
        "try: sv.read_sequences('-', domain=sv.Domain.of(['a', 'b']), format='lines')\n"
        "except sv.SeqveilError as error: print(error)\n"
    )
    ran = subprocess.run([sys.executable, "-c", python], input=b"a b\n" * 100_000, capture_output=True, check=False, timeout=60)

    assert b"cannot be copied to" in ran.stdout
    assert b"set TMPDIR to a folder with more space" in ran.stdout
    assert b"Nothing was spent" in ran.stdout
