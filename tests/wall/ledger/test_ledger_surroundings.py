"""Locks, foreign machines, full disks, folders of someone else: noticed, and said in words."""

import errno
import os
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from ledgers import home_of, spend_ten_grains, used
from seqveil.errors import LedgerError
from seqveil.tables.units import Record
from seqveil.wall.ledger import Ledger
from seqveil.wall.ledger import host as hosts
from seqveil.wall.ledger.entry import Broken
from seqveil.wall.ledger.faults import Damaged, in_words
from seqveil.wall.ledger.host import Host


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return used(tmp_path / "home")


def test_locked_by_another_process_says_who(ledger, monkeypatch):
    """After the timeout a LedgerError names the process that holds the lock."""
    from seqveil.wall.ledger.gate import alone

    impatient = Ledger(home_of(ledger), timeout=0.05)
    with (
        alone(ledger.place, 1.0),
        pytest.raises(LedgerError, match=rf"locked by process {os.getpid()} for more than 0\.05 s"),
    ):
        impatient.set_cap("metro", 5)


def test_locked_by_another_program_in_sqlite(ledger):
    """Somebody's SQLite shell in a transaction: waiting ends, in words."""
    shell = sqlite3.connect(ledger.place.ledger, isolation_level=None)
    shell.execute("BEGIN IMMEDIATE")
    impatient = Ledger(home_of(ledger), timeout=0.05)
    with pytest.raises(LedgerError, match="was locked by another program"):
        impatient.reserve("metro", 1, unit=Record(), mechanism="m")
    shell.close()
    impatient.reserve("metro", 1, unit=Record(), mechanism="m")

    assert 8 == ledger.account("metro").reserved


def test_another_machine_is_refused_until_it_adopts(ledger, monkeypatch):
    """A directory that another machine owns is not used; `adopt` hands it over, and then the first one is refused."""
    here = hosts.this_host()
    there = Host("other-box", "0" * 64, "another boot")
    monkeypatch.setattr(hosts, "this_host", lambda: there)
    for use in (lambda: Ledger(home_of(ledger)), lambda: Ledger.restore(home_of(ledger)), lambda: spend_ten_grains(ledger, "r9")):
        with pytest.raises(LedgerError, match=f"belongs to the machine {here.name!r}; this is 'other-box'.*seqveil ledger adopt"):
            use()
    Ledger.adopt(home_of(ledger))
    spend_ten_grains(ledger, "r2")
    monkeypatch.setattr(hosts, "this_host", lambda: here)
    with pytest.raises(LedgerError, match="belongs to the machine 'other-box'"):
        Ledger(home_of(ledger))


@pytest.mark.parametrize("later", [("a", "m", "boot 2"), ("b", "n", "boot 1")], ids=["after a reboot", "another container"])
def test_same_machine_is_recognised(ledger, monkeypatch, later):
    """A reboot, or another container on the same running kernel, is the same machine."""
    monkeypatch.setattr(hosts, "this_host", lambda: Host("a", "m", "boot 1"))
    Ledger.adopt(home_of(ledger))
    monkeypatch.setattr(hosts, "this_host", lambda: Host(*later))

    assert 10 == Ledger(home_of(ledger)).account("metro").spent


def test_damaged_host_marker_is_refused(ledger):
    """A marker that cannot be read is not overwritten by guessing."""
    ledger.place.host.write_text("{")
    with pytest.raises(LedgerError, match=r"host\.json.* is damaged.*seqveil ledger adopt"):
        Ledger(home_of(ledger))


