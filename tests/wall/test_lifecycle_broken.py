"""A run that something breaks in the middle loses no release and strands no ε: listeners, interrupts, forks."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import seqveil as sv
from lifecycles import BASE, CAPPED, SMALL, TABLE, Gone, command, publish, statuses
from seqveil.errors import LedgerError
from seqveil.wall.fate import fates
from seqveil.wall.ledger import Ledger, turn


def test_a_listener_that_breaks_loses_no_release(home: Path) -> None:
    """Once the run has begun, nothing that it does counts."""
    release = sv.Vault(TABLE, account="shop").release(SMALL, 1, out="out", listener=Gone())

    assert release.digest == sv.load("out").digest
    assert ["committed"] == statuses(home)


def test_a_listener_that_breaks_before_the_run_costs_nothing(home: Path) -> None:
    """What it raises for a warning ends the run, and the ε is returned."""

    class Strict(Gone):
        def warn(self, text: str) -> None:
            raise OSError(5, text)

    with pytest.raises(OSError, match="has no cap") as stopped:
        sv.Vault(TABLE, account="shop").release(SMALL, 1, listener=Strict())

    assert ["ε = 1.0 on account 'shop' was returned: no data was read."] == fates(stopped.value)
    assert ["returned"] == statuses(home)


class Press:
    """Ctrl-C at the n-th line that runs in the wall and the ledger once a reservation is durable."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, line: int) -> None:
        self.left: int | None = None
        self.pressed = False
        real = Ledger.reserve

        def reserve(*arguments: Any, **named: Any) -> Any:
            spend = real(*arguments, **named)
            self.left = line
            return spend

        monkeypatch.setattr(Ledger, "reserve", reserve)

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        name = frame.f_code.co_filename
        if self.left is not None and not self.pressed and f"{os.sep}seqveil{os.sep}wall{os.sep}" in name and event == "line":
            if self.left == 0:
                self.pressed = True
                raise KeyboardInterrupt
            self.left -= 1
        return self


CALLERS: dict[str, Callable[[], object]] = {
    "vault": lambda: sv.Vault(TABLE, account="shop").release(SMALL, 1),
    "stream": lambda: sv.stream.lis(length=5, epsilon=1, account="shop").close(),
    "stream with a state": lambda: sv.stream.lis(length=5, epsilon=1, account="shop", state="s").close(),
    "publish": lambda: publish("--epsilon", 1),
    "link base": lambda: command(*BASE, "--out", "base", "--account", "shop"),
}


@pytest.mark.filterwarnings(CAPPED)
@pytest.mark.parametrize("line", [0, 1, 2, 3, 4, 6, 10, 40, 100])
@pytest.mark.parametrize("caller", CALLERS)
def test_an_interrupt_never_strands_a_reservation(
    caller: str, line: int, home: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    """Wherever it comes after the reservation: it was returned or the run had begun, and whoever called is told which."""
    press = Press(monkeypatch, line)
    heard = ""
    sys.settrace(press)
    try:
        CALLERS[caller]()
    except KeyboardInterrupt as stopped:
        heard = " ".join(fates(stopped))
    finally:
        sys.settrace(None)
    heard += capfd.readouterr().err
    (status,) = statuses(home)

    assert press.pressed
    assert status in ("returned", "begun", "committed")
    fate = "was returned: no data was read." if status == "returned" else "remains charged: the run may already have read data."
    assert f"ε = 1.0 on account 'shop' {fate}" in heard
    assert status != "returned" or not Path("s").exists()


@pytest.mark.filterwarnings(CAPPED)
@pytest.mark.parametrize("again", [0, 1, 2])
@pytest.mark.parametrize(("turns", "message"), [(["after"], "was not charged"), (["never", "before"], "was returned")])
def test_a_second_interrupt_strands_no_reservation(
    turns: list[str], message: str, again: int, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C as `reserve` or `begin` is written, and again while the ε is returned. Whoever goes on pressing hears the truth."""
    real, left = turn._end, [*turns, *["before"] * again]

    def end(one: turn.Turn, place: Any) -> None:
        press = left.pop(0) if one.book.charges and left else "never"
        if press == "before":
            raise KeyboardInterrupt
        real(one, place)
        if press == "after":
            raise KeyboardInterrupt

    monkeypatch.setattr(turn, "_end", end)
    with pytest.raises(KeyboardInterrupt) as stopped:
        sv.Vault(TABLE, account="shop").release(SMALL, 1)
    (heard,) = fates(stopped.value)

    assert [] == left
    assert (message if again < 2 else "remains reserved") in heard
    assert ["returned" if again < 2 else "reserved"] == statuses(home)


@pytest.mark.filterwarnings(CAPPED)
def test_a_release_that_is_saved_and_not_committed_says_where_it_is(
    home: Path, capfd: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its ε is spent and it is complete: whoever paid for it must find it."""

    def commit(*arguments: Any) -> None:
        raise LedgerError("the disk is full")

    monkeypatch.setattr(Ledger, "_commit", commit)
    with pytest.raises(LedgerError) as stopped:
        sv.Vault(TABLE, account="shop").release(SMALL, 1, out="called")
    assert 1 == publish("--epsilon", 1, out="typed")

    message = "ε = 1.0 on account 'shop' remains charged. The release is in {}; the ledger has no digest of it."
    assert [message.format("called")] == fates(stopped.value)
    assert message.format("typed") in capfd.readouterr().err
    assert sv.load("called").manifest.private
    assert ["begun", "begun"] == statuses(home)


@pytest.mark.filterwarnings(CAPPED)
def test_a_child_that_is_forked_during_a_run_saves_nothing(home: Path) -> None:
    """Both processes go on with one reservation; only the one that made it may have a release."""
    work, release = sv.Vault(TABLE, account="shop"), Path("out")

    class Forking(Gone):
        child = 0

        def stage(self, name: str) -> None:
            if name == "reading":
                self.child = os.fork()
                if self.child:
                    os.waitpid(self.child, 0)

    listener, parent = Forking(), os.getpid()
    try:
        work.release(SMALL, 1, out=release, listener=listener)
    finally:
        if os.getpid() != parent:
            os._exit(0)

    assert ["committed"] == statuses(home)
    assert [release] == sorted(Path().glob("out*"))
    assert sv.load(release).digest == Ledger(home).charges("shop")[0].digest
