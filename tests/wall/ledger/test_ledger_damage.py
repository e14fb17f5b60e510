"""Damaged, lost and replaced files: noticed, said in words, and repaired where possible."""

import re
import shutil
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import suppress
from pathlib import Path

import pytest

from ledgers import home_of, spend_ten_grains, used
from seqveil.errors import LedgerError
from seqveil.tables.units import Record
from seqveil.wall.ledger import Ledger, copies
from seqveil.wall.ledger.faults import Damaged


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return used(tmp_path / "home")


def facts(ledger: Ledger) -> tuple:
    return ledger.accounts(), ledger.charges("metro"), [e for e in ledger.history("metro") if e.kind != "restored"]


def flip(path: Path, offset: int) -> None:
    with open(path, "r+b") as file:
        file.seek(offset)
        byte = file.read(1)[0]
        file.seek(offset)
        file.write(bytes([byte ^ 0x10]))


@pytest.mark.slow
def test_any_flipped_byte_of_the_ledger_is_found_or_changes_nothing(ledger):
    """One bit in any byte of the ledger: `verify` refuses, or the byte lies where no entry and no checkpoint is."""
    path = ledger.place.ledger
    before, whole, refused = facts(ledger), path.read_bytes(), 0
    for offset in {*range(100), *range(0, len(whole), 97)}:
        flip(path, offset)
        try:
            Ledger(home_of(ledger)).verify()
            assert before == facts(ledger), offset
        except Damaged:
            refused += 1
        path.write_bytes(whole)

    assert before == facts(ledger)
    assert refused > 40


def test_a_header_that_forbids_writing_is_damage(ledger):
    """SQLite reads such a file, finds nothing wrong with it, and refuses to write: that is no matter of permissions."""
    before = facts(ledger)
    flip(ledger.place.ledger, 18)

    for use in (lambda: spend_ten_grains(Ledger(home_of(ledger)), "r2"), lambda: Ledger(home_of(ledger)).verify()):
        with pytest.raises(Damaged, match=r"may only be read.*seqveil ledger restore"):
            use()
    Ledger.restore(home_of(ledger))
    assert before == facts(ledger)
    spend_ten_grains(Ledger(home_of(ledger)), "r2")


