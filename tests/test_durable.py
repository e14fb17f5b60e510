"""Names that survive a loss of power: every directory that is made is synced into the one above it."""

import os
from pathlib import Path

import pytest

from seqveil.durable import make_directory, sync_upwards


@pytest.fixture
def synced(monkeypatch) -> list[Path]:
    """Every directory that is synced, in order, beside the real sync."""
    seen: list[Path] = []
    fsync = os.fsync

    def noted(descriptor: int) -> None:
        fsync(descriptor)
        seen.append(Path(os.readlink(f"/proc/self/fd/{descriptor}")))

    monkeypatch.setattr(os, "fsync", noted)
    return seen


pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="looks at descriptors through /proc")


def test_every_new_directory_is_synced_into_the_one_above(tmp_path, synced):
    """From the first that existed downwards; a second call has nothing to make and nothing to sync."""
    make_directory(tmp_path / "a" / "b" / "c", 0o700)

    assert [tmp_path, tmp_path / "a", tmp_path / "a" / "b"] == synced
    assert 0o700 == (tmp_path / "a" / "b" / "c").stat().st_mode & 0o777
    make_directory(tmp_path / "a" / "b" / "c")
    assert 3 == len(synced)


def test_a_file_in_the_way_is_an_error(tmp_path):
    """Not a directory that is taken for one."""
    (tmp_path / "a").write_text("")
    for path in (tmp_path / "a", tmp_path / "a" / "b"):
        with pytest.raises(OSError):
            make_directory(path)


def test_sync_upwards_reaches_the_root(tmp_path, synced):
    """What was made by a process that died before it synced is synced by the next one."""
    sync_upwards(tmp_path)

    assert [tmp_path, *tmp_path.parents][: len(synced)] == synced
    assert tmp_path.parent in synced
