"""Data that comes through a pipe: read whole, copied before anything is reserved, and never taken for an empty file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from processes import run as run_python
from seqveil.wall.ledger import Ledger

LINES = b"a b c\nb c\na a\n" * 60
KNOWN = ("--domain", "a,b,c", "--epsilon", "5", "--public-because", "x")
MODEST = ("--l-max", "4", "--n-max", "3")


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """A command as a process of its own, fed by pipes: standard input, and /dev/fd/N for each word `pipe`."""

    def command(*words: str, stdin: bytes = b"", pipes: tuple[bytes, ...] = ()) -> subprocess.CompletedProcess[bytes]:
        ends = []
        for body in pipes:
            read, write = os.pipe()
            os.write(write, body)
            os.close(write)
            ends.append(read)
        names = iter([f"/dev/fd/{end}" for end in ends])
        try:
            return run_python(
                [sys.executable, "-m", "seqveil", *(next(names) if word == "pipe" else word for word in words)],
                input=stdin,
                pass_fds=ends,
                cwd=tmp_path,
                env={**os.environ, "SEQVEIL_HOME": str(tmp_path / "home")},
                timeout=90,
            )
        finally:
            for end in ends:
                os.close(end)

    return command


def spent(tmp_path: Path) -> list[str]:
    ledger = Ledger(tmp_path / "home")
    return [charge.status for account in ledger.accounts() for charge in ledger.charges(account.name)]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["-", "/dev/stdin", "pipe"])
def test_a_pipe_gives_the_release_that_its_file_gives(name: str, run: Any, tmp_path: Path) -> None:
    """Byte for byte, with the same seed."""
    (tmp_path / "people.seq").write_bytes(LINES)
    piped = {"pipes": (LINES,)} if name == "pipe" else {"stdin": LINES}
    first = run("publish", "people.seq", *KNOWN, *MODEST, "--seed", "7", "--out", "file")
    second = run("publish", name, "--format", "lines", *KNOWN, *MODEST, "--seed", "7", "--out", "piped", **piped)

    assert (0, 0) == (first.returncode, second.returncode), second.stderr
    for part in ("grams.EXPERIMENT.parquet", "synthetic.EXPERIMENT.txt.gz"):
        assert (tmp_path / "file" / part).read_bytes() == (tmp_path / "piped" / part).read_bytes()


@pytest.mark.slow
def test_the_same_bytes_raise_the_alarm_by_pipe_and_by_file(run: Any, tmp_path: Path) -> None:
    """What was read from a pipe is what was fingerprinted."""
    (tmp_path / "people.seq").write_bytes(LINES)
    options = ("--format", "lines", "--account", "piped", "--out", "r")

    assert 0 == run("publish", "-", *KNOWN, *MODEST, *options, stdin=LINES).returncode
    again = run("publish", "people.seq", *KNOWN, *MODEST, "--out", "s")
    assert "already used under account 'piped'" in again.stderr.decode()


@pytest.mark.slow
def test_other_verbs_take_pipes_too(run: Any, tmp_path: Path) -> None:
    """Mine, check, evaluate, link base; and a domain and a public sample that are pipes."""
    (tmp_path / "people.seq").write_bytes(LINES)
    how = ("--format", "lines", *KNOWN[2:], "--account", "a")
    mined = run(
        *("mine", "pipe", "--domain", "pipe", "--sample", "pipe", "--sample-public-because", "x", *how),
        *("--top", "3", "--out", "m"),
        pipes=(LINES, b"a\nb\nc\n", LINES),
    )
    checked = run("check", "-", "--domain", "a,b,c", "--format", "lines", stdin=LINES)
    run("publish", "people.seq", *KNOWN, *MODEST, "--out", "r")
    compared = run("evaluate", "-", "r", "--format", "lines", "--no-sources", "--json", stdin=LINES)
    names = b"name\n" + b"Anna\nHannah\n" * 60
    based = run(
        "link", "base", "-", "--column", "name", "--epsilon", "5", "--format", "csv", "--account", "n", "--out", "b", stdin=names
    )

    assert [0, 0, 0, 0] == [ran.returncode for ran in (mined, checked, compared, based)], mined.stderr + compared.stderr
    assert b"sequences kept\t180" in checked.stdout
    assert b"the release is empty" not in mined.stderr + based.stderr


@pytest.mark.parametrize("words", [("publish", "-"), ("mine", "pipe"), ("link", "base", "-")])
def test_a_pipe_without_a_byte_costs_nothing(words: tuple[str, ...], run: Any, tmp_path: Path) -> None:
    """The program before it has failed: that is no data set without rows."""
    more = ("--epsilon", "1", "--column", "name", "--format", "csv") if words[0] == "link" else (*KNOWN, "--format", "lines")
    ran = run(*words, *more, "--account", "a", "--out", "r", pipes=(b"",) if "pipe" in words else ())

    assert 2 == ran.returncode
    assert b"is a pipe that ended without a byte" in ran.stderr
    assert [] == spent(tmp_path)
    assert not (tmp_path / "r").exists()


def test_a_pipe_needs_a_format_and_an_account(run: Any, tmp_path: Path) -> None:
    """It has no name from which they could be taken; both are told at once."""
    ran = run("publish", "-", *KNOWN, "--out", "r", stdin=LINES)

    assert 2 == ran.returncode
    assert b"add --format FORMAT, one of" in ran.stderr
    assert b"add --account NAME" in ran.stderr
    assert [] == spent(tmp_path)


def test_devices_and_folders_are_refused(run: Any, tmp_path: Path) -> None:
    """What has no end must not fill the disk."""
    for name, message in (("/dev/zero", b"is a device"), (".", b"is a folder")):
        ran = run("publish", name, *KNOWN, "--format", "lines", "--account", "a", "--out", "r")
        assert 2 == ran.returncode
        assert message in ran.stderr
    assert [] == spent(tmp_path)


@pytest.mark.slow
def test_a_release_that_holds_nothing_is_told_plainly(run: Any, tmp_path: Path) -> None:
    """An empty file is a data set like any other; that the release is empty is told from the release."""
    (tmp_path / "people.seq").write_bytes(b"")
    rich = ["100" if word == "5" else word for word in KNOWN]
    ran = run("mine", "people.seq", *rich, "--method", "two-phase", "--top", "3", "--out", "r")

    assert 0 == ran.returncode
    assert b"the release is empty" in ran.stderr


def test_there_is_no_time_limit(run: Any, tmp_path: Path) -> None:
    """Running time must not decide whether a release appears."""
    (tmp_path / "people.seq").write_bytes(LINES)
    for verb in ("publish", "mine"):
        ran = run(verb, "people.seq", *KNOWN, "--timeout", "60", "--out", "r")
        assert 2 == ran.returncode
        assert b"--timeout" in ran.stderr
    assert [] == spent(tmp_path)
