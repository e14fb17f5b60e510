"""The queue at the ledger: everybody is served, in the order of arrival, whoever dies or stops meanwhile."""

import itertools
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from seqveil.errors import LedgerError
from seqveil.wall.ledger import Ledger, gate, queue
from seqveil.wall.ledger.place import Place

pytestmark = pytest.mark.slow

PATIENT = 600.0
"""Seconds that no machine is busy for: who waits so long in a test of order gives up only where it would wait for ever."""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path / "ledger")
    place.make()
    return place


@pytest.fixture
def nobody_stalls(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine: nobody is taken for stopped because the system let them wait for a second. Forks inherit it."""
    monkeypatch.setattr(gate, "STALLED", PATIENT)


def child(work) -> int:
    """A forked process that does the work and ends."""
    number = os.fork()
    if number == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return number


def ended(number: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])


def until(true, seconds: float = 120.0) -> None:
    """Wait for a state of the world, not for a time."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.002)


def waiting(place: Place) -> list[str]:
    return sorted(name for name in os.listdir(place.queue) if not name.startswith("new-"))


def note(path: Path, word: object) -> None:
    with open(path, "a") as file:
        file.write(f"{word}\n")


@pytest.mark.usefixtures("nobody_stalls")
def test_everybody_is_served_in_the_order_of_arrival(place, tmp_path):
    """Forty processes that come one after the other while the lock is held: served in exactly that order."""
    served = tmp_path / "served"

    def come(number: int) -> None:
        with gate.alone(place, PATIENT):
            note(served, number)

    children = []
    with gate.alone(place, 5.0):
        for number in range(40):
            children.append(child(lambda number=number: come(number)))
            until(lambda: len(waiting(place)) == len(children) + 1)

    assert [0] * 40 == [ended(number) for number in children]
    assert [str(number) for number in range(40)] == served.read_text().split()
    assert [] == waiting(place)


@pytest.mark.usefixtures("nobody_stalls")
def test_many_processes_that_each_publish_are_all_served(tmp_path):
    """24 at once with two spends each: nobody starves, because who comes again is last in the queue."""
    from seqveil.tables.units import Record

    Ledger(tmp_path).set_cap("metro", 10**9)
    served = tmp_path / "served"

    def publish(number: int) -> None:
        for turn in range(2):
            ledger = Ledger(tmp_path, timeout=PATIENT)
            with ledger.reserve("metro", 10, unit=Record(), mechanism="m") as spend:
                spend.begin()
                spend.commit(f"{number}/{turn}", "digest")
            note(served, number)

    place = Place(tmp_path / "ledger")
    with gate.alone(place, 5.0):
        children = [child(lambda number=number: publish(number)) for number in range(24)]
        until(lambda: len(waiting(place)) == 25)

    assert [0] * 24 == [ended(number) for number in children]
    assert 480 == Ledger(tmp_path).account("metro").spent
    # Fair: hardly anybody is through a second time before everybody is through once.
    assert len(set(served.read_text().split()[:24])) > 18


def test_patience_counts_only_while_nobody_is_served(place, tmp_path):
    """Six turns of 0.5 s each before one whose patience is 2 s: it is served, because the queue moves.

    Where more than that passed between two turns, because the machine had much else to do, nothing was tested: once more.
    """

    def hold(turns: Path) -> None:
        with gate.alone(place, PATIENT):
            note(turns, time.monotonic())
            time.sleep(0.5)

    for attempt in range(20):
        turns, children = tmp_path / f"turns {attempt}", []
        with gate.alone(place, 5.0):
            for _ in range(6):
                children.append(child(lambda turns=turns: hold(turns)))
                until(lambda children=children: len(waiting(place)) == len(children) + 1)
            note(turns, time.monotonic())
            last = child(lambda: gate.alone(place, 2.0).__enter__())
            until(lambda: len(waiting(place)) == 8)
        code = ended(last)
        note(turns, time.monotonic())
        assert [0] * 6 == [ended(number) for number in children]
        times = [float(word) for word in turns.read_text().split()]
        assert times[-1] - times[0] > 3.0
        if code == 0:
            return
        assert max(later - sooner for sooner, later in itertools.pairwise(times)) > 2.0
    raise AssertionError("this machine is too busy for a test of patience")


def test_a_holder_that_does_not_let_go_ends_patience(place):
    """And is named; the one who gave up leaves no ticket."""
    ready = threading.Event()
    release = threading.Event()

    def hold() -> None:
        with gate.alone(place, 5.0):
            ready.set()
            release.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    ready.wait(30)
    with pytest.raises(LedgerError, match=rf"locked by process {os.getpid()} for more than 0\.2 s"), gate.alone(place, 0.2):
        pass
    assert 1 == len(waiting(place))
    release.set()
    thread.join()


@pytest.mark.parametrize("who", ["holder", "waiter"])
def test_the_dead_are_passed_over_and_cleared_away(place, who):
    """kill -9 of whoever holds the lock, or waits for it: the next is served, and no ticket stays."""

    def stay() -> None:
        with gate.alone(place, 30.0):
            time.sleep(60)

    if who == "holder":
        victim = child(stay)
        until(lambda: b"process" in (place.lock.read_bytes() if place.lock.exists() else b""))
        waiter = child(lambda: gate.alone(place, 20.0).__enter__())
        until(lambda: len(waiting(place)) == 2)
        os.kill(victim, signal.SIGKILL)
    else:
        with gate.alone(place, 5.0):
            victim = child(stay)
            until(lambda: len(waiting(place)) == 2)
            waiter = child(lambda: gate.alone(place, 20.0).__enter__())
            until(lambda: len(waiting(place)) == 3)
            os.kill(victim, signal.SIGKILL)
            ended(victim)
    assert 0 == ended(waiter)
    with gate.alone(place, 5.0):
        assert 1 == len(waiting(place))


def test_somebody_stopped_in_the_queue_is_passed(place):
    """SIGSTOP while waiting: those behind take the lock when it is free and nobody moves."""

    def stay() -> None:
        with gate.alone(place, 60.0):
            pass

    with gate.alone(place, 5.0):
        stopped = child(stay)
        until(lambda: len(waiting(place)) == 2)
        os.kill(stopped, signal.SIGSTOP)
    try:
        with gate.alone(place, 20.0):
            assert 2 == len(waiting(place))
    finally:
        os.kill(stopped, signal.SIGCONT)
    assert 0 == ended(stopped)


def test_a_ticket_nobody_holds_is_no_place_in_the_queue(place):
    """From before a reboot, or copied with the home."""
    (place.queue / "00000000000000000001-00000000").touch()
    (place.queue / "a note of mine").touch()
    with gate.alone(place, 0.5):
        assert 2 == len(waiting(place))
    assert ["a note of mine"] == waiting(place)


def test_half_made_tickets_of_the_dead_are_cleared_away(place):
    """After a minute; those of today may belong to somebody who is about to come."""
    for name, age in (("new-0", 120), ("new-1", 0)):
        (place.queue / name).touch()
        os.utime(place.queue / name, (time.time() - age, time.time() - age))
    with gate.alone(place, 0.5):
        pass
    assert ["new-1"] == os.listdir(place.queue)


def test_tickets_are_in_order(place):
    """Of two tickets of one process the later one is behind."""
    with queue.ticket(place.queue) as one, queue.ticket(place.queue) as two:
        assert [] == queue.ahead(place.queue, one)
        assert [one] == queue.ahead(place.queue, two)
        gone = queue.departure(place.queue, one)
        assert not gone.is_set()
    assert gone.wait(30)
