"""Making a state file: nothing planted beside it is followed, nothing left behind blocks it, and two makers never meet."""

import os
import signal
import stat
import subprocess
import sys

import pytest

import seqveil as sv
from seqveil.errors import CallError, RunFailed
from seqveil.wall.continual import promise_of
from seqveil.wall.journal import statefile
from seqveil.wall.ledger import Ledger

MAKE = """
import os, signal, sys, seqveil as sv
from seqveil.errors import SeqveilError
{then}
try:
    stream = sv.stream.lis(length=40, epsilon="1.0", account="meter", method="binary", state=sys.argv[1], home=sys.argv[2])
    print("made", flush=True)
    sys.stdin.read()
except SeqveilError as error:
    print(error, flush=True)
"""


@pytest.fixture
def place(tmp_path):
    return {"home": tmp_path / "home", "state": tmp_path / "s"}


def start(place):
    return sv.stream.lis(length=40, epsilon="1.0", account="meter", method="binary", **place)


def process(place, then=""):
    command = [sys.executable, "-c", MAKE.format(then=then), place["state"], place["home"]]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def spent(place):
    account = Ledger(place["home"]).account("meter")
    return account.spent // 10**12, account.reserved // 10**12


def untouched(place):
    """Whether the ledger has not heard of the stream: it was refused before anything was reserved."""
    return [] == Ledger(place["home"]).accounts()


@pytest.mark.parametrize("target", ["a file", "nothing", "a folder"])
def test_a_link_that_was_planted_is_not_followed(place, tmp_path, target):
    """What it points to is neither written nor made, nothing is spent, and the error names what is in the way."""
    victim = tmp_path / "victim"
    if target == "a file":
        victim.write_text("precious")
    if target == "a folder":
        victim.mkdir()
    planted = tmp_path / "s.new"
    planted.symlink_to(victim)

    with pytest.raises(CallError, match=r"s\.new exists already"):
        start(place)
    assert planted.is_symlink()
    assert not place["state"].exists()
    assert {"a file": "precious", "nothing": None, "a folder": []}[target] == (
        victim.read_text() if victim.is_file() else list(victim.iterdir()) if victim.is_dir() else None
    )
    assert untouched(place)


@pytest.mark.parametrize("content", [b"a letter to a friend", b"SEQVEIL of something else"])
def test_a_file_of_somebody_else_is_kept(place, tmp_path, content):
    """Not everything that has this name was left by us."""
    (tmp_path / "s.new").write_bytes(content)

    with pytest.raises(CallError, match=r"s\.new exists already"):
        start(place)
    assert content == (tmp_path / "s.new").read_bytes()


def test_a_pipe_that_was_planted_does_not_hang(place, tmp_path):
    """Opening it is refused at once."""
    os.mkfifo(tmp_path / "s.new")

    with pytest.raises(CallError, match=r"s\.new exists already"):
        start(place)


RENAMING = """
real = os.rename
def rename(before, after):
    if str(before).endswith("s.new"):
        {}
    real(before, after)
os.rename = rename
"""
"""Code that does something when the state file is about to get its name."""


@pytest.mark.parametrize("at", ["Promise.head = lambda *_: die()", RENAMING.format("die()")], ids=["empty", "whole"])
def test_what_a_killed_run_left_does_not_block(place, tmp_path, at):
    """A real run dies while it makes the file. What it leaves is closed to others; the next run takes the name."""
    die = "from seqveil.wall.continual import Promise; os.umask(0)\ndie = lambda: os.kill(os.getpid(), signal.SIGKILL)\n"
    with process(place, die + at) as killed:
        killed.communicate(timeout=60)
    left = tmp_path / "s.new"
    assert -signal.SIGKILL == killed.returncode
    assert 0o600 == stat.S_IMODE(left.stat().st_mode)

    with start(place) as stream:
        assert 1 == stream.feed(1).position
    assert not left.exists()


def test_a_file_in_the_making_is_left_alone(place, tmp_path):
    """Another process is half way through: it is not robbed of its file, and goes on."""
    with process(place, RENAMING.format("print('half way', flush=True); sys.stdin.readline()")) as other:
        assert "half way\n" == other.stdout.readline()
        with pytest.raises(CallError, match="in use"):
            start(place)
        other.stdin.write("\n")
        other.stdin.flush()
        assert "made\n" == other.stdout.readline()
        with pytest.raises(CallError, match="in use"):
            start(place)
        other.communicate(timeout=60)
    with start(place) as stream:
        assert 1 == stream.feed(1).position
    assert (1, 0) == spent(place)


def test_of_many_makers_one_makes_it(place):
    """Six processes open one new state at the same time: one stream, one charge, and five refusals that cost nothing."""
    makers = [process(place, "print('ready', flush=True); sys.stdin.readline()") for _ in range(6)]
    for maker in makers:
        assert "ready\n" == maker.stdout.readline()
    for maker in makers:
        maker.stdin.write("\n")
        maker.stdin.flush()
    lines = [maker.stdout.readline() for maker in makers]
    for maker in makers:
        maker.communicate(timeout=60)

    assert 1 == lines.count("made\n"), lines
    assert all("in use" in text or "exists already" in text for text in lines if text != "made\n"), lines
    assert (1, 0) == spent(place)
    (charge,) = [charge for charge in Ledger(place["home"]).charges("meter") if charge.status == "committed"]
    assert promise_of(place["state"]).spend == charge.spend
    with start(place) as stream:
        assert 1 == stream.feed(1).position


@pytest.mark.parametrize("turn", [1, 2])
def test_a_full_disk_leaves_nothing(place, tmp_path, monkeypatch, turn):
    """The file cannot be written: a clear error, no file, nothing spent. On the first try nothing is even reserved."""
    real, tries = statefile.sync, []

    def full(descriptor):
        tries.append(descriptor)
        if len(tries) == turn:
            raise OSError(28, "No space left on device")
        real(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr("seqveil.wall.journal.statefile.sync", full)
        with pytest.raises(CallError, match="cannot be written \\(No space left on device\\)"):
            start(place)

    assert set() == {path.name for path in tmp_path.iterdir()} - {"home"}
    assert untouched(place) if turn == 1 else (0, 0) == spent(place)


@pytest.mark.parametrize("failing", ["seqveil.wall.noise.secure.draw", "seqveil.engines.local.dyadic.LisBlocks.feed"])
def test_what_can_fail_without_an_event_fails_before_the_charge(place, tmp_path, monkeypatch, failing):
    """A sampler or a kernel that cannot be loaded costs no epsilon and leaves no file."""

    def broken(*_, **__):
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(failing, broken)
        with pytest.raises(RunFailed, match=r"not enough memory"):
            start(place)

    assert not place["state"].exists()
    assert [] == Ledger(place["home"]).accounts()
