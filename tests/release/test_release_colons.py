"""A folder name with a colon is a name like any other; Arrow takes a relative one for a URI."""

from __future__ import annotations

from pathlib import Path

import pytest

import seqveil as sv


def test_a_release_is_saved_under_a_name_with_a_colon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table = sv.table_of([["a", "b"], ["b"]] * 50, sv.Domain.of(["a", "b"]))
    release = sv.experiment(table, sv.NGram(l_max=2, n_max=2), "1.0", seed=1)

    release.save(Path("night:run/12:30"))

    assert release.manifest.release == sv.load("night:run/12:30").manifest.release
