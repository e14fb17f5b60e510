"""A run with a key is charged at most once, whatever became of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from seqveil.errors import AlreadyRun, CallError
from seqveil.tables.units import Record
from seqveil.wall.budget import grains
from seqveil.wall.ledger import Ledger, Spend

ONE = grains("1.0")


def reserve(ledger: Ledger, once: str | None, account: str = "shop") -> Spend:
    return ledger.reserve(account, ONE, unit=Record(), mechanism="ngram", once=once)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path)


def test_a_finished_run_is_named_and_not_repeated(ledger: Ledger) -> None:
    spend = reserve(ledger, "2026-W47")
    spend.begin()
    spend.commit("release-1", "digest")

    with pytest.raises(AlreadyRun, match="release-1") as again:
        reserve(ledger, "2026-W47")
    assert ("release-1", 0) == (again.value.release, again.value.exit_code)
    assert ONE == ledger.account("shop").spent


@pytest.mark.parametrize("begun", [False, True])
def test_a_run_without_an_end_is_refused(ledger: Ledger, begun: bool) -> None:
    """Its process may have been killed: nothing tells whether it has read data."""
    spend = reserve(ledger, "2026-W47")
    if begun:
        spend.begin()

    with pytest.raises(AlreadyRun, match="remains charged" if begun else "has not begun") as again:
        reserve(ledger, "2026-W47")
    assert (None, 1) == (again.value.release, again.value.exit_code)
    assert ONE == ledger.account("shop").reserved


def test_what_was_returned_may_be_tried_again(ledger: Ledger) -> None:
    reserve(ledger, "2026-W47").give_back()
    reserve(ledger, "2026-W47")

    with pytest.raises(AlreadyRun):
        ledger.refuse_again("shop", "2026-W47")


def test_a_withdrawn_release_is_not_made_again(ledger: Ledger) -> None:
    spend = reserve(ledger, "2026-W47")
    spend.begin()
    spend.commit("release-1", "digest")
    ledger.withdraw("release-1")

    with pytest.raises(AlreadyRun, match="release-1"):
        reserve(ledger, "2026-W47")


def test_other_keys_and_other_accounts_are_other_runs(ledger: Ledger) -> None:
    for once in ("2026-W47", "2026-W4", "2026-w47", '"once": "2026-W47"', None, None):
        reserve(ledger, once)
    reserve(ledger, "2026-W47", account="metro")

    assert 6 * ONE == ledger.account("shop").reserved


def test_a_key_is_found_after_the_ledger_was_restored(ledger: Ledger, tmp_path: Path) -> None:
    spend = reserve(ledger, "2026-W47")
    spend.begin()
    spend.commit("release-1", "digest")
    with ledger.place.ledger.open("r+b") as file:
        file.truncate(5000)
    Ledger.restore(tmp_path)

    with pytest.raises(AlreadyRun, match="release-1"):
        reserve(Ledger(tmp_path), "2026-W47")


@pytest.mark.parametrize("key", ["", "a\nb", "x" * 201, 7])
def test_other_things_are_no_keys(ledger: Ledger, key: object) -> None:
    with pytest.raises(CallError, match="once"):
        reserve(ledger, key)  # type: ignore[arg-type]
    assert [] == ledger.accounts()
