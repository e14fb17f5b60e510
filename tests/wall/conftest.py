"""A home of ledgers, with files to release from."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of ledgers, for commands and for Python alike."""
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.seq").write_text("a b\nb a b\nb\n" * 40, encoding="utf-8")
    (tmp_path / "names.txt").write_text("Anna\nHannah\nBob\n" * 60, encoding="utf-8")
    return tmp_path / "home"
