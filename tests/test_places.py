"""The place of a release: taken before the run, never waited for, and cleared of what dead runs left."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from seqveil.errors import CallError, RunFailed
from seqveil.places import partial_folder, place_for


def test_a_lock_on_the_folder_is_nobodys_business(tmp_path: Path) -> None:
    """Another program may hold it for ever."""
    handle = os.open(tmp_path, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with place_for(tmp_path / "r") as place:
            assert place.work.is_dir()
    finally:
        os.close(handle)
    assert [] == list(tmp_path.iterdir())


def test_a_place_that_cannot_be_had_is_told(tmp_path: Path) -> None:
    """Taken, below a file, or where nothing can be made."""
    (tmp_path / "file").write_text("x", encoding="utf-8")
    for target, kind, message in (
        (tmp_path / "file", CallError, "choose another folder, for example .*file-2"),
        (tmp_path / "file" / "r", RunFailed, "could not be written"),
        (Path("/proc/r"), RunFailed, "could not be written"),
    ):
        with pytest.raises(kind, match=message), place_for(target):
            pass


def test_every_folder_that_is_made_is_made_durable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each one's entry is in the folder above it, up to the first that was there."""
    synced: list[Path] = []
    monkeypatch.setattr("seqveil.durable.sync", synced.append)
    with place_for(tmp_path / "a" / "b" / "r"):
        pass

    assert [tmp_path, tmp_path / "a"] == synced


def test_runs_that_begin_together_do_not_clear_each_other_away(tmp_path: Path) -> None:
    """Eight processes take places and clear away what is dead, again and again; nobody loses a folder."""
    (tmp_path / ".dead.01234567.partial").mkdir()
    children = []
    for number in range(8):
        child = os.fork()
        if child == 0:
            lost = 0
            for _ in range(60):
                with partial_folder(tmp_path / f"r{number}") as work:
                    (work / "x").touch()
                    lost += not work.is_dir()
            os._exit(min(lost, 100))
        children.append(child)

    assert [0] * 8 == [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert [] == list(tmp_path.iterdir())
