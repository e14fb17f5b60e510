"""A move that is killed goes on where it was: nothing is computed twice, and the message is the same to the last byte."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from psi_world import PAIRS, World, name_terms, pairs_of_results

from seqveil.errors import CallError
from seqveil.link.psi import chunks, moves, oprf

KILLING = """
import os, shutil, signal, sys
from pathlib import Path
from psi_world import PAIRS, World, name_terms, pairs_of_results
from seqveil.errors import CallError
from seqveil.link.psi import chunks

chunks.PIECE = 64
root, terms = Path(sys.argv[1]), name_terms()
os.environ["SEQVEIL_HOME"] = str(root / "home")
MOVES = {
    "start": (lambda w, out: w.start(out=out or "1.psi")),
    "answer": (lambda w, out: w.answer(out=out or "2.psi")),
    "finish": (lambda w, out: w.finish(reply=out or "3.psi")),
    "open": (lambda w, out: w.open()),
}

def killed_at(step, move, folder):
    "In a child: dies before the step-th time that a file is named, removed or made durable. True: it came to its end."
    child = os.fork()
    if not child:
        seen = 0
        def counted(real):
            def call(*arguments, **more):
                nonlocal seen
                seen += 1
                if seen == step:
                    os.kill(os.getpid(), signal.SIGKILL)
                return real(*arguments, **more)
            return call
        for name in ("link", "rename", "unlink", "fsync"):
            setattr(os, name, counted(getattr(os, name)))
        move(World(folder, terms), None)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

def again(move, world, out):
    "The move once more; None, or why there was nothing to do: its message is there, or it was over."
    try:
        move(world, out)
    except CallError as error:
        reasons = [text for text in ("exists already", "has sent its message already", "is over") if text in str(error)]
        assert reasons, str(error)
        return reasons[0]

before = root / "before"
before.mkdir()
kills = 0
for name, move in MOVES.items():
    step, ended = 1, False
    while not ended:
        folder = root / "now"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(before, folder)
        shutil.rmtree(root / "home", ignore_errors=True)
        ended = killed_at(step, move, folder)
        if not ended:
            kills += 1
            world = World(folder, terms)
            if again(move, world, None) == "exists already" and name != "open":
                number = {"start": 1, "answer": 2, "finish": 3}[name]
                if again(move, world, "again.psi") is None:
                    assert (folder / "again.psi").read_bytes() == (folder / f"{number}.psi").read_bytes()
        step += 1 if step < 6 else 5
    shutil.rmtree(before)
    shutil.copytree(folder, before)
for side in ("ours", "theirs"):
    assert {path.name for path in (before / side).iterdir()} == {"state.json", "terms.json"}
print(kills)
"""


@pytest.mark.slow
def test_killed_anywhere_every_move_goes_on(tmp_path):
    """SIGKILL before a file is named, removed or durable, over all moves; the same words again finish the session."""
    ran = subprocess.run(
        [sys.executable, "-c", KILLING, str(tmp_path)], cwd=Path(__file__).parent, capture_output=True, text=True, check=False
    )

    assert 0 == ran.returncode, ran.stderr
    assert int(ran.stdout) > 20


def test_what_was_computed_is_not_computed_again(tmp_path, monkeypatch):
    """Interrupted before the message is written, one piece lost: the second run multiplies that piece and nothing else."""
    world = World(tmp_path, name_terms())
    world.start()
    calls, multiply, write = [], oprf.times, moves.write_message

    def counted(scalar, point):
        calls.append(point)
        return multiply(scalar, point)

    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(oprf, "times", counted)
    monkeypatch.setattr(moves, "write_message", interrupted)
    with pytest.raises(KeyboardInterrupt):
        world.answer()
    monkeypatch.setattr(moves, "write_message", write)
    (tmp_path / "theirs" / "evaluated-000001").unlink()
    assert len(calls) > 9 * 22
    calls.clear()
    world.answer()

    assert chunks.PIECE == len(calls)
    assert PAIRS == pairs_of_results(world.finish(), world.open())


def test_a_folder_in_use_is_refused(tmp_path):
    """Two runs of one session at once."""
    from seqveil.link.psi.keep import Keep

    world = World(tmp_path, name_terms())
    world.start()
    world.answer()
    with Keep.load(tmp_path / "ours").alone(), pytest.raises(CallError, match="is in use by another run"):
        world.finish()
