"""Ctrl-C at some moments of real commands; `make faults` presses it hundreds of times, with cold caches too."""

from __future__ import annotations

from pathlib import Path

import pytest

from seqveil.audit.interrupting import Ending, Stage

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("name", "presses"), [("publish", [0.4]), ("publish", [0.9, 0.91]), ("link base", [0.7]), ("check", [0.6])]
)
def test_an_interrupted_command_ends_well(name: str, presses: list[float], tmp_path: Path) -> None:
    """With exit code 1 and one word, or it was faster; nothing half-written, no crash, no core file."""
    ending, problems = Stage(tmp_path / "stage").furnish().interrupt(name, presses)

    assert [] == problems, ending
    assert ending.code in (0, 1) or ending.early


@pytest.mark.parametrize(
    ("ending", "left", "problem"),
    [
        (Ending(-11, "", 0.1, False), None, "ended with -11"),
        (Ending(130, "", 0.1, False), None, "ended with 130"),
        (Ending(1, "error: damaged.", 0.1, False), None, "did not say that it was interrupted"),
        (Ending(1, 'File "seqveil/cli/app.py"\nKeyboardInterrupt', 0.1, False), None, "did not say that it was interrupted"),
        (Ending(0, "", 9.0, False), None, "ran on for 9.0 s to its usual end"),
        (Ending(1, "Traceback\nerror: interrupted.", 0.1, False), None, "showed a traceback"),
        (Ending(1, "error: interrupted.", 0.1, True), None, "left a core file"),
        (Ending(1, "error: interrupted.", 0.1, False), ".out.12345678.partial", "left .out.12345678.partial half-written"),
    ],
)
def test_the_verdict_can_say_no(ending: Ending, left: str | None, problem: str, tmp_path: Path) -> None:
    """Each promise, when it is broken."""
    (tmp_path / "room").mkdir()
    if left is not None:
        (tmp_path / "room" / left).mkdir()

    assert [problem] == Stage(tmp_path).wrong(ending, tmp_path / "room")
