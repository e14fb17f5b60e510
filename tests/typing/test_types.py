"""Types reach the user: mypy knows the release of every mechanism and of `sv.load`, and a wrong statement about one fails."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from seqveil.registry import methods

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

WRONG = """
from typing import assert_type

import seqveil as sv
from seqveil.release.grams import GramRelease
from seqveil.release.graphs import GraphRelease


def wrong(table: sv.SequenceTable, vault: sv.Vault) -> None:
    assert_type(sv.experiment(table, sv.NGram(), "1.0", seed=1), GraphRelease)
    assert_type(vault.release(sv.NGram(), "1.0"), GraphRelease)
    assert_type(sv.load("release", as_=GramRelease), GraphRelease)
    sv.load("release").top(3)
    sv.load("release", as_=str)
"""


@pytest.mark.slow
def test_mypy_knows_every_release(tmp_path):
    """The right statements pass, each wrong one is named; in one run, since most of its time goes into the library."""
    planted = tmp_path / "planted.py"
    planted.write_text(WRONG)
    settings = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(tmp_path / "cache"), "--no-error-summary"]
    call = [sys.executable, "-m", "mypy", *settings, str(HERE / "releases.py"), str(planted)]
    ran = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, check=False)
    said = [line for line in ran.stdout.splitlines() if ": error: " in line]

    assert [] == [line for line in said if "planted.py" not in line], ran.stderr
    lines = WRONG.splitlines()
    expected = [n for n, line in enumerate(lines, start=1) if line.startswith("    ")]
    assert expected == sorted({int(found[1]) for line in said if (found := re.search(r"planted\.py:(\d+)", line))})


def test_every_mechanism_is_among_the_statements():
    """A new one gets a statement, for an experiment and for a vault."""
    text = (HERE / "releases.py").read_text()
    mechanisms = {method.load().__name__ for verb in ("publish", "mine") for method in methods(verb).values()}

    assert len(mechanisms) >= 13
    assert [] == [name for name in sorted(mechanisms) if text.count(f"sv.{name}(") != 2]
