"""What became of the ε of a run that failed or was stopped, in the same words everywhere.

The lifecycle puts one of these sentences as a note on the exception that ended the run: Python shows notes below a traceback, and
a surface of its own (the command line) prints them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from seqveil.wall.measures.guarantee import Guarantee

Budget = Literal["unspent", "returned", "charged", "reserved"]
"""For programs: only after the first two may a run be repeated without spending twice."""


class Fate(str):
    """A sentence about the ε of a run, as a note on the exception that ended it; `budget` is the same in one word.

    >>> NOTHING.budget, charged("metro", Guarantee(10**12)).budget
    ('unspent', 'charged')
    """

    __slots__ = ("budget",)
    budget: Budget

    def __new__(cls, text: str, budget: Budget) -> Fate:
        fate = super().__new__(cls, text)
        fate.budget = budget
        return fate


NOTHING = Fate("Nothing was reserved or spent.", "unspent")


def uncharged(account: str, guarantee: Guarantee) -> Fate:
    """The reservation was interrupted, and whatever was written of it was undone."""
    return Fate(f"{_amount(account, guarantee)} was not charged: no data was read.", "unspent")


def returned(account: str, guarantee: Guarantee) -> Fate:
    """
    >>> returned("metro", Guarantee(10**12))
    "ε = 1.0 on account 'metro' was returned: no data was read."
    """
    return Fate(f"{_amount(account, guarantee)} was returned: no data was read.", "returned")


def charged(account: str, guarantee: Guarantee) -> Fate:
    """The run had begun: nothing can tell how much it has read."""
    return Fate(f"{_amount(account, guarantee)} remains charged: the run may already have read data.", "charged")


def saved(account: str, guarantee: Guarantee, folder: Path) -> Fate:
    """The release is durable, but the ledger could not be told its digest."""
    return Fate(
        f"{_amount(account, guarantee)} remains charged. The release is in {folder}; the ledger has no digest of it.", "charged"
    )


def reserved(account: str, guarantee: Guarantee) -> Fate:
    """The reservation could not be undone."""
    return Fate(f"{_amount(account, guarantee)} remains reserved: the ledger could not be changed to return it.", "reserved")


def fates(error: BaseException) -> list[Fate]:
    """What an exception says about the ε of the run that it ended."""
    return [note for note in getattr(error, "__notes__", ()) if isinstance(note, Fate)]


def tell_fate(error: BaseException, fate: Fate) -> None:
    """Put a fate on an exception, unless whoever knew more has put one there already."""
    if not fates(error):
        error.add_note(fate)


@contextmanager
def costing_nothing() -> Iterator[None]:
    """For everything before the reservation: whatever fails here has cost nothing, and says so."""
    try:
        yield
    except BaseException as error:
        tell_fate(error, NOTHING)
        raise


def _amount(account: str, guarantee: Guarantee) -> str:
    return f"{guarantee} on account {account!r}"
