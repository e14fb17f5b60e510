"""Runs that are to write to the same place: one of them does, the others pay nothing; and nothing of others is replaced."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import seqveil as sv
from processes import run
from seqveil.audit import faults
from seqveil.errors import CallError
from seqveil.naming import rename_new
from seqveil.places import partial_folder, place_for
from seqveil.wall.ledger import Ledger

WORDS = ("--domain", "a,b,c", "--epsilon", "5", "--l-max", "4", "--n-max", "3", "--public-because", "x", "--json")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "people.seq").write_text("a b c\nb c\na a\n" * 60, encoding="utf-8")
    return tmp_path


def start(place: Path) -> subprocess.Popen[str]:
    """A `seqveil publish` as a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "seqveil", "publish", "people.seq", *WORDS, "--out", "out"],
        cwd=place,
        env={**os.environ, "SEQVEIL_HOME": str(place / "home")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def statuses(place: Path) -> list[str]:
    ledger = Ledger(place / "home")
    return [charge.status for account in ledger.accounts() for charge in ledger.charges(account.name)]


@pytest.mark.slow
def test_of_runs_into_the_same_place_one_pays(place: Path) -> None:
    """Three at once: one release, one charge; the others are told to wait or to choose another place."""
    faults.warm_up()
    runs = [start(place) for _ in range(3)]
    outputs = [one.communicate(timeout=60) for one in runs]

    assert [0, 2, 2] == sorted(one.returncode for one in runs), outputs
    assert ["committed"] == statuses(place)
    assert {"home", "people.seq", "out"} == {path.name for path in place.iterdir()}
    for one, (_, words) in zip(runs, outputs, strict=True):
        assert one.returncode == 0 or "another run is writing to out" in words or "out exists already" in words


INTRUDER = """
import os
from seqveil.release import release
real = release.sync
def intruding(path):
    real(path)
    if str(path).endswith("manifest.json") and not os.path.lexists("out"):
        {intrusion}
release.sync = intruding
from seqveil.__main__ import main
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "intrusion",
    ["os.mkdir('out')", "os.makedirs('out/full')", "open('out', 'w').close()", "os.symlink('nowhere', 'out')"],
)
def test_a_release_that_is_paid_for_is_kept_beside_an_intruder(intrusion: str, place: Path) -> None:
    """Somebody makes `out` in the last moment: it stays as it is, and the release is in `out-2`, as the ledger knows it."""
    call = [sys.executable, "-c", INTRUDER.format(intrusion=intrusion), "publish", "people.seq", *WORDS, "--out", "out"]
    ran = run(call, cwd=place, env={**os.environ, "SEQVEIL_HOME": str(place / "home")}, text=True, timeout=60)

    assert 0 == ran.returncode, ran.stderr
    assert "The release is in out-2 instead" in ran.stderr
    assert "out-2" == json.loads(ran.stdout)["out"]
    assert not (place / "out" / "manifest.json").exists()
    assert os.path.lexists(place / "out")
    release = sv.load(place / "out-2")
    (charge,) = Ledger(place / "home").charges("people")
    assert ("committed", release.manifest.release, release.digest) == (charge.status, charge.release, charge.digest)


def test_a_place_belongs_to_one_run_at_a_time(tmp_path: Path) -> None:
    """Whoever comes second is refused before anything is spent; other names are free, and so is this one afterwards."""
    with place_for(tmp_path / "r"):
        with (
            pytest.raises(CallError, match=r"another run is writing to .*r: wait for it, or choose another folder"),
            place_for(tmp_path / "r"),
        ):
            pass
        with place_for(tmp_path / "s"):
            pass
    with place_for(tmp_path / "r"):
        pass

    assert [] == list(tmp_path.iterdir())


def test_the_place_of_a_killed_run_is_free(tmp_path: Path) -> None:
    """Its lock is gone with it; what it left is cleared away, also by a run with another name."""
    for name in ("r", "s"):
        child = os.fork()
        if child == 0:
            with place_for(tmp_path / "r"):
                os.kill(os.getpid(), signal.SIGKILL)
        os.waitpid(child, 0)
        assert 2 == len(list(tmp_path.iterdir()))
        with place_for(tmp_path / name):
            pass
        assert [] == list(tmp_path.iterdir())


def test_runs_that_race_for_a_name_have_it_one_after_another(tmp_path: Path) -> None:
    """Eight processes, one name, many times: nobody is inside together with another."""
    children = []
    for _ in range(8):
        child = os.fork()
        if child == 0:
            wrong = 0
            for _ in range(100):
                try:
                    with partial_folder(tmp_path / "r"):
                        (tmp_path / "inside").mkdir()
                        (tmp_path / "inside").rmdir()
                except CallError:
                    pass
                except OSError:
                    wrong = 1
            os._exit(wrong)
        children.append(child)

    assert [0] * 8 == [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "there", [Path.mkdir, Path.touch, lambda path: path.symlink_to("nowhere"), lambda path: (path / "full").mkdir(parents=True)]
)
@pytest.mark.parametrize("supported", [True, False])
def test_naming_replaces_nothing(
    there: Callable[[Path], object], supported: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even an empty folder, which `os.rename` replaces."""
    if not supported:
        monkeypatch.setattr("seqveil.naming._LINUX", None)
        monkeypatch.setattr("seqveil.naming._MACOS", None)
    (tmp_path / "work").mkdir()
    there(tmp_path / "r")
    before = os.lstat(tmp_path / "r").st_ino
    with pytest.raises(FileExistsError):
        rename_new(tmp_path / "work", tmp_path / "r")
    assert before == os.lstat(tmp_path / "r").st_ino
    rename_new(tmp_path / "work", tmp_path / "s")

    assert {"r", "s"} == {path.name for path in tmp_path.iterdir()}
