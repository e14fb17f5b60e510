"""Power loss, simulated write by write: whatever the disk kept of what was not synced, nothing is ever answered twice."""

import os
import random
import time

import pytest

import seqveil as sv
from seqveil.wall.continual import promise_of
from seqveil.wall.journal import journal as journal_module
from seqveil.wall.journal import witness as witness_module
from seqveil.wall.journal.marks import read_mark
from seqveil.wall.journal.recovery import check_copy, closed_until, examine, frames_of, salt
from seqveil.wall.journal.witness import Witness

OTHER = b"another boot".ljust(32)


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    """A stream of 60 events, and everything it did to its two files, in order: writes, syncs, answers."""
    monkeypatch.setattr(journal_module, "LEAST_LEAD", 4)
    monkeypatch.setattr(journal_module, "EVERY", 1000.0)
    state, home = tmp_path / "s", tmp_path / "home"
    stream = sv.stream.lis(length=60, epsilon=1, account="a", method="binary", state=state, home=home)
    (witness,) = (home / "streams").iterdir()
    start = {"state": state.read_bytes(), "witness": witness.read_bytes()}
    names = {state.stat().st_ino: "state", witness.stat().st_ino: "witness"}
    log, write, sync = [], os.pwrite, journal_module.sync

    def noted_write(descriptor, data, offset):
        log.append(("write", names[os.fstat(descriptor).st_ino], offset, bytes(data)))
        return write(descriptor, data, offset)

    def noted_sync(descriptor):
        sync(descriptor)
        log.append(("sync", names[os.fstat(descriptor).st_ino]))

    monkeypatch.setattr(os, "pwrite", noted_write)
    monkeypatch.setattr(journal_module, "sync", noted_sync)
    monkeypatch.setattr(witness_module, "sync", noted_sync)
    for i in range(60):
        answer = stream.feed(i * 7 % 11)
        log.append(("answered", answer.position, answer.noisy))
        if i % 17 == 16:
            stream._continual._Continual__journal._sync_if_needed()
    monkeypatch.undo()
    noise = {frame.first: frame.draws.tolist() for frame in frames(state)}
    return start, log, noise


def frames(state):
    with state.open("rb") as file:
        promise = promise_of(state)
        yield from frames_of(file, promise, len(promise.head()))


def after_the_crash(start, log, at, rng):
    """Both files as the disk may have them: all that was synced, and any part of the rest, in halves too."""
    files = {name: bytearray(content) for name, content in start.items()}
    pending = {"state": [], "witness": []}

    def put(name, offset, data):
        files[name].extend(bytes(max(0, offset + len(data) - len(files[name]))))
        files[name][offset : offset + len(data)] = data

    for what, name, *rest in log[:at]:
        if what == "write":
            pending[name].append(rest)
        elif what == "sync":
            for offset, data in pending[name]:
                put(name, offset, data)
            pending[name] = []
    for name, writes in pending.items():
        kept = rng.choice(["all", "none", "some"])
        for offset, data in writes:
            if kept == "all" or (kept == "some" and rng.random() < 0.5):
                # The witness writes within one sector, which a disk has whole or not at all; a frame may be torn.
                torn = name == "state" and rng.random() < 0.2
                put(name, offset, data[: len(data) // 2] if torn else data)
    return files


@pytest.mark.slow
def test_no_loss_of_power_leads_to_a_second_answer(recorded, tmp_path):
    """At 600 moments, with random parts of the unsynced writes: all that was answered is stored as it was, or closed."""
    start, log, noise = recorded
    rng = random.Random(5)
    state, witness = tmp_path / "found", tmp_path / "seen"
    lost = 0
    for _ in range(600):
        at = rng.randrange(len(log) + 1)
        files = after_the_crash(start, log, at, rng)
        state.write_bytes(files["state"])
        witness.write_bytes(files["witness"])
        seen = Witness(witness).seen()
        with state.open("rb") as file:
            contents = examine(state, file, seen.position)
        closed = closed_until(state, contents, seen.position, OTHER)
        check_copy(state, contents, seen)
        answered = [entry[1] for entry in log[:at] if entry[0] == "answered"]

        assert max(answered, default=0) <= max(contents.position, closed)
        assert {frame.first: frame.draws.tolist() for frame in frames(state)} == {
            i: noise[i] for i in range(1, contents.position + 1)
        }
        assert closed <= max(contents.position, max(answered, default=0)) + 2 * 17
        lost += contents.position < max(answered, default=0)
    assert lost > 100


def test_an_idle_stream_is_on_the_disk_within_a_second(tmp_path, monkeypatch):
    """Without another event the file is synced, and then nothing is uncertain: the horizon is where the stream is."""
    assert 1.0 == journal_module.EVERY
    monkeypatch.setattr(journal_module, "EVERY", 0.05)
    state = tmp_path / "s"
    with sv.stream.lis(length=60, epsilon=1, account="a", method="binary", state=state, home=tmp_path / "home") as stream:
        stream.feed_many([1, 2, 3])
        promise = promise_of(state)
        until = time.monotonic() + 120
        while time.monotonic() < until:
            text = state.read_bytes()
            mark = read_mark(text[len(promise.head()) : len(promise.head()) + 4096], salt(promise))
            if mark.horizon == 3:
                break
            time.sleep(0.02)

        assert (3, len(text)) == (mark.horizon, mark.durable)
