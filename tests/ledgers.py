"""Ledgers in tests: what is reserved, spent and published there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from seqveil.tables.units import Record, Unit
from seqveil.wall.budget import grains
from seqveil.wall.ledger import Ledger


def reserve(ledger: Ledger, account: str = "metro", epsilon: str = "1.0", unit: Unit | None = None, **more: Any) -> Any:
    return ledger.reserve(account, grains(epsilon), unit=unit or Record(), mechanism="ngram", **more)


def publish(ledger: Ledger, release: str = "r1", account: str = "metro", epsilon: str = "1.0") -> None:
    spend = reserve(ledger, account, epsilon)
    spend.begin()
    spend.commit(release, "d")


def spend_ten_grains(ledger: Ledger, release: str) -> None:
    """The whole way of a release."""
    with ledger.reserve("metro", 10, unit=Record(), mechanism="m", fingerprint=ledger.fingerprint(b"x")) as spend:
        spend.begin()
        spend.commit(release, "digest")


def used(home: Path) -> Ledger:
    """A ledger with a cap, a release and a reservation."""
    ledger = Ledger(home, timeout=5)
    ledger.set_cap("metro", 100)
    spend_ten_grains(ledger, "r1")
    ledger.reserve("metro", 7, unit=Record(), mechanism="m")
    return ledger


def home_of(ledger: Ledger) -> Path:
    return ledger.place.directory.parent
