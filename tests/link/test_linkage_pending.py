"""`link embed` leaves the vectors and the key, or neither, wherever it is killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from seqveil.errors import CallError
from seqveil.link.base import Base
from seqveil.link.key import Key
from seqveil.link.pending import settle
from seqveil.link.vectors import Vectors
from seqveil.link.writing import write_vectors
from seqveil.tables.names import Alphabet

BASE = Base(Alphabet("abcdefghijklmnopqrstuvwxyz"), ("a", "n", "an", "be", "o"))
NAMES = ["Anna", "Bob", "Ben"]

KILLING = """
import json, os, signal, sys
from pathlib import Path
from seqveil.link.base import Base
from seqveil.link.writing import write_vectors
from seqveil.tables.names import Alphabet

BASE = Base(Alphabet("abcdefghijklmnopqrstuvwxyz"), ("a", "n", "an", "be", "o"))

def embed(folder, step):
    "Embed; die before the step-th time that a file is named, removed or made durable. 0: do not die."
    seen = 0
    def counted(real):
        def call(*arguments, **named):
            nonlocal seen
            seen += 1
            if seen == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments, **named)
        return call
    for name in ("link", "rename", "unlink", "fsync"):
        setattr(os, name, counted(getattr(os, name)))
    write_vectors(BASE, iter([["Anna", "Bob", "Ben"]]), folder / "vectors", folder / "rows.key", edits=1)

def in_a_child(folder, step):
    child = os.fork()
    if not child:
        try:
            embed(folder, step)
            os._exit(0)
        except BaseException as error:
            print(repr(error), file=sys.stderr)
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

write_vectors(BASE, iter([["Anna"]]), Path(sys.argv[1]) / "warm", Path(sys.argv[1]) / "warm.key", edits=1)  # compile once
outcomes = []
for step in range(1, 100):
    folder = Path(sys.argv[1]) / str(step)
    folder.mkdir()
    ended = in_a_child(folder, step)
    left = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
    again = None if "vectors" in left else in_a_child(folder, 0)
    outcomes.append([step, ended, left, again])
    if ended == 0:
        break
print(json.dumps(outcomes))
"""


def test_killed_anywhere_there_are_both_or_none_after_the_same_call(tmp_path):
    """At no step are there vectors without their key; and the same command, typed again, ends with both of one run."""
    ran = subprocess.run([sys.executable, "-c", KILLING, tmp_path], capture_output=True, text=True, check=True)
    steps = json.loads(ran.stdout)

    assert (0, ["rows.key", "vectors"]) == tuple(steps[-1][1:3])
    assert len(steps) > 12
    assert {-9} == {ended for _, ended, *_ in steps[:-1]}
    assert {(), ("rows.key",), ("rows.key", "vectors")} == {tuple(left) for *_, left, _ in steps}
    assert {0, None} == {again for *_, again in steps}, ran.stderr
    for step, *_ in steps:
        folder = tmp_path / str(step)
        assert Vectors.load(folder / "vectors").digest == Key.load(folder / "rows.key").vectors


def journal_left(tmp_path: Path) -> tuple[Path, Path]:
    """Vectors and a key, with the journal still beside it: as a kill after the last name leaves them."""
    out, key = tmp_path / "vectors", tmp_path / "rows.key"
    write_vectors(BASE, iter([NAMES]), out, key, edits=1)
    awaited = {"folder": str(out.absolute()), "vectors": Key.load(key).vectors}
    (tmp_path / ".rows.key.pending").write_text(json.dumps(awaited))
    return out, key


def test_a_key_whose_vectors_came_is_never_taken_away(tmp_path):
    """Killed after both had their names: only the journal goes."""
    out, key = journal_left(tmp_path)
    settle(key)

    assert ["rows.key", "vectors"] == sorted(path.name for path in tmp_path.iterdir())
    assert Vectors.load(out).digest == Key.load(key).vectors


def test_a_key_of_other_vectors_is_never_taken_away(tmp_path):
    """The journal speaks of one key, and of no other that has its name by now."""
    out, key = journal_left(tmp_path)
    os.rename(out, tmp_path / "elsewhere")
    key.unlink()
    write_vectors(BASE, iter([NAMES[:2]]), tmp_path / "others", tmp_path / "others.key", edits=1)
    os.rename(tmp_path / "others.key", key)
    settle(key)

    assert Vectors.load(tmp_path / "others").digest == Key.load(key).vectors


@pytest.mark.parametrize("journal", [b"", b"{}", b"[1]", b'{"folder": 1, "vectors": 2}', b"\xff" * 100_000])
def test_what_is_no_journal_of_ours_changes_nothing(tmp_path, journal):
    """Whoever puts a file there does not make us delete a key."""
    write_vectors(BASE, iter([NAMES]), tmp_path / "vectors", tmp_path / "rows.key", edits=1)
    (tmp_path / ".rows.key.pending").write_bytes(journal)
    settle(tmp_path / "rows.key")

    assert 3 == len(Key.load(tmp_path / "rows.key").rows)


def test_a_run_that_lives_is_left_alone(tmp_path, monkeypatch):
    """Two runs to the same key: the second one is refused while the first is between its two names."""
    from seqveil.link import writing

    real, refused = writing.seal, []

    def seal(work: Path, target: Path) -> None:
        with pytest.raises(CallError, match="being written by another run") as caught:
            settle(tmp_path / "rows.key")
        refused.append(caught)
        real(work, target)

    monkeypatch.setattr(writing, "seal", seal)
    write_vectors(BASE, iter([NAMES]), tmp_path / "vectors", tmp_path / "rows.key", edits=1)

    assert 1 == len(refused)
    assert ["rows.key", "vectors"] == sorted(path.name for path in tmp_path.iterdir())
