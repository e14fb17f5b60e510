"""The stand-in for `subprocess.run` is one: what a child gets, says and ends with."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from processes import run

CODE = """
import os, sys, threading
print(sys.stdin.read(), os.getcwd(), os.environ["ONE"], sys.argv[1:], threading.active_count(), end="")
print("ε", file=sys.stderr, end="")
sys.exit(7)
"""


def test_a_child_is_like_one_of_subprocess(tmp_path):
    """Streams, folder, environment, words, exit code; one thread, and nobody else's descriptors."""
    call = [sys.executable, "-c", CODE, "a", "b"]
    given = {"cwd": tmp_path, "env": {**os.environ, "ONE": "1"}, "input": "in", "text": True}
    ours, theirs = run(call, **given), subprocess.run(call, **given, capture_output=True, check=False)

    assert (theirs.returncode, theirs.stdout, theirs.stderr) == (ours.returncode, ours.stdout, ours.stderr)


def test_a_child_has_its_own_memory_and_descriptors(tmp_path):
    """What one child changes, the next does not see; it has the descriptors that it was given under their numbers."""
    reading, writing = os.pipe()
    os.write(writing, b"piped")
    os.close(writing)
    code = (
        f"import os, sys; print(os.read({reading}, 9), getattr(sys, 'mark', 0), len(os.listdir('/proc/self/fd'))); sys.mark = 1"
    )
    first = run([sys.executable, "-c", code], pass_fds=[reading])
    os.close(reading)
    code = "import os, sys; print(getattr(sys, 'mark', 0), len(os.listdir('/proc/self/fd')))"
    second = run([sys.executable, "-c", code])

    assert b"b'piped' 0 5\n" == first.stdout
    assert b"0 4\n" == second.stdout


def test_how_a_child_ends(tmp_path):
    """Killed, failed, or too slow."""
    killed = run([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"])
    failed = run([sys.executable, "-c", "1 / 0"], text=True)

    assert (-9, 1) == (killed.returncode, failed.returncode)
    assert failed.stderr.endswith("ZeroDivisionError: division by zero\n")
    with pytest.raises(subprocess.TimeoutExpired):
        run([sys.executable, "-c", "import time; time.sleep(60)"], timeout=0.2)
    assert 0 == run([sys.executable, "-c", "pass"]).returncode
