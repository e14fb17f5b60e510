"""The book: what the history says when it is read from the first entry to the last.

    (reserve) ─► reserved ─► begun ─► committed ─► withdrawn
                     └─► returned

Everything but *returned* counts against the cap, whatever happened to the run.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from seqveil.errors import CallError
from seqveil.tables.units import unit_from
from seqveil.wall.ledger.entry import ROOT, Broken, Entry

KINDS = frozenset(
    ("opened", "protects", "cap", "seen", "reserved", "begun", "returned", "committed", "withdrawn", "restored", "adopted")
)
"""What an entry can say; each has a method of the book."""


@dataclass(slots=True)
class Account:
    """What one account protects, what it may spend and what it has spent (in grains)."""

    name: str
    unit: dict[str, Any] | None = None
    neighbours: str | None = None
    cap: int | None = None
    spent: int = 0
    reserved: int = 0

    @property
    def left(self) -> int | None:
        """What may still be spent; None without a cap. A cap below what is spent leaves nothing.

        >>> Account("metro", cap=30, spent=10, reserved=5).left, Account("metro", cap=3, spent=10).left
        (15, 0)
        """
        return None if self.cap is None else max(0, self.cap - self.spent - self.reserved)


@dataclass(slots=True)
class Charge:
    """One spend and what became of it. `status` is reserved, begun, committed, withdrawn or returned."""

    spend: str
    account: str
    grains: int
    mechanism: str
    status: str = "reserved"
    release: str = ""
    digest: str = ""

    @property
    def open(self) -> bool:
        """Whether it can still change what its account has spent or reserved."""
        return self.status in ("reserved", "begun")

    def move(self, before: tuple[str, ...], status: str) -> None:
        if self.status not in before:
            raise Broken(f"spend {self.spend} cannot be {status}: it is {self.status}")
        self.status = status


@dataclass(slots=True)
class Book:
    """The state of every account, folded from the history.

    A book that was folded from the first entry knows every charge. One that was opened from a checkpoint knows those that
    are still open; others are looked up in the history when they are asked for.
    """

    accounts: dict[str, Account] = field(default_factory=dict)
    charges: dict[str, Charge] = field(default_factory=dict)
    key: bytes = b""
    seq: int = 0
    """The number of the last entry."""
    head: bytes = ROOT
    """The hash of the last entry, and so of everything."""

    def account(self, name: str) -> Account:
        """The account of that name; an account that nobody has used yet is an empty one."""
        return self.accounts.get(name) or Account(name)

    def post(self, entry: Entry) -> None:
        """Take one more entry into account."""
        if entry.kind not in KINDS:
            raise Broken(f"entry {entry.seq} of the history is not valid")
        try:
            getattr(self, f"_{entry.kind}")(entry)
        except (KeyError, ValueError, TypeError, AttributeError, CallError):
            raise Broken(f"entry {entry.seq} of the history is not valid") from None
        self.seq, self.head = entry.seq, entry.chain

    def _owner(self, entry: Entry) -> Account:
        return self.accounts.setdefault(entry.account, Account(entry.account))

    def _opened(self, entry: Entry) -> None:
        self.key = bytes.fromhex(entry.details()["key"])

    def _protects(self, entry: Entry) -> None:
        facts, account = entry.details(), self._owner(entry)
        # The unit decides; an older entry may word its neighbours differently.
        unit = unit_from(facts["unit"])
        account.unit, account.neighbours = unit.protected(), unit.neighbours

    def _cap(self, entry: Entry) -> None:
        self._owner(entry).cap = entry.grains

    def _seen(self, entry: Entry) -> None:
        if not isinstance(entry.details()["fingerprint"], str):
            raise Broken(f"entry {entry.seq} holds no fingerprint")

    def _reserved(self, entry: Entry) -> None:
        if entry.grains < 1 or entry.spend in self.charges:
            raise Broken(f"entry {entry.seq} reserves nothing, or reserves it twice")
        self.charges[entry.spend] = Charge(entry.spend, entry.account, entry.grains, entry.details()["mechanism"])
        self._owner(entry).reserved += entry.grains

    def _begun(self, entry: Entry) -> None:
        self.charges[entry.spend].move(("reserved",), "begun")

    def _returned(self, entry: Entry) -> None:
        charge = self.charges[entry.spend]
        charge.move(("reserved",), "returned")
        self.accounts[charge.account].reserved -= charge.grains

    def _committed(self, entry: Entry) -> None:
        facts, charge = entry.details(), self.charges[entry.spend]
        charge.move(("begun",), "committed")
        charge.release, charge.digest = facts["release"], facts["digest"]
        account = self.accounts[charge.account]
        account.reserved -= charge.grains
        account.spent += charge.grains

    def _withdrawn(self, entry: Entry) -> None:
        self.charges[entry.spend].move(("committed",), "withdrawn")

    def _restored(self, entry: Entry) -> None:
        """Said for people: the ledger was put together again from its copies here."""

    def _adopted(self, entry: Entry) -> None:
        """Said for people: another machine took the ledger over here."""
