"""The verb `audit`: its report, its words, its exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import patch

import pytest
from typer.testing import CliRunner

from seqveil.audit.planted.peers import PEERS
from seqveil.cli.app import app
from seqveil.errors import CallError, RunFailed


def test_the_report_is_dated_and_says_what_it_cannot_show(tmp_path: Path) -> None:
    """JSON and HTML lie in the folder, tell the same, and end with the limits of an audit."""
    result = CliRunner().invoke(app, ["audit", "stream", "--budget", "smoke", "--out", str(tmp_path), "--json"])
    report = json.loads(result.stdout)
    stem = f"audit-stream-{report['date'][:10]}"

    assert 0 == result.exit_code
    assert report == json.loads((tmp_path / f"{stem}.json").read_text(encoding="utf-8"))
    assert report["passed"]
    assert report["audited"][0]["attacks"][0]["tried"] > 1000
    page = (tmp_path / f"{stem}.html").read_text(encoding="utf-8")
    assert "cannot show" in page
    assert "http" + "://" not in page


def test_a_broken_promise_is_an_error(tmp_path: Path) -> None:
    """With a bug planted the verb ends with RunFailed, and the page says BROKEN."""
    bug = next(bug for bug in PEERS if bug.name == "P8")
    with bug.plant():
        result = CliRunner().invoke(app, ["audit", "noise", "--budget", "smoke", "--out", str(tmp_path)])

    assert isinstance(result.exception, RunFailed)
    assert "BROKEN" in next(tmp_path.glob("*.html")).read_text(encoding="utf-8")


@pytest.mark.parametrize("words", [["nonsense"], ["ngram", "--budget", "huge"]])
def test_wrong_calls_say_what_is_allowed(words: list[str], tmp_path: Path) -> None:
    """An unknown method or budget is refused with the list of what there is."""
    result = CliRunner().invoke(app, ["audit", *words, "--out", str(tmp_path)])

    assert isinstance(result.exception, CallError)
    assert "choose" in str(result.exception)


@pytest.mark.slow
def test_several_are_audited_side_by_side(tmp_path: Path) -> None:
    """`all` gives every name to a process of its own, and tells the results in the order of the names."""
    names = ["graph-random", "stream"]
    with patch("seqveil.audit.audit.everything", lambda: names):
        words = ["audit", "all", "--budget", "smoke", "--processes", "2", "--out", str(tmp_path), "--json"]
        result = CliRunner().invoke(app, words)
    report = json.loads(result.stdout)

    assert 0 == result.exit_code
    assert names == [one["name"] for one in report["audited"]]
    assert [] == report["gaps"]
