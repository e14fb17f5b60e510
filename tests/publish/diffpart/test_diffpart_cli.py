"""`seqveil publish --method diffpart`, run as users run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import seqveil as sv
from processes import run


def seqveil(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The command in a new process, with a ledger of its own and no terminal."""
    return run(
        [sys.executable, "-m", "seqveil", *words],
        cwd=folder,
        env={**os.environ, "SEQVEIL_HOME": str(folder / "ledger-home")},
        text=True,
    )


@pytest.mark.slow
def test_baskets_are_published_asked_and_inspected(tmp_path: Path) -> None:
    """One command makes a release of sets; query and inspect read it, and the synthetic sets are those of its table."""
    (tmp_path / "baskets.dat").write_text("1 2\n2 1 2\n3\n" * 400)
    ran = seqveil(
        tmp_path, "publish", "baskets.dat", "--domain", "1..9", "--method", "diffpart", "--epsilon", "1", "--out", "r", "--json"
    )
    assert 0 == ran.returncode, ran.stderr
    asked = json.loads(seqveil(tmp_path, "query", "r", "2 1", "9", "--json").stdout)
    shown = seqveil(tmp_path, "inspect", "r")

    measured = json.loads(seqveil(tmp_path, "evaluate", "baskets.dat", "r", "--json").stdout)["sets"]

    assert 0.8 < measured["records_kept"] < 1.3
    assert 0 <= measured["intervals_covered"] <= 1
    # The noise is real: bars miss now and then, but no count is ever this far off (1 in 10⁹).
    assert abs(asked["answers"][0]["value"] - 800) < 200
    assert asked["answers"][1]["value"] < 200
    assert "  1 2\n" in shown.stdout
    assert "Strongest rules" in shown.stdout
    release = sv.load(tmp_path / "r")
    assert release.published == len(sv.read_sets(tmp_path / "r" / "synthetic.txt.gz", domain=release.domain))  # type: ignore[attr-defined]


@pytest.mark.slow
def test_a_relational_table_publishes_through_the_same_command(tmp_path: Path) -> None:
    """Declared categories are the domain; undeclared values leave no trace in what is said."""
    (tmp_path / "people.csv").write_text("name,sex,smokes\n" + "a,f,no\nb,m,yes\nZORRO,m,often\n" * 300)
    (tmp_path / "categories.txt").write_text("sex=f\nsex=m\nsmokes=yes\nsmokes=no\n")
    call = ("publish", "people.csv", "--kind", "relational", "--domain", "categories.txt", "--method", "diffpart")
    ran = seqveil(tmp_path, *call, "--epsilon", "2", "--out", "r")
    asked = json.loads(seqveil(tmp_path, "query", "r", "sex=m smokes=yes", "--json").stdout)

    assert 0 == ran.returncode, ran.stderr
    assert "often" not in ran.stderr + ran.stdout
    assert abs(asked["answers"][0]["value"] - 300) < 100
    measured = json.loads(seqveil(tmp_path, "evaluate", "people.csv", "r", "--kind", "relational", "--json").stdout)["sets"]
    assert 0.8 < measured["records_kept"] < 1.2
