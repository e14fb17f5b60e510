"""`seqveil mine --method pfs2` from file to answer."""

import json
import sys

import pytest

from seqveil.cli.app import main


@pytest.fixture
def seqveil(monkeypatch, capfd):
    """Runs the command in this process: (exit code, stdout, stderr)."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["seqveil", *map(str, arguments)])
        try:
            main()
        except SystemExit as end:
            return int(end.code or 0), *capfd.readouterr()
        return 0, *capfd.readouterr()

    return run


@pytest.fixture
def clicks(tmp_path):
    """Three thousand visits, of which most go 1, later 3."""
    path = tmp_path / "clicks.seq"
    path.write_text("1 2 3\n1 4 4 3\n2 1 3\n" * 1000)
    return path


def test_mine_then_query(seqveil, clicks, tmp_path):
    """A private release, its answer with a bar, and an answer that says what was not released."""
    out = tmp_path / "out"
    code, text, _ = seqveil(
        "mine", clicks, "--method", "pfs2", "--support", "0.5", "--domain", "1..5", "--epsilon", "1", "--out", out,
        "--account", "pfs2-cli", "--public-because", "printed", "--json",
    )  # fmt: skip
    assert (0, True, "pfs2") == (code, json.loads(text)["private"], json.loads(text)["method"])

    code, text, _ = seqveil("query", out, "1 3", "5 5", "--json")
    near, nothing = json.loads(text)["answers"]
    assert 0 == code
    assert abs(near["value"] - 3000) < 500
    assert "not released" == nothing["kind"]


def test_top_and_dry_run(seqveil, clicks, tmp_path):
    """--top as well as --support; a dry run spends nothing."""
    code, text, _ = seqveil(
        "mine", clicks, "--method", "pfs2", "--top", "4", "--domain", "1..5", "--epsilon", "1", "--out", tmp_path / "o",
        "--dry-run", "--json",
    )  # fmt: skip
    stages = [stage["name"] for stage in json.loads(text)["stages"]]

    assert 0 == code
    assert ["size", "threshold", "longest frequent length", "explore", "count"] == stages
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize(
    "wrong", [["--support", "0"], ["--support", "1.5"], [], ["--top", "0"], ["--support", "0.1", "--top", "2"]]
)
def test_a_wrong_call_ends_with_two(seqveil, clicks, tmp_path, wrong):
    """Before anything is read or spent."""
    code, _, err = seqveil(
        "mine", clicks, "--method", "pfs2", *wrong, "--domain", "1..5", "--epsilon", "1", "--out", tmp_path / "o",
        "--account", "never-used", "--public-because", "printed",
    )  # fmt: skip

    assert 2 == code
    assert "error:" in err
