"""Ledgers from before accounts had a measure: read as they are, upgraded by the next entry, and nothing of them is lost."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from seqveil.errors import BudgetRefused
from seqveil.tables.units import Record, User
from seqveil.wall.budget import grains
from seqveil.wall.ledger import Ledger, schema

WRITTEN = Path(__file__).with_name("ledger_layout_2.sql")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    directory = tmp_path / "home" / "ledger"
    directory.mkdir(parents=True)
    connection = sqlite3.connect(directory / "ledger.sqlite")
    connection.executescript(WRITTEN.read_text(encoding="utf-8"))
    connection.close()
    return tmp_path / "home"


def version(ledger: Ledger) -> int:
    connection = sqlite3.connect(ledger.place.ledger)
    try:
        return schema.layout(connection)
    finally:
        connection.close()


def test_it_is_read_as_it_is(home: Path) -> None:
    ledger = Ledger(home)

    assert [("metro", "pure", grains("1.0"), grains("0.1875")), ("shop", "pure", grains("1.0"), 0)] == [
        (one.name, one.measure, one.spent, one.reserved) for one in ledger.accounts()
    ]
    assert [grains("1.0"), grains("0.125"), grains("0.0625"), grains("0.5")] == [one.epsilon for one in ledger.charges("metro")]
    assert ledger.verify().entries == 17
    assert version(ledger) == schema.SECOND


def test_the_next_entry_upgrades_it_and_keeps_its_history(home: Path) -> None:
    ledger = Ledger(home)
    before = ledger.history("metro")
    with ledger.reserve("metro", grains("0.5"), unit=Record(), mechanism="m") as spend:
        spend.begin()
        spend.commit("r3", "digest of r3")

    assert version(ledger) == schema.VERSION
    assert before == ledger.history("metro")[: len(before)]
    assert (grains("1.5"), grains("0.1875")) == (ledger.account("metro").spent, ledger.account("metro").reserved)
    assert ledger.verify().copies_whole == 2


def test_what_was_open_can_still_be_ended(home: Path) -> None:
    ledger = Ledger(home)
    ledger.reserve("new", grains("1.0"), unit=User(max_sequences=1), mechanism="m", delta=10**12)
    open_ones = [one for one in ledger.charges("metro") if one.open]

    assert [grains("0.125"), grains("0.0625")] == [one.epsilon for one in open_ones]
    assert ledger.verify().accounts == 3


def test_a_look_at_it_changes_nothing_even_where_a_run_is_refused(home: Path) -> None:
    ledger = Ledger(home)
    with pytest.raises(BudgetRefused):
        ledger.reserve("metro", grains("9.0"), unit=Record(), mechanism="m")

    assert version(ledger) == schema.SECOND


def test_a_damaged_one_is_restored_in_the_layout_of_today(home: Path) -> None:
    ledger = Ledger(home)
    ledger.verify()
    ledger.accounts()  # its copies are written again
    ledger.place.ledger.write_bytes(b"no ledger" * 1000)
    Ledger.restore(home)

    assert version(Ledger(home)) == schema.VERSION
    assert Ledger(home).account("metro").spent == grains("1.0")