@pytest.mark.slow
@pytest.mark.parametrize("which", ["first.jsonl", "second.jsonl"])
def test_any_flipped_byte_of_a_copy_is_found_or_written_again(ledger, which):
    """One bit in any entry of a copy, or in its last seal: `verify` says so, and `restore` puts it right."""
    path = ledger.place.copies / which
    before, whole = facts(ledger), path.read_bytes()
    old_seals = [range(m.start(), m.end()) for m in re.finditer(rb'\["seal".*\n', whole)][:-1]
    for offset in (at for at in range(0, len(whole), 61) if not any(at in seal for seal in old_seals)):
        flip(path, offset)
        with suppress(Damaged):
            assert 1 == Ledger(home_of(ledger)).verify().copies_damaged, offset
        path.write_bytes(whole)
    flip(path, len(whole) // 2)
    verdict = Ledger.restore(home_of(ledger))

    assert (2, 0, True) == (verdict.copies_whole, verdict.copies_damaged, (verdict.kept_aside / which).exists())
    assert list(copies.Copy(path).entries()) == list(copies.copies(ledger.place.copies)[0].entries())
    assert before == facts(ledger)


def test_a_torn_end_of_a_copy_is_written_again(ledger):
    """What a process that died in the middle of an append leaves is reported, and written again by the next use."""
    path = ledger.place.copies / "first.jsonl"
    whole = path.read_bytes()
    for length in range(len(whole) - 300, len(whole), 7):
        path.write_bytes(whole[:length])
        assert 1 == Ledger(home_of(ledger)).verify().copies_damaged
    spend_ten_grains(ledger, "r2")

    first, second = (list(copy.entries()) for copy in copies.copies(ledger.place.copies))
    assert first == second
    assert (2, 0) == (ledger.verify().copies_whole, ledger.verify().copies_damaged)


def test_a_turn_of_which_the_disk_kept_only_the_end_is_written_again(ledger):
    """Without power the second half of an append may be there and the first not: such a turn does not count."""
    path = ledger.place.copies / "first.jsonl"
    with ledger.reserve("bus", 5, unit=Record(), mechanism="m"):  # two entries in one turn
        lines = path.read_bytes().splitlines(keepends=True)
        lines[-3] = bytes(len(lines[-3]) - 1) + b"\n"
        path.write_bytes(b"".join(lines))
        assert lines[:-3] == path.read_bytes()[: copies.Copy(path).tail().end].splitlines(keepends=True)

    assert (2, 0) == (ledger.verify().copies_whole, ledger.verify().copies_damaged)


@pytest.mark.slow
def test_without_copies_a_flipped_byte_never_changes_what_is_read(ledger):
    """With every copy gone, a flipped byte is refused or lies where no entry is: it never reads as another amount."""
    before = facts(ledger)
    shutil.rmtree(ledger.place.copies)
    refused = 0
    for offset in range(0, ledger.place.ledger.stat().st_size, 61):
        whole = ledger.place.ledger.read_bytes()
        flip(ledger.place.ledger, offset)
        try:
            assert before == facts(Ledger(home_of(ledger)))
        except LedgerError:
            refused += 1
        ledger.place.ledger.write_bytes(whole)

    assert refused > 20


@pytest.mark.parametrize("which", ["ledger", "a copy", "all but one copy", "all copies", "different bytes everywhere"])
def test_restore_brings_back_every_entry(ledger, which):
    """Each entry is taken from whichever file still holds it; nothing that counted stops counting."""
    before = facts(ledger)
    first, second = sorted(ledger.place.copies.iterdir())
    row = ledger.place.ledger.read_bytes().index(b'{"digest": "digest", "release": "r1"}') + 4
    lines = len(first.read_bytes())
    damage = {
        "ledger": {ledger.place.ledger: row},
        "a copy": {second: lines // 2},
        "all but one copy": {ledger.place.ledger: row, second: lines // 2},
        "all copies": {first: lines // 2, second: lines // 2},
        "different bytes everywhere": {ledger.place.ledger: row, first: 105, second: lines - 300},
    }[which]
    for path, offset in damage.items():
        flip(path, offset)
    verdict = Ledger.restore(home_of(ledger))
    after = Ledger(home_of(ledger))
    spend_ten_grains(after, "r2")

    assert verdict.kept_aside.is_dir()
    assert 0 == verdict.copies_damaged
    assert before[0][0].reserved + before[0][0].spent + 10 == after.account("metro").reserved + after.account("metro").spent
    assert before[2] == [e for e in after.history("metro") if e.kind != "restored"][: len(before[2])]


def test_restoring_a_whole_ledger_changes_nothing(ledger):
    """Restore is no way to go back in time."""
    before = ledger.place.ledger.read_bytes()
    verdict = Ledger.restore(home_of(ledger))

    assert verdict.kept_aside is None
    assert before == ledger.place.ledger.read_bytes()


@pytest.mark.parametrize("how", ["deleted", "emptied", "blank database", "older file", "another ledger", "garbage"])
def test_a_replaced_ledger_is_noticed_and_restored(ledger, tmp_path, how):
    """A ledger that is gone, blank, or older than its copies is never taken for a fresh start."""
    path = ledger.place.ledger
    older = path.read_bytes()
    spend_ten_grains(ledger, "r2")
    before = facts(ledger)
    if how == "deleted":
        path.unlink()
    elif how == "emptied":
        path.write_bytes(b"")
    elif how == "blank database":
        path.unlink()
        blank = sqlite3.connect(path)
        blank.execute("VACUUM")
        blank.close()
    elif how == "older file":
        path.write_bytes(older)
    elif how == "another ledger":
        other = Ledger(tmp_path / "other")
        for n in range(9):
            spend_ten_grains(other, f"o{n}")
        path.write_bytes(other.place.ledger.read_bytes())
    else:
        path.write_bytes(b"not a database at all" * 1000)
    for use in (lambda: Ledger(home_of(ledger)), lambda: ledger.set_cap("metro", 1)):
        with pytest.raises(LedgerError, match="seqveil ledger restore"):
            use()
    if how == "another ledger":
        with pytest.raises(LedgerError, match="two different ledgers are mixed"):
            Ledger.restore(home_of(ledger))
        path.unlink()
    Ledger.restore(home_of(ledger))

    assert before == facts(Ledger(home_of(ledger)))


def test_nothing_to_restore_from(ledger):
    """Without copies and with a broken first entry the advice is to add up what was spent from the manifests."""
    shutil.rmtree(ledger.place.copies)
    ledger.place.ledger.write_bytes(b"garbage" * 1000)
    with pytest.raises(LedgerError, match="add up what was spent from the manifests"):
        Ledger.restore(home_of(ledger))


def test_edited_amount_is_detected(ledger):
    """Someone who drops the triggers and lowers an amount is found out, also after the triggers are back."""
    shutil.rmtree(ledger.place.copies)
    connection = sqlite3.connect(ledger.place.ledger, isolation_level=None)
    trigger = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'no_update'").fetchone()[0]
    connection.execute("DROP TRIGGER no_update")
    connection.execute("UPDATE history SET grains = 1 WHERE kind = 'reserved'")
    connection.execute(trigger)
    connection.close()
    with pytest.raises(LedgerError, match=r"entry \d+ of the history is not what was written"):
        Ledger(home_of(ledger))


def test_missing_trigger_is_detected(ledger):
    """A ledger whose history could be changed is not trusted."""
    shutil.rmtree(ledger.place.copies)
    connection = sqlite3.connect(ledger.place.ledger)
    connection.execute("DROP TRIGGER no_update")
    connection.close()
    with pytest.raises(LedgerError, match="its layout is not that of a ledger"):
        Ledger(home_of(ledger))


def test_newer_layout_is_refused_and_not_restored(ledger):
    """A file of a later Seqveil is left alone."""
    connection = sqlite3.connect(ledger.place.ledger, isolation_level=None)
    connection.execute("DROP TABLE schema_version")
    connection.execute("CREATE TABLE schema_version (version INTEGER NOT NULL CHECK (version = 7))")
    connection.execute("INSERT INTO schema_version VALUES (7)")
    connection.close()
    for use in (Ledger, Ledger.restore):
        with pytest.raises(LedgerError, match="has layout 7, and this version of Seqveil only reads layouts 1 to 3"):
            use(home_of(ledger))


@pytest.mark.slow
def test_damaged_write_ahead_log_is_noticed(ledger, tmp_path):
    """SQLite drops the end of a damaged log silently; the newest copy tells, and restore brings it back."""
    code = """
    import os, sys
    from seqveil.tables.units import Record
    from seqveil.wall.ledger import Ledger, copies
    made = copies.write
    def die_after(*arguments):
        made(*arguments)
        os.kill(os.getpid(), 9)
    copies.write = die_after
    Ledger(sys.argv[1]).reserve("metro", 20, unit=Record(), mechanism="m")
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code), home_of(ledger)], check=False)
    log = ledger.place.directory / "ledger.sqlite-wal"
    size = log.stat().st_size
    for offset in (0, 20, 40, 60, size // 2, size - 10):
        trial = tmp_path / f"trial-{offset}"
        shutil.copytree(home_of(ledger), trial)
        flip(trial / "ledger" / log.name, offset)
        with pytest.raises(LedgerError, match="seqveil ledger restore"):
            Ledger(trial)
        Ledger.restore(trial)
        assert 37 == Ledger(trial).account("metro").reserved + Ledger(trial).account("metro").spent

    assert 27 == Ledger(home_of(ledger)).account("metro").reserved
