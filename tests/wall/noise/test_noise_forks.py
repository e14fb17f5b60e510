"""Noise after a fork: no process repeats what another drew, and none spends another's budget."""

import copy
import os
import pickle
import shutil
import subprocess
import sys

import numpy as np
import pytest

from forks import in_fork
from seqveil.errors import CallError, RunFailed
from seqveil.tables.units import Record
from seqveil.wall import process
from seqveil.wall.noise import Scale, SecureNoise, Sigma
from seqveil.wall.questions.grams import Grams
from seqveil.wall.wall import Wall
from strategies import paper_table

WIDE = Scale(1e15)


def test_a_source_of_noise_is_not_used_in_a_fork():
    """Every law refuses in the child; the parent goes on."""
    from fractions import Fraction

    noise = SecureNoise()
    laws = {
        "laplace": lambda: noise.laplace(WIDE, 1),
        "gaussian": lambda: noise.gaussian(Sigma(4.0), 1),
        "beyond": lambda: noise.beyond(WIDE, 0, 1),
        "passing": lambda: noise.passing(Scale(2.0), 1, 10),
        "distinct": lambda: noise.distinct(1, 10),
        "below": lambda: noise.below(10, 1),
        "exponential": lambda: noise.exponential(np.array([1, 2]), Fraction(1, 2)),
        "ladder": lambda: noise.ladder(np.array([2]), Scale(1.0)),
        "overlap": lambda: noise.overlap(2, 2, 2, Fraction(1, 2)),
    }

    def try_all():
        return {name: refused(law) for name, law in laws.items()}

    assert dict.fromkeys(laws, True) == in_fork(try_all)
    assert dict.fromkeys(laws, False) == try_all()


def refused(law):
    try:
        law()
    except RunFailed as error:
        return "this source of noise belongs to process" in str(error)
    return False


def test_a_wall_is_not_asked_in_a_fork():
    """Its budget was charged once, so parent and child cannot both spend it."""
    wall = Wall(paper_table(), Record(), 10**12, SecureNoise())

    assert isinstance(in_fork(lambda: wall.size(10**12)), RunFailed)
    assert isinstance(wall.size(10**12), int)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_wall_and_its_trees_are_not_copied(copied):
    """A copy would have a budget of its own, and nobody was charged for that."""
    wall = Wall(paper_table(), Record(), 10**12, SecureNoise())
    tree = wall.tree(Grams(3, 2), 10**11)

    for owned in (wall, tree):
        with pytest.raises(CallError, match="cannot be copied or pickled"):
            copied(owned)


def test_forked_processes_draw_different_noise():
    """With fresh sources no two of twenty children draw the same."""
    SecureNoise().laplace(WIDE, 3)
    drawn = [tuple(in_fork(lambda: SecureNoise().laplace(WIDE, 4).tolist())) for _ in range(20)]
    drawn.append(tuple(SecureNoise().laplace(WIDE, 4).tolist()))

    assert 21 == len(set(drawn))


REUSED = """
import os, sys
from seqveil.wall.noise import Scale, SecureNoise

ready, gone = os.pipe(), os.pipe()
ancestor = os.fork()
if ancestor == 0:
    number, wide = os.getpid(), Scale(1e15)
    owned = SecureNoise()
    if os.fork() == 0:
        os.read(gone[0], 1)
        with open("/proc/sys/kernel/ns_last_pid", "w") as file:
            file.write(str(number - 1))
        if (last := os.fork()) == 0:
            drawn = SecureNoise().laplace(wide, 4).tolist()
            os.write(ready[1], f"{os.getpid() == number} {owned._owned_here} {drawn}\\n".encode())
            os._exit(0)
        os.waitpid(last, 0)
        os._exit(0)
    os.write(ready[1], f"True {owned._owned_here} {owned.laplace(wide, 4).tolist()}\\n".encode())
    os._exit(0)
os.waitpid(ancestor, 0)
os.write(gone[1], b"x")
os.close(ready[1])
with os.fdopen(ready[0]) as file:
    sys.stdout.write(file.read())
"""


def test_a_process_with_the_number_of_its_ancestor_repeats_nothing_and_owns_nothing():
    """A generator that tells a fork by the process number alone would repeat the ancestor's draws. A real one is made here."""
    spaces = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"]
    if shutil.which("unshare") is None or subprocess.run([*spaces, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody make a space of process numbers (unshare)")
    run = subprocess.run([*spaces, sys.executable, "-c", REUSED], capture_output=True, text=True, timeout=60, check=True)
    ancestor, descendant = run.stdout.splitlines()

    assert ancestor.startswith("True True [")
    assert descendant.startswith("True False [")
    assert ancestor.removeprefix("True True") != descendant.removeprefix("True False")


def test_a_process_with_the_number_of_its_ancestor_is_another(monkeypatch):
    """Without such a space: the bookkeeping, from a fork to a fork, in Python or past it."""
    monkeypatch.setattr(process, "_alive", set())
    monkeypatch.setattr(process, "_number", 7)
    monkeypatch.setattr(process, "_forks", 0)
    monkeypatch.setattr(os, "getpid", lambda: 7)
    noise = SecureNoise()

    monkeypatch.setattr(os, "getpid", lambda: 8)  # by a library: no handler ran
    assert (8, 1) == process.this_process()
    monkeypatch.setattr(os, "getpid", lambda: 7)
    process._forked()

    assert (7, 2) == process.this_process()
    with pytest.raises(RunFailed, match="belongs to process 7, and this is a fork of it"):
        noise.laplace(WIDE, 1)