@pytest.mark.slow
def test_full_disk_is_said_in_words_and_loses_nothing(ledger):
    """Writes that fail half way end in a LedgerError; afterwards the ledger opens and counts what it counted."""
    code = """
    import os, resource, sys
    from seqveil.errors import LedgerError
    from seqveil.tables.units import Record
    from seqveil.wall.ledger import Ledger
    ledger = Ledger(sys.argv[1])
    ledger.set_cap("metro", 10**9)
    for room in range(0, 120_000, 4_000):
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
        try:
            ledger.reserve("metro", 1, unit=Record(), mechanism="m")
            print("reserved")
        except LedgerError as error:
            assert "disk" in str(error) or "room" in str(error), error
            print("refused")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), home_of(ledger)], check=True, capture_output=True, text=True
    )
    words = run.stdout.split()

    assert words.count("refused") > 2
    assert words.count("reserved") > 2
    assert 7 + words.count("reserved") == Ledger(home_of(ledger)).account("metro").reserved


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become someone else; the next test covers the rest")
def test_directory_of_someone_else(tmp_path_factory):
    """Where we may not write, the text says so and what to set instead."""
    code = """
    import os, tempfile
    from seqveil.errors import LedgerError
    from seqveil.wall.ledger import Ledger
    place = tempfile.mkdtemp()
    os.chmod(place, 0o555)
    os.setuid(65534)
    try:
        Ledger(place).set_cap("metro", 1)
    except LedgerError as error:
        print(error)
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True, capture_output=True, text=True)

    assert "cannot be written" in run.stdout
    assert "SEQVEIL_HOME=DIRECTORY" in run.stdout


def test_home_that_is_a_file(tmp_path):
    """A file where the directory should be is refused in the same words."""
    (tmp_path / "home").write_text("")
    with pytest.raises(LedgerError, match="cannot be written"):
        Ledger(tmp_path / "home").set_cap("metro", 1)
    with pytest.raises(LedgerError, match="cannot be written"):
        Ledger(tmp_path / "home").accounts()


def sqlite_error(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("from underneath")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("error", "words", "restorable"),
    [
        (OSError(errno.ENOSPC, "x"), "No space is left on the disk", False),
        (OSError(errno.EDQUOT, "x"), "No space is left on the disk", False),
        (OSError(errno.EROFS, "x"), "cannot be written: its file system is mounted read-only", False),
        (OSError(errno.EACCES, "x"), "cannot be written: its directory or a file in it", False),
        (OSError(errno.ENOTDIR, "x", "/home/me/file"), "cannot be written: /home/me/file is in the way", False),
        (OSError(errno.EMFILE, "x"), "too many open files", False),
        (OSError(errno.ENFILE, "x"), "too many open files", False),
        (OSError(errno.ENOMEM, "x"), "not enough memory", False),
        (MemoryError(), "not enough memory", False),
        (sqlite_error(sqlite3.SQLITE_NOMEM), "not enough memory", False),
        (sqlite_error(sqlite3.SQLITE_IOERR_NOMEM), "not enough memory", False),
        (sqlite_error(sqlite3.SQLITE_PROTOCOL), "was locked", False),
        (OSError(errno.EIO, "input/output error"), "cannot be used: input/output error", False),
        (sqlite_error(sqlite3.SQLITE_BUSY), "was locked", False),
        (sqlite_error(sqlite3.SQLITE_BUSY | 2 << 8), "was locked", False),
        (sqlite_error(sqlite3.SQLITE_FULL), "No space is left on the disk", False),
        (sqlite_error(sqlite3.SQLITE_READONLY), "cannot be written", False),
        (sqlite_error(sqlite3.SQLITE_CANTOPEN), "cannot be written", False),
        (sqlite_error(sqlite3.SQLITE_IOERR), "failed or is full", True),
        (sqlite_error(sqlite3.SQLITE_CORRUPT), "is damaged", True),
        (sqlite_error(sqlite3.SQLITE_NOTADB), "is damaged", True),
        (Broken("entry 4 is odd"), "is damaged: entry 4 is odd", True),
    ],
)
def test_every_failure_underneath_has_words(error, words, restorable):
    """What the system or SQLite says becomes a LedgerError with advice; only damage can be restored."""
    fault = in_words(Path("/l"), error, 1.0)

    assert words in str(fault)
    assert restorable == isinstance(fault, Damaged)
