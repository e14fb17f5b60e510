"""Single files are written whole, in their owner's mode, and never through a link."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from seqveil.errors import CallError, RunFailed
from seqveil.whole import INTERNAL, refuse_taken, write_whole


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct)
def umask(request):
    """What the user's shell may have set."""
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def test_modes_are_the_umasks_or_the_owners_alone(tmp_path, umask):
    """A page with raw data is closed to others whatever the umask is; other files are as open as it says."""
    write_whole(tmp_path / "public", b"x")
    write_whole(tmp_path / "internal", b"x", mode=INTERNAL)
    (tmp_path / "open").write_bytes(b"old")
    (tmp_path / "open").chmod(0o666)
    write_whole(tmp_path / "open", b"new", mode=INTERNAL, overwrite=True)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}

    assert {"public": 0o666 & ~umask, "internal": 0o600 & ~umask, "open": 0o600 & ~umask} == modes


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("there", [False, True], ids=["dangling", "to a file"])
def test_nothing_is_written_through_a_link(tmp_path, overwrite, there):
    """Whoever plants a link gets neither the file behind it overwritten nor one made there."""
    behind, link = tmp_path / "behind", tmp_path / "page.html"
    if there:
        behind.write_text("mine")
    link.symlink_to(behind)

    with pytest.raises(CallError, match="symbolic link"):
        write_whole(link, b"new", overwrite=overwrite)

    assert (there, True) == (behind.exists(), link.is_symlink())
    assert not there or "mine" == behind.read_text()


def test_a_link_that_is_planted_while_writing_is_not_followed(tmp_path):
    """Between the check and the name there is time; the name is only given where nothing is."""
    behind, target = tmp_path / "behind", tmp_path / "page.html"
    behind.write_text("mine")

    with pytest.raises(CallError, match="exists already"):
        write_whole(target, lambda work: target.symlink_to(behind))

    assert "mine" == behind.read_text()


def test_what_exists_is_refused_or_replaced(tmp_path):
    """Unless asked to, nothing is overwritten; what is no file never is."""
    target = write_whole(tmp_path / "a", b"one")

    with pytest.raises(CallError, match="exists already"):
        write_whole(target, b"two")
    assert b"two" == write_whole(target, b"two", overwrite=True).read_bytes()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CallError, match="not a regular file"):
        write_whole(tmp_path / "pipe", b"x", overwrite=True)
    with pytest.raises(CallError, match="give another --out"):
        refuse_taken(target, "give another --out")


def test_a_failure_leaves_what_was_there(tmp_path):
    """Neither half a file nor a hidden one."""
    write_whole(tmp_path / "a", b"old")

    def fails(work: Path) -> None:
        work.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(RunFailed, match="No space left"):
        write_whole(tmp_path / "a", fails, overwrite=True)
    with pytest.raises(RunFailed, match="No space left"):
        write_whole(tmp_path / "b", fails)
    with pytest.raises(RunFailed, match="could not be written"):
        write_whole(tmp_path / "a" / "b", b"x")

    assert {"a": b"old"} == {path.name: path.read_bytes() for path in tmp_path.iterdir()}


KILLED = """
import os, signal, sys
from pathlib import Path
from seqveil.whole import write_whole

def write(work):
    work.write_bytes(b"half")
    os.kill(os.getpid(), signal.SIGKILL)

write_whole(Path(sys.argv[1]), write, overwrite=True)
"""


def test_a_kill_leaves_the_old_file_and_the_next_writer_clears_away(tmp_path):
    """A dead writer's hidden file goes; a living one's stays."""
    target = write_whole(tmp_path / "a", b"old")
    died = subprocess.run([sys.executable, "-c", KILLED, target], check=False)
    left = sorted(path.name for path in tmp_path.iterdir())
    inside: list[list[str]] = []

    def write(work: Path) -> None:
        write_whole(tmp_path / "b", b"other")
        inside.append(sorted(path.name for path in tmp_path.iterdir()))

    write_whole(tmp_path / "c", write)

    assert (-signal.SIGKILL, 2, b"old") == (died.returncode, len(left), target.read_bytes())
    assert 1 == len([name for name in inside[0] if name.endswith(".unfinished")])
    assert ["a", "b", "c"] == sorted(path.name for path in tmp_path.iterdir())


RACING = """
import sys
from pathlib import Path
from seqveil.errors import CallError
from seqveil.whole import write_whole

target, me = Path(sys.argv[1]), sys.argv[2].encode()
print("ready", flush=True)
sys.stdin.readline()
try:
    write_whole(target, me * 100_000)
    print("won")
except CallError:
    print("refused")
"""


def test_of_several_writers_one_wins(tmp_path):
    """All others are refused, and the file is the winner's as a whole."""
    target = tmp_path / "a"
    racers = [
        subprocess.Popen([sys.executable, "-c", RACING, target, str(k)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for k in range(6)
    ]
    for racer in racers:
        assert racer.stdout is not None
        assert "ready\n" == racer.stdout.readline()
    ended = [racer.communicate("go\n")[0].strip() for racer in racers]

    assert ["refused"] * 5 + ["won"] == sorted(ended)
    assert str(ended.index("won")) * 100_000 == target.read_text()
    assert ["a"] == [path.name for path in tmp_path.iterdir()]
