"""A turn checks what is new and the ends of what is old; `verify` checks all of it. What was tampered with is found."""

import hmac
import json
import sqlite3
from pathlib import Path

import pytest

from seqveil.errors import LedgerError
from seqveil.tables.units import Record
from seqveil.wall.ledger import Ledger, copies, history, schema
from seqveil.wall.ledger.checkpoint import checkpoint
from seqveil.wall.ledger.entry import Entry
from seqveil.wall.ledger.turn import entry

RELEASES = 500


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """A ledger of some 1,500 entries, written in one transaction."""
    ledger = Ledger(tmp_path)
    ledger.set_cap("metro", 10**12)
    ledger.reserve("metro", 10, unit=Record(), mechanism="m")
    connection = schema.connect(ledger.place.ledger, 5.0)
    connection.execute("BEGIN IMMEDIATE")
    book = history.folded(connection)
    for number in range(RELEASES):
        steps = {"reserved": {"mechanism": "m"}, "begun": {}, "committed": {"release": f"r{number}", "digest": "d"}}
        for kind, facts in steps.items():
            fresh = entry(book, kind, "metro", f"s{number}", 10 if kind == "reserved" else 0, **facts)
            schema.append(connection, fresh)
            book.post(fresh)
    last = schema.seal(connection, book)
    connection.execute("COMMIT")
    copies.write(connection, last, ledger.place.copies)
    connection.close()
    return ledger


def tamper(path: Path, *statements: str) -> None:
    """Do to the file what its triggers forbid, and put them back."""
    connection = sqlite3.connect(path, isolation_level=None)
    triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        connection.execute(statement)
    for _, text in triggers:
        connection.execute(text)
    connection.close()


def use(ledger: Ledger) -> None:
    Ledger(ledger.place.directory.parent).reserve("metro", 10, unit=Record(), mechanism="m")


def publish(ledger: Ledger, release: str) -> None:
    with ledger.reserve("metro", 10, unit=Record(), mechanism="m") as spend:
        spend.begin(ledger.fingerprint(release.encode()))
        spend.commit(release, "digest")


def test_a_turn_hashes_a_bounded_number_of_entries(ledger, monkeypatch):
    """However long the history is: its ends, a sample, what is looked up and what is appended."""
    hashed, link = [], Entry._link
    monkeypatch.setattr(Entry, "_link", lambda self, previous: hashed.append(self.seq) or link(self, previous))
    turns = 5  # opening, reserve, fingerprint, begin, commit
    publish(Ledger(ledger.place.directory.parent), "new")

    assert len(hashed) < turns * (history.SAMPLE + 40)
    assert RELEASES * 10 + 10 == ledger.account("metro").spent


def test_a_turn_appends_to_the_copies_what_is_new(ledger):
    """A copy that lacks nothing is not written again: its inode stays, and what was in it stays where it was."""
    before = {copy.path: (copy.path.stat().st_ino, copy.path.read_bytes()) for copy in copies.copies(ledger.place.copies)}
    publish(ledger, "new")

    assert 2 == len(before)
    for path, (inode, text) in before.items():
        assert inode == path.stat().st_ino
        assert path.read_bytes().startswith(text)
        assert len(path.read_bytes()) < len(text) + 3000


def test_the_checkpoint_is_what_the_history_adds_up_to(ledger):
    """After any number of turns; open charges are in it, closed ones are found in the history."""
    publish(ledger, "new")
    ledger.reserve("bus", 5, unit=Record(), mechanism="m").begin()
    connection = sqlite3.connect(ledger.place.ledger)
    connection.text_factory = str
    stored, book = schema.sealed(connection), history.folded(connection)
    connection.close()
    state = json.loads(stored.state)

    assert checkpoint(book) == stored
    assert ["begun", "reserved"] == sorted(charge["status"] for charge in state["open"])
    assert "withdrawn" == (ledger.withdraw("r7"), ledger.charges("metro")[8])[1].status
    with pytest.raises(LedgerError, match="committed once"):
        ledger._commit(ledger.reserve("metro", 1, unit=Record(), mechanism="m"), "r9", "other")


def test_other_words_for_the_same_unit_are_no_damage(ledger, monkeypatch):
    """A later Seqveil may describe neighbours differently: checkpoint and copies hold the unit, not the sentence."""
    monkeypatch.setattr(Record, "neighbours", "said in another way")
    publish(ledger, "new")

    assert (2, 0) == (ledger.verify().copies_whole, ledger.verify().copies_damaged)
    assert "said in another way" == ledger.account("metro").neighbours


