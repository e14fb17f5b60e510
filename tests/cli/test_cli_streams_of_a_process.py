"""What a command prints to: full disks, closed streams, readers that leave, encodings without ε. Nothing is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from processes import run
from seqveil.release import load
from seqveil.wall.ledger import Ledger

pytestmark = pytest.mark.slow

PUBLISH = [
    "publish", "data.seq", "--domain", "café,b", "--epsilon", "1", "--l-max", "3", "--n-max", "2", "--public-because", "x",
    "--account", "people", "--out", "release",
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data.seq").write_text("café b\nb\n" * 100, encoding="utf-8")
    return tmp_path


def _run(folder: Path, words: list[str], **given: Any) -> subprocess.CompletedProcess[bytes]:
    env = {**os.environ, "SEQVEIL_HOME": str(folder / "home"), **given.pop("env", {})}
    if "preexec_fn" not in given:
        return run([sys.executable, "-m", "seqveil", *words], cwd=folder, env=env, timeout=60, **given)
    kept = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **given}
    return subprocess.run([sys.executable, "-m", "seqveil", *words], cwd=folder, env=env, timeout=60, check=False, **kept)


def _statuses(folder: Path) -> list[str]:
    return [charge.status for charge in Ledger(folder / "home").charges("people")]


def test_a_release_whose_summary_cannot_be_printed_is_complete(folder: Path) -> None:
    """The disk of stdout is full after the release was committed: it is said that it is there."""
    with open("/dev/full", "wb") as full:
        ran = _run(folder, [*PUBLISH, "--json"], stdout=full.fileno())
    message = ran.stderr.decode()

    assert 1 == ran.returncode
    assert "error: release is complete, but its summary could not be printed on stdout (No space left on device).\n" in message
    assert "internal error" not in message
    assert ["committed"] == _statuses(folder)
    assert load(folder / "release").manifest.private


def test_remarks_that_cannot_be_printed_cost_nothing(folder: Path) -> None:
    """A full disk under stderr: the release is made all the same."""
    with open("/dev/full", "wb") as full:
        ran = _run(folder, PUBLISH, stderr=full.fileno())

    assert 0 == ran.returncode
    assert ["committed"] == _statuses(folder)


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_a_closed_stream_is_no_failure_of_a_release(folder: Path, closed: int) -> None:
    """Not even of a file that would have got its number."""
    ran = _run(folder, PUBLISH, preexec_fn=lambda: os.close(closed))

    assert (0, b"") == (ran.returncode, ran.stdout)
    assert b"Traceback" not in ran.stderr
    assert ["committed"] == _statuses(folder)


def test_results_for_a_closed_stdout_are_told(folder: Path) -> None:
    ran = _run(folder, ["methods"], preexec_fn=lambda: os.close(1))

    assert (1, b"error: the result could not be printed on stdout (Bad file descriptor).\n") == (ran.returncode, ran.stderr)


@pytest.mark.parametrize("words", [["--help"], ["methods"], ["methods", "--json"], ["ledger", "show"], ["publish", "--help"]])
def test_a_reader_that_leaves_is_not_an_error(folder: Path, words: list[str]) -> None:
    """As under `| head`: no word, no traceback."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ran = _run(folder, words, stdout=writing)
    finally:
        os.close(writing)

    assert (1, b"") == (ran.returncode, ran.stderr)


def test_a_reader_that_leaves_is_told_of_a_finished_release(folder: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ran = _run(folder, [*PUBLISH, "--json"], stdout=writing)
    finally:
        os.close(writing)

    assert 1 == ran.returncode
    assert b"error: release is complete, but its summary could not be printed on stdout (Broken pipe).\n" in ran.stderr
    assert ["committed"] == _statuses(folder)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_an_encoding_without_epsilon_shows_escapes(folder: Path, encoding: str) -> None:
    """They are those of JSON, so that it stays JSON."""
    run = _run(folder, PUBLISH, env={"PYTHONIOENCODING": "latin-1"})
    asked = _run(folder, ["query", "release", "café", "--json"], env={"PYTHONIOENCODING": encoding})
    helped = _run(folder, ["publish", "--help"], env={"PYTHONIOENCODING": encoding})

    assert (0, 0, 0) == (run.returncode, asked.returncode, helped.returncode), helped.stderr
    assert b"\\u03b5 = 1.0" in run.stderr
    facts = json.loads(asked.stdout.decode("latin-1" if encoding == "latin-1" else "utf-8"))
    assert "café" in json.dumps(facts, ensure_ascii=False)


def test_a_variable_of_old_shows_no_traceback(folder: Path) -> None:
    """Only --debug does, which says what a traceback may hold."""
    script = (
        "import sys; from seqveil.cli import app\n"
        "def boom() -> None:\n    '''Fails. Example: seqveil boom'''\n    raise ValueError('Alice went to the clinic')\n"
        "app.VERBS.append(app.Verb('boom', '__main__:boom', 'Fails.'))\n"
        "sys.argv = ['seqveil', 'boom']; app.main()"
    )
    env = {**os.environ, "SEQVEIL_DEBUG": "1"}
    ran = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, timeout=60, check=False)

    assert 1 == ran.returncode
    assert "Traceback" not in ran.stderr
    assert "Alice" not in ran.stderr
