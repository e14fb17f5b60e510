"""The command in this process, as tests of the command line run it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from seqveil.cli.app import main

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def seqveil(monkeypatch: pytest.MonkeyPatch, capfd: Any) -> Callable[..., SimpleNamespace]:
    """Runs `seqveil` with arguments, through the same `main` as the installed command."""

    def run(*arguments: str) -> SimpleNamespace:
        monkeypatch.setattr(sys, "argv", ["seqveil", *arguments])
        capfd.readouterr()
        code = 0
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
        captured = capfd.readouterr()
        return SimpleNamespace(code=code, out=captured.out, err=captured.err)

    return run
