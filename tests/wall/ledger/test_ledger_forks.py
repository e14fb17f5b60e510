"""Forked processes and the ledger: a child holds no lock, uses no connection and no spend of its parent."""

import os
import select
import signal
import time
from pathlib import Path

import pytest

from seqveil.errors import LedgerError
from seqveil.tables.units import Record
from seqveil.wall.ledger import Ledger
from seqveil.wall.ledger.gate import alone
from seqveil.wall.ledger.turn import writing


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    ledger = Ledger(tmp_path, timeout=5.0)
    ledger.set_cap("metro", 1000)
    return ledger


def told_by_child(work) -> str:
    """What a forked child's work returned, or the error that ended it."""
    ear, mouth = os.pipe()
    child = os.fork()
    if child == 0:
        text = ""
        try:
            text = str(work())
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        finally:
            os.write(mouth, text.encode())
            os._exit(0)
    os.close(mouth)
    with os.fdopen(ear) as heard:
        text = heard.read()
    os.waitpid(child, 0)
    return text


def sleeping_child() -> int:
    """A child that has been forked, and then does nothing until it is killed."""
    ear, mouth = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(mouth, b"!")
        while True:
            time.sleep(60)
    os.close(mouth)
    select.select([ear], [], [], 30)
    os.close(ear)
    return child


@pytest.mark.parametrize("verb", ["begin", "commit", "give back"])
def test_a_spend_is_refused_in_another_process(ledger, verb):
    """With both processes named; the ledger stays as it was, and the parent's spend goes on."""
    spend = ledger.reserve("metro", 10, unit=Record(), mechanism="m")
    if verb == "commit":
        spend.begin()
    before = ledger.verify().entries
    work = {"begin": spend.begin, "commit": lambda: spend.commit("r", "d"), "give back": spend.give_back}[verb]
    heard = told_by_child(work)

    assert heard.startswith("LedgerError: This spend on account 'metro' belongs to process")
    assert str(os.getpid()) in heard
    assert before == ledger.verify().entries
    work()
    assert before + 1 == ledger.verify().entries


def test_a_child_that_leaves_the_block_of_a_spend_gives_nothing_back(ledger):
    """The reservation is the parent's."""
    with ledger.reserve("metro", 10, unit=Record(), mechanism="m") as spend:

        def leave() -> str:
            with spend:
                return "left"

        assert "left" == told_by_child(leave)
        assert 10 == ledger.account("metro").reserved
        spend.begin()
        spend.commit("r", "d")
    assert 10 == ledger.account("metro").spent


def test_a_ledger_may_be_used_after_a_fork(ledger):
    """It holds nothing open, so the child's spends are its own."""

    def publish() -> str:
        with ledger.reserve("metro", 10, unit=Record(), mechanism="m") as spend:
            spend.begin()
            spend.commit("r", "d")
        return "published"

    assert "published" == told_by_child(publish)
    assert 10 == ledger.account("metro").spent


@pytest.mark.parametrize("how", ["lets go", "is killed"])
def test_a_child_does_not_hold_the_lock_after_its_parent(ledger, how):
    """A child forked in the middle of a turn lives on; the lock is free when the parent lets go of it, or dies."""
    if how == "lets go":
        with alone(ledger.place, 5.0):
            child = sleeping_child()
    else:
        ear, mouth = os.pipe()
        parent = os.fork()
        if parent == 0:
            with alone(ledger.place, 5.0):
                os.write(mouth, sleeping_child().to_bytes(8, "big"))
                time.sleep(60)
        child = int.from_bytes(os.read(ear, 8), "big")
        os.kill(parent, signal.SIGKILL)
        os.waitpid(parent, 0)
        os.close(ear)
        os.close(mouth)
    try:
        ledger.set_cap("metro", 2000)
        files = [os.readlink(f"/proc/{child}/fd/{name}") for name in os.listdir(f"/proc/{child}/fd")]
        assert not [path for path in files if path.startswith(str(ledger.place.directory))]
    finally:
        os.kill(child, signal.SIGKILL)
        if how == "lets go":
            os.waitpid(child, 0)


def test_a_child_that_leaves_the_lock_does_not_unlock_its_parent(ledger):
    """It goes through the end of the block as its parent will, and nothing happens there."""
    with alone(ledger.place, 5.0):

        def leave() -> str:
            raise KeyboardInterrupt

        impatient = Ledger.__new__(Ledger)
        impatient.place, impatient.timeout = ledger.place, 0.2
        told_by_child(leave)
        child = os.fork()
        if child == 0:
            try:
                raise SystemExit
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        with pytest.raises(LedgerError, match="was locked"):
            impatient.set_cap("metro", 5)


def test_a_child_forked_within_a_turn_writes_nothing(ledger):
    """It can neither append nor commit, nor does the end of the block close SQLite's connection in its parent's name."""
    ear, mouth = os.pipe()
    child = 0
    try:
        with writing(ledger.place, 5.0) as turn:
            turn.append("cap", "metro", grains=7)
            child = os.fork()
            if child == 0:
                with pytest.raises(LedgerError, match="belongs to process"):
                    turn.append("cap", "metro", grains=8)
                os.write(mouth, b"cannot append. ")
    except LedgerError as error:
        if child == 0:
            os.write(mouth, str(error).encode())
        else:
            raise
    finally:
        if child == 0:
            os._exit(0)
    os.waitpid(child, 0)
    os.close(mouth)
    with os.fdopen(ear) as heard:
        text = heard.read()

    assert text.startswith("cannot append. This turn at the ledger belongs to process")
    assert 7 == ledger.account("metro").cap
    assert 0 == ledger.verify().copies_damaged
