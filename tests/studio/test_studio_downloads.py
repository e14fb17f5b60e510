"""Downloads: the bytes of the command's files, sent while they are written, in memory that does not grow with the file."""

from __future__ import annotations

import http.client
import io
import socket
import threading
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import seqveil as sv
from seqveil.errors import ReleaseDamaged
from seqveil.studio import streaming
from seqveil.studio.download import downloads, published
from seqveil.studio.shelf import key_of
from seqveil.studio.streaming import PIECE, WAITING, Gone, Pipe
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.write.files import WRITERS, writer_for
from studios import Client

LABELS = ["home", "=1+1", 'park "x"', "<b>shop & co</b>", "新宿"]
BIG = 30_000


@pytest.fixture(scope="module")
def big(data: Path) -> Path:
    """A release whose synthetic records take about 8 MB as XES."""
    rng = np.random.default_rng(1)
    flat = Flat(rng.integers(0, len(LABELS), 4 * BIG).astype(np.int32), np.arange(0, 4 * BIG + 1, 4, dtype=np.int64))
    table = sv.SequenceTable(sv.Domain.of(LABELS, public_because="a map"), flat)
    return sv.experiment(table, sv.NGram(l_max=4, n_max=2), epsilon="9", seed=1).save(data / "big")


def path_of(folder: Path, name: str) -> str:
    return f"/releases/{key_of(folder)}/download/{name}"


def writing() -> list[threading.Thread]:
    """The threads that write downloads."""
    return [one for one in threading.enumerate() if one.name == streaming.WRITER]


@pytest.mark.parametrize("ending", ["csv", "parquet", "xes", "jsonl", "txt"])
def test_records_are_those_that_the_command_writes(client: Client, big: Path, tmp_path: Path, ending: str):
    release = sv.load(big)
    written = release.synthesize().write(tmp_path / f"records.{ending}").read_bytes()

    assert client.get(path_of(big, f"synthetic.{ending}")).body == written


def test_files_are_sent_as_they_were_published(client: Client, big: Path):
    release = sv.load(big)
    names = [name for name in release.manifest.files if client.get(path_of(big, name)).body != (big / name).read_bytes()]

    assert names == []


@pytest.mark.parametrize("ending", sorted(WRITERS))
def test_memory_does_not_grow_with_the_file(ending: str, monkeypatch: pytest.MonkeyPatch):
    """Five times the records take no more memory; the whole file would."""
    monkeypatch.setattr("seqveil.tables.write.lines._ITEMS", 1000)
    monkeypatch.setattr(streaming, "PIECE", 1 << 10)
    monkeypatch.setattr(streaming, "WAITING", 4)
    domain = Domain.of([str(n + 1) for n in range(9)])
    writer = writer_for(ending, domain)

    def peak(records: int) -> int:
        flat = Flat(np.arange(3 * records, dtype=np.int32) % 9, np.arange(0, 3 * records + 1, 3, dtype=np.int64))
        pipe = Pipe()
        tracemalloc.start()
        try:
            thread = threading.Thread(target=pipe.fill, args=(lambda file: writer(file, domain, flat),))
            thread.start()
            while pipe.read_piece():
                pass
            thread.join()
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(10)  # what is imported at the first call
    small = peak(2_000)

    assert peak(10_000) < 1.8 * small


def test_whoever_writes_waits_for_whoever_reads():
    pipe = Pipe()
    thread = threading.Thread(target=pipe.fill, args=(lambda file: file.write(b"x" * (10 * WAITING * PIECE)),), daemon=True)
    thread.start()
    deadline = time.monotonic() + 30
    while pipe._pieces.qsize() < WAITING:
        assert time.monotonic() < deadline
        time.sleep(0.001)
    waiting = pipe._pieces.qsize() * PIECE
    read = 0
    while piece := pipe.read_piece():
        read += len(piece)

    assert waiting == WAITING * PIECE
    assert read == 10 * WAITING * PIECE


def test_a_browser_that_stalls_ends_the_writing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(streaming, "STALLED", 0.01)
    pipe = Pipe()
    pipe.fill(lambda file: file.write(b"x" * (10 * WAITING * PIECE)))

    with pytest.raises(Gone, match="long time"):
        pipe.read_piece()


def test_a_browser_that_goes_away_ends_the_writing(client: Client, big: Path):
    request = f"GET {path_of(big, 'synthetic.xes')} HTTP/1.1\r\nHost: {client.host}\r\nCookie: {client.cookie}\r\n\r\n"
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 14)  # little of the file fits on the way
        sock.connect(("127.0.0.1", client.port))
        sock.sendall(request.encode())
        first = b""
        while len(first) < 1 << 17:
            first += sock.recv(1 << 14)
        began = len(writing())
    deadline = time.monotonic() + 30
    while writing():
        assert time.monotonic() < deadline
        time.sleep(0.01)

    assert first.startswith(b"HTTP/1.1 200")
    assert began == 1


def test_a_file_that_was_changed_is_not_sent(client: Client, big: Path):
    path = big / "synthetic.EXPERIMENT.txt.gz"
    before = path.read_bytes()
    client.get(f"/releases/{key_of(big)}")
    path.write_bytes(before[:-1] + b"?")
    try:
        answer = client.get(path_of(big, path.name))
    finally:
        path.write_bytes(before)

    assert answer.status == 500
    assert "was changed" in answer.text


def test_a_file_that_is_changed_on_its_way_is_never_whole(tmp_path: Path):
    from hashlib import sha256

    path, body = tmp_path / "file", b"a" * (3 * PIECE)
    path.write_bytes(body)
    fill = published(path, sha256(body).hexdigest())
    path.write_bytes(b"b" * (3 * PIECE))
    out = io.BytesIO()

    with pytest.raises(ReleaseDamaged, match="was changed"):
        fill(out)
    assert len(out.getvalue()) < len(body)


def test_what_cannot_be_finished_breaks_the_connection_off(client: Client, big: Path, monkeypatch: pytest.MonkeyPatch):
    """The browser then says that the download failed, instead of keeping half a file."""

    def half(file, domain, flat):
        file.write(b"x" * PIECE)
        raise OSError("the disk failed")

    monkeypatch.setitem(WRITERS, ".txt", half)

    with pytest.raises(http.client.IncompleteRead):
        client.get(path_of(big, "synthetic.txt"))


def test_asking_for_the_headers_writes_nothing(client: Client, big: Path):
    answer = client.ask("HEAD", path_of(big, "synthetic.xes"), None, {"cookie": client.cookie})

    assert (answer.status, answer.body) == (200, b"")
    assert "EXPERIMENT.synthetic.xes" in answer.headers["content-disposition"]
    assert writing() == []


def test_a_label_is_a_cell_and_not_a_formula(client: Client, big: Path):
    release = sv.load(big)
    tables = [name for listed in downloads(release) for _, name in listed.names if name.endswith("table.csv")]
    texts = {name: client.get(path_of(big, name)).text for name in [*tables, "synthetic.csv"]}

    assert len(tables) >= 1
    assert [] == [name for name, text in texts.items() if ",=1+1" in text or "\n=1+1" in text]
    assert all("'=1+1" in text for text in texts.values())