@pytest.mark.parametrize(
    "statement",
    [
        """UPDATE checkpoint SET state = replace(state, '"spent": 5000', '"spent": 0')""",
        "UPDATE checkpoint SET seq = seq - 1",
        "UPDATE checkpoint SET seal = zeroblob(32)",
        "UPDATE checkpoint SET seal = 'text'",
        "DELETE FROM checkpoint",
        "UPDATE history SET grains = 1 WHERE seq = (SELECT max(seq) FROM history)",
        "UPDATE history SET chain = zeroblob(32) WHERE seq = (SELECT max(seq) FROM history)",
        "DELETE FROM history WHERE seq = (SELECT max(seq) FROM history)",
        'UPDATE history SET facts = \'{"key": "00"}\' WHERE seq = 1',
        "DELETE FROM history WHERE seq = 1",
    ],
)
def test_every_turn_finds_an_edited_checkpoint_and_edited_ends(ledger, statement):
    """The state, the seal, the first and the last entry hang together."""
    tamper(ledger.place.ledger, statement)
    with pytest.raises(LedgerError, match="seqveil ledger restore"):
        use(ledger)
    Ledger.restore(ledger.place.directory.parent)

    assert (RELEASES * 10, 10) == (ledger.account("metro").spent, ledger.account("metro").reserved)


def forge(ledger: Ledger, **state: int) -> bytes:
    """What someone does who knows how seals are made: another state with a seal that fits."""
    connection = sqlite3.connect(ledger.place.ledger, isolation_level=None)
    key = bytes.fromhex(json.loads(connection.execute("SELECT facts FROM history WHERE seq = 1").fetchone()[0])["key"])
    seq, head = connection.execute("SELECT seq, chain FROM history ORDER BY seq DESC LIMIT 1").fetchone()
    facts = json.loads(connection.execute("SELECT state FROM checkpoint").fetchone()[0])
    facts["accounts"][0].update(state)
    text = json.dumps(facts, sort_keys=True)
    seal = hmac.digest(key, b"checkpoint" + seq.to_bytes(8, "big") + head + text.encode(), "sha256")
    connection.execute("UPDATE checkpoint SET state = ?, seal = ?", (text, seal))
    connection.close()
    return seal


def test_a_forged_checkpoint_disagrees_with_the_copies(ledger):
    """The seal is in the copies, too: every turn compares."""
    forge(ledger, spent=0)
    with pytest.raises(LedgerError, match="not the one that its copies know"):
        use(ledger)


def test_a_checkpoint_forged_everywhere_is_found_by_verify(ledger):
    """Nothing but adding up can find it, and `verify` adds up; so do `restore` and `adopt`."""
    seal = forge(ledger, spent=0)
    for copy in copies.copies(ledger.place.copies):
        lines = copy.path.read_bytes().splitlines(keepends=True)
        lines[-1] = json.dumps([*json.loads(lines[-1])[:2], seal.hex()]).encode() + b"\n"
        copy.path.write_bytes(b"".join(lines))
    home = ledger.place.directory.parent

    assert 0 == Ledger(home).account("metro").spent  # a turn alone cannot know
    for check in (ledger.verify, lambda: Ledger.adopt(home)):
        with pytest.raises(LedgerError, match="not what its history adds up to"):
            check()
    Ledger.restore(home)
    assert RELEASES * 10 == ledger.account("metro").spent


def test_an_edited_old_entry_is_found_by_verify_and_mostly_by_a_turn(ledger, monkeypatch):
    """`verify` always; a turn when its sample meets it, or when the entry is looked up."""
    tamper(ledger.place.ledger, "UPDATE history SET grains = 1 WHERE kind = 'reserved' AND spend = 's100'")
    with pytest.raises(LedgerError, match=r"entry \d+ of the history is not what was written"):
        ledger.verify()
    monkeypatch.setattr("seqveil.wall.ledger.history.secrets.randbelow", lambda most: most - 1)
    use(ledger)
    with pytest.raises(LedgerError, match=r"entry \d+ of the history is not what was written"):
        ledger.withdraw("r100")
    monkeypatch.undo()
    with pytest.raises(LedgerError, match="seqveil ledger restore"):
        # Each meets it with a probability of about one in twelve.
        [Ledger(ledger.place.directory.parent) for _ in range(300)]


@pytest.mark.parametrize("turns", [1, 3])
def test_a_ledger_that_lost_its_end_is_found_by_every_turn(ledger, turns):
    """An older file is whole in itself, checkpoint and all: the copies know more."""
    older = ledger.place.ledger.read_bytes()
    for number in range(turns):
        ledger.set_cap("metro", 10**11 + number)
    ledger.place.ledger.write_bytes(older)
    with pytest.raises(LedgerError, match=r"ends at entry \d+, but its copy first.jsonl goes on"):
        use(ledger)


def test_a_copy_that_was_left_behind_catches_up(ledger, monkeypatch):
    """A death or a full disk between the entry and its copy: what is missing is appended by the next turn, and once."""

    def fails(self, *_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(copies.Copy, "extend", fails)
        spend = Ledger(ledger.place.directory.parent)
        with pytest.raises(LedgerError, match="automatic copy"):
            spend.set_cap("metro", 10**11)
    publish(ledger, "new")

    verdict = ledger.verify()
    assert (2, 0) == (verdict.copies_whole, verdict.copies_damaged)
    assert {verdict.entries} == {copy.tail().last.seq for copy in copies.copies(ledger.place.copies)}
