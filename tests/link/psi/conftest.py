"""What the tests of private linkage share: two data holders, a log of their own, and many small pieces."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from seqveil.link.psi import chunks

sys.path.insert(0, str(Path(__file__).parent))  # `from psi_world import …` works here


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch, tmp_path):
    """A log of its own; several pieces of every computation."""
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(chunks, "PIECE", 64)
