"""Several processes at one ledger, and processes that die in the middle of it."""

import subprocess
import sys
import textwrap

import pytest

from seqveil.tables.units import Record
from seqveil.wall.ledger import Ledger

pytestmark = pytest.mark.slow

WORKER = """
import sys
from seqveil.errors import BudgetRefused
from seqveil.tables.units import Record
from seqveil.wall.ledger import Ledger

def spend(ledger, name):
    try:
        taken = ledger.reserve("metro", 10, unit=Record(), mechanism="m")
    except BudgetRefused:
        return "refused"
    taken.begin()
    taken.commit(name, "digest")
    return "won"
"""


def start(body: str, *arguments: object) -> subprocess.Popen:
    code = WORKER + textwrap.dedent(body)
    command = [sys.executable, "-W", "error", "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)


def finish(process: subprocess.Popen) -> list[str]:
    out, _ = process.communicate(timeout=120)
    assert 0 == process.returncode
    return out.split()


def test_two_processes_race_for_the_last_of_a_budget(tmp_path):
    """In every round exactly one wins, and the account is exactly full."""
    rounds = 25
    racers = [
        start(
            """
            for line in sys.stdin:
                print(spend(Ledger(line.strip()), f"release of {sys.argv[1]}"), flush=True)
            """,
            number,
        )
        for number in range(2)
    ]
    homes = [tmp_path / str(number) for number in range(rounds)]
    outcomes = []
    for home in homes:
        Ledger(home).set_cap("metro", 19)
        for racer in racers:
            racer.stdin.write(f"{home}\n")
            racer.stdin.flush()
        outcomes.append(sorted(racer.stdout.readline().strip() for racer in racers))
    for racer in racers:
        finish(racer)

    assert [["refused", "won"]] * rounds == outcomes
    assert {10} == {Ledger(home).account("metro").spent for home in homes}


def test_eight_processes_never_go_over_and_never_stand_still(tmp_path):
    """96 requests for a cap that holds 50: exactly 50 win, whoever they are, and all processes come to an end."""
    Ledger(tmp_path).set_cap("metro", 509)
    body = """
    ledger = Ledger(sys.argv[1])
    for turn in range(12):
        print(spend(ledger, f"{sys.argv[2]}/{turn}"))
    """
    outcomes = [word for worker in [start(body, tmp_path, n) for n in range(8)] for word in finish(worker)]
    ledger = Ledger(tmp_path)

    assert (50, 46) == (outcomes.count("won"), outcomes.count("refused"))
    assert (500, 0) == (ledger.account("metro").spent, ledger.account("metro").reserved)
    assert 1 + 1 + 1 + 3 * 50 == ledger.verify().entries


def test_processes_that_all_make_the_ledger_make_one(tmp_path):
    """First use by eight processes at once: one ledger, every spend in it."""
    workers = [start("print(spend(Ledger(sys.argv[1]), sys.argv[2]))", tmp_path, n) for n in range(8)]

    assert ["won"] * 8 == [word for worker in workers for word in finish(worker)]
    assert 80 == Ledger(tmp_path).account("metro").spent


KILLED = """
import os, signal

def dies_at(line, body):
    # Runs body in a child that kills itself (-9) at its line-th line inside the ledger's code.
    # Returns what the child had told before, and whether it lived to the end; lines are counted when line is 0.
    ear, mouth = os.pipe()
    child = os.fork()
    if child == 0:
        passed = 0
        def trace(frame, event, _):
            nonlocal passed
            file = frame.f_code.co_filename
            if "/wall/ledger/" not in file or file.endswith(("entry.py", "book.py")):  # these only add up
                return None
            if event == "line":
                passed += 1
                if passed == line:
                    os.kill(os.getpid(), signal.SIGKILL)
            return trace
        sys.settrace(trace)
        body(lambda word: os.write(mouth, f"{word} ".encode()))
        sys.settrace(None)
        os.write(mouth, f"lines={passed}".encode())
        os._exit(0)
    os.close(mouth)
    with os.fdopen(ear) as told:
        words = told.read().split()
    status = os.waitpid(child, 0)[1]
    assert status == 0 or os.WTERMSIG(status) == signal.SIGKILL, status
    return words

def spread(body, times):
    # Lines to die at, spread over everything the body does.
    total = int(dies_at(0, body)[-1].removeprefix("lines="))
    return [1 + total * k // times for k in range(times)]
"""


def test_kill_9_anywhere_leaves_every_spend_counted(tmp_path):
    """60 deaths spread over reserve, begin and commit: nothing told to a caller is lost, and the next run works."""
    body = """
    import pathlib, shutil

    ORDER = ["reserved", "begun", "committed"]
    root = pathlib.Path(sys.argv[1])
    spend(Ledger(root / "start"), "first")

    def run(home):
        def steps(tell):
            taken = Ledger(home).reserve("metro", 10, unit=Record(), mechanism="m")
            tell("reserved")
            taken.begin()
            tell("begun")
            taken.commit("second", "digest")
            tell("committed")
        return steps

    shutil.copytree(root / "start", root / "count")
    seen = []
    for line in spread(run(root / "count"), 60):
        home = root / str(line)
        shutil.copytree(root / "start", home)
        words = dies_at(line, run(home))
        ledger = Ledger(home)
        statuses = [charge.status for charge in ledger.charges("metro")][1:]
        account = ledger.account("metro")
        assert account.spent + account.reserved == 10 + 10 * len(statuses), (line, words, statuses)
        if words:
            assert ORDER.index(statuses[0]) >= ORDER.index(words[-1]), (line, words, statuses)
        assert spend(ledger, "third") == "won"
        assert not list(home.rglob("*.new*")), line
        assert ledger.verify().copies_damaged == 0, line
        seen.append(" ".join(statuses) or "nothing")
        shutil.rmtree(home)
    print(*seen)
    """
    seen = finish(start(KILLED + textwrap.dedent(body), tmp_path))

    assert 60 == len(seen)
    assert {"nothing", "reserved", "begun", "committed"} == set(seen)


def test_kill_9_while_the_ledger_is_made_or_restored(tmp_path):
    """A death while making or restoring a ledger leaves something that opens, or that restore can finish."""
    body = """
    import pathlib, shutil
    from seqveil.errors import LedgerError

    root = pathlib.Path(sys.argv[1])
    damaged = root / "damaged"
    for n in range(3):
        spend(Ledger(damaged), f"release {n}")
    file = Ledger(damaged).place.ledger
    raw = bytearray(file.read_bytes())
    raw[-40] ^= 1
    file.write_bytes(raw)

    def restored(home):
        return lambda tell: Ledger.restore(home)

    shutil.copytree(damaged, root / "count")
    for line in spread(restored(root / "count"), 25):
        home = root / f"restore-{line}"
        shutil.copytree(damaged, home)
        dies_at(line, restored(home))
        try:
            ledger = Ledger(home)
        except LedgerError as refused:
            assert "ledger restore" in str(refused), refused
            Ledger.restore(home)
            ledger = Ledger(home)
        assert ledger.account("metro").spent == 30, line
        shutil.rmtree(home)

    def made(home):
        return lambda tell: Ledger(home).set_cap("metro", 10)

    for line in spread(made(root / "count-made"), 20):
        home = root / f"make-{line}"
        dies_at(line, made(home))
        assert spend(Ledger(home), "release") == "won", line
    print("done")
    """
    assert ["done"] == finish(start(KILLED + textwrap.dedent(body), tmp_path))


def test_a_reservation_of_a_dead_process_still_counts(tmp_path):
    """A process that ends without a word between reserve and begin keeps its epsilon reserved."""
    finish(start("Ledger(sys.argv[1]).reserve('metro', 10, unit=Record(), mechanism='m')", tmp_path))

    assert 10 == Ledger(tmp_path).account("metro").reserved
    Ledger(tmp_path).reserve("metro", 5, unit=Record(), mechanism="m")
    assert 15 == Ledger(tmp_path).account("metro").reserved
