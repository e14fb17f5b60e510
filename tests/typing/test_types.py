"""Types reach the user: mypy knows the names of `sv.`, the release of every mechanism and of `sv.load`; wrong statements fail."""

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

USED = """
import seqveil as sv

reveal_type(sv.publish.NGram)
reveal_type(sv.NGram)
reveal_type(sv.Domain.parse)
sv.publish.NGramm
sv.Valut
"""


@pytest.mark.slow
def test_mypy_knows_every_name_and_every_release(tmp_path):
    """Right statements pass, each wrong one is named. In one run and with the cache of `make lint`: checking takes seconds."""
    planted, used = tmp_path / "planted.py", tmp_path / "used.py"
    planted.write_text(WRONG)
    used.write_text(USED)
    settings = ["--config-file", str(ROOT / "pyproject.toml"), "--no-error-summary"]
    call = [sys.executable, "-m", "mypy", *settings, str(HERE / "releases.py"), str(planted), str(used)]
    ran = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, check=False)
    said = [line for line in ran.stdout.splitlines() if ": error: " in line]
    names = [line for line in ran.stdout.splitlines() if "used.py:" in line]

    assert [] == [line for line in said if "planted.py" not in line and "used.py" not in line], ran.stderr
    lines = WRONG.splitlines()
    expected = [n for n, line in enumerate(lines, start=1) if line.startswith("    ")]
    assert expected == sorted({int(place[1]) for line in said if (place := re.search(r"planted\.py:(\d+)", line))})
    assert 2 == sum("seqveil.publish.ngram.mechanism.NGram" in line for line in names), names
    assert any("seqveil.tables.domain.Domain" in line for line in names)
    for misspelt in ("NGramm", "Valut"):
        assert any(f'Module has no attribute "{misspelt}"' in line for line in names)


def test_every_mechanism_is_among_the_statements():
    """A new one gets a statement, for an experiment and for a vault."""
    text = (HERE / "releases.py").read_text()
    mechanisms = {method.load().__name__ for verb in ("publish", "mine") for method in methods(verb).values()}

    assert len(mechanisms) >= 13
    assert [] == [name for name in sorted(mechanisms) if text.count(f"sv.{name}(") != 2]
