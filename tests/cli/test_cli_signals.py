"""SIGTERM and SIGHUP end a command as Ctrl-C does: in order, with a word, and without ε that nobody gives back."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from processes import run
from seqveil.wall.ledger import Ledger

pytestmark = pytest.mark.slow

ENDING = [signal.SIGTERM, signal.SIGHUP]
PUBLISH = (
    "publish",
    "people.seq",
    "--domain",
    "a,b,c",
    "--epsilon",
    "5",
    "--l-max",
    "4",
    "--n-max",
    "3",
    "--public-because",
    "x",
)

WITHIN = """
import os, signal, sys
from seqveil.wall.ledger import {module}

real = {module}.{name}
def signalled(*given, **named):
    before = {before}
    if not before:
        {module}.{name} = real
        result = real(*given, **named)
    os.kill(os.getpid(), {number})
    return real(*given, **named) if before else result
{module}.{name} = signalled

from seqveil.__main__ import main
main()
"""
"""The command, which gets a signal before or after the first call of a function of the ledger."""


SURROUNDINGS = """
import signal
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    usual = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
    signal.signal(number, signal.SIG_IGN if number in {ignored} else usual)
"""
"""What Python makes at its start of the signals that it was started with, wherever the suite runs."""


def _run(folder: Path, script: str, *words: str, ignored: tuple[int, ...] = ()) -> subprocess.CompletedProcess[str]:
    (folder / "people.seq").write_text("a b c\nb c\na a\n" * 60, encoding="utf-8")
    code = SURROUNDINGS.format(ignored=[*map(int, ignored)]) + textwrap.dedent(script)
    env = {**os.environ, "SEQVEIL_HOME": str(folder / "home")}
    return run([sys.executable, "-c", code, *words], cwd=folder, env=env, text=True, timeout=60)


def _statuses(folder: Path) -> list[str]:
    ledger = Ledger(folder / "home")
    return [charge.status for account in ledger.accounts() for charge in ledger.charges(account.name)]


@pytest.mark.parametrize("number", [signal.SIGINT, *ENDING])
@pytest.mark.parametrize(
    ("module", "name", "before", "statuses", "fate"),
    [
        ("rules", "check_cap", True, [], "was not charged"),  # inside `reserve`, before anything is written
        ("names", "confusable", True, [], "was not charged"),
        ("turn.legacy", "retire", True, ["returned"], "was not charged"),  # the reservation is durable
        ("ledger.Ledger", "_begin", True, ["returned"], "was returned: no data was read"),
        ("ledger.Ledger", "_begin", False, ["begun"], "remains charged: the run may already have read data"),
    ],
)
def test_a_run_that_is_asked_to_end_tells_what_became_of_its_budget(number, module, name, before, statuses, fate, tmp_path):
    """Before `begin` nothing is lost; nothing is left half-written."""
    first, _, attribute = module.partition(".")
    target = f"{first}.{attribute}" if attribute else first
    script = WITHIN.format(module=target, name=name, before=before, number=int(number))
    script = script.replace(f"import {target}", f"import {first}")
    if name == "retire":  # the turn that reserves, not the one that opens the ledger
        script = script.replace(
            "    before = True\n", "    before = True\n    if sys._getframe(1).f_locals['turn'].book.charges == {}: return\n"
        )
    ran = _run(tmp_path, script, *PUBLISH, "--out", "out")

    assert (1, "") == (ran.returncode, ran.stdout), ran.stderr
    assert fate in ran.stderr
    assert ran.stderr.endswith("error: interrupted.\n")
    assert "Traceback" not in ran.stderr
    assert statuses == _statuses(tmp_path)
    assert {"home", "people.seq"} == {path.name for path in tmp_path.iterdir()}


@pytest.mark.parametrize("number", ENDING)
def test_a_signal_that_is_ignored_stays_ignored(number, tmp_path):
    """As under nohup: the run goes on to its end."""
    script = WITHIN.format(module="rules", name="check_cap", before=True, number=int(number))
    ran = _run(tmp_path, script, *PUBLISH, "--out", "out", ignored=(number,))

    assert 0 == ran.returncode, ran.stderr
    assert ["committed"] == _statuses(tmp_path)


@pytest.mark.parametrize("number", ENDING)
def test_other_signals_are_heard_where_ctrl_c_is_not(number, tmp_path):
    """A command in the background of a shell ignores Ctrl-C, and can be ended all the same."""
    script = WITHIN.format(module="rules", name="check_cap", before=True, number=int(number))
    ran = _run(tmp_path, script, *PUBLISH, "--out", "out", ignored=(signal.SIGINT,))

    assert 1 == ran.returncode
    assert ran.stderr.endswith("error: interrupted.\n")
    assert [] == _statuses(tmp_path)


@pytest.mark.parametrize(
    "words", [["--\u202e"], ["--\u202e", "ledger"], ["--version=\u202e"], ["-\u202e"], ["ledger", "--\u202e"]]
)
def test_what_was_typed_before_a_verb_is_escaped(words, tmp_path):
    """A terminal obeys U+202E; typer's own box would print it as it is."""
    ran = _run(tmp_path, "from seqveil.__main__ import main; main()", *words)

    assert 2 == ran.returncode
    assert ran.stderr.startswith("error: ")
    assert "\u202e" not in ran.stderr
