"""Running the command in this process, and small releases to run it on."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from sealing import sealed
from seqveil.cli.app import main
from seqveil.facts import Stage
from seqveil.release.grams import GramRelease, GramTable
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.units import User


@dataclass
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def seqveil(monkeypatch: pytest.MonkeyPatch, capfd: Any) -> Callable[..., Ran]:
    """Runs `seqveil` with arguments, through the same `main` as the installed command."""

    def run(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["seqveil", *map(str, arguments)])
        code = 0
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
        captured = capfd.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


@pytest.fixture
def small_release(tmp_path: Any) -> Callable[..., Any]:
    """Saves a release with a few grams and returns its folder."""

    def make(labels: tuple[str, str] = ("home", "work"), private: bool = True, name: str = "release") -> Any:
        domain = Domain.of(labels, public_because="a published map")
        grams = GramTable.of(
            [[0], [1], [0, 1], [1, 0], [1, 2]],
            count=[900.0, 800.0, 700.0, 300.0, 60.0],
            noisy=[905, 790, 710, None, 60],
            scale=20.0,
            threshold=50,
        )
        release = GramRelease(domain, grams=grams, synthetic=Flat.of([[0, 1], [1], []]), l_max=5, n_max=2)
        stages = [Stage("tree", "tree", "0.75", "0.75", "dearest path"), Stage("more", "count", "0.25", "0.25", "question")]
        return sealed(release, User(2), private=private, stages=stages).save(tmp_path / name)

    return make
