"""The book: what the history says when it is read from the first entry to the last.

    (reserve) ─► reserved ─► begun ─► committed ─► withdrawn
                     └─► returned

Everything but *returned* counts against the cap, whatever happened to the run. What counts is in grains of the account's measure:
ε in a pure account, ρ in a zCDP account, which also adds up the δ of thresholds (docs/decisions/measures.md).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from seqveil.errors import CallError
from seqveil.tables.units import unit_from
from seqveil.wall.budget import grains
from seqveil.wall.ledger.entry import ROOT, Broken, Entry
from seqveil.wall.measures.delta import PARTS, in_parts
from seqveil.wall.measures.measure import Measure
from seqveil.wall.measures.zcdp import epsilon_of, rho_of

KINDS = frozenset(
    (
        *("opened", "measured", "protects", "cap", "seen", "reserved", "begun", "returned", "committed", "withdrawn"),
        *("restored", "adopted"),
    )
)
"""What an entry can say; each has a method of the book."""


@dataclass(slots=True)
class Account:
    """What one account protects, what it may spend and what it has spent.

    `cap` is in grains of ε, and `spent` and `reserved` are in grains of the measure. The cap of a zCDP account has a δ beside it;
    `delta_spent` and `delta_reserved` are of thresholds. Every δ is in parts of 10⁻¹⁸.
    """

    name: str
    unit: dict[str, Any] | None = None
    neighbours: str | None = None
    cap: int | None = None
    spent: int = 0
    reserved: int = 0
    measure: Measure = "pure"
    cap_delta: int = 0
    delta_spent: int = 0
    delta_reserved: int = 0

    @property
    def total(self) -> int:
        """What counts against the cap."""
        return self.spent + self.reserved

    @property
    def delta(self) -> int:
        """The δ of all thresholds."""
        return self.delta_spent + self.delta_reserved

    @property
    def left(self) -> int | None:
        """What may still be spent, in grains of the measure; None without a cap. A cap below what is spent leaves nothing.

        >>> Account("metro", cap=30, spent=10, reserved=5).left, Account("metro", cap=3, spent=10).left
        (15, 0)
        """
        return self.left_after(0)

    def left_after(self, thresholds: int) -> int | None:
        """What may still be spent once so much more δ is spent on thresholds.

        >>> metro = Account("metro", cap=10**12, cap_delta=10**12, measure="zcdp")
        >>> metro.left_after(0), metro.left_after(5 * 10**11), metro.left_after(10**12)
        (24355970359, 22937446688, 0)
        """
        allowed = self.allowed(thresholds)
        return None if allowed is None else max(0, allowed - self.total)

    def allowed(self, thresholds: int = 0) -> int | None:
        """What the cap allows in all, in grains of the measure: what thresholds cost of its δ is lost to the noise."""
        if self.cap is None or self.measure == "pure":
            return self.cap
        delta = self.cap_delta - self.delta - thresholds
        return rho_of(self.cap, delta) if delta > 0 else 0

    def epsilon(self, amount: int, delta: int) -> int | None:
        """Grains of the measure as ε at a δ, which includes all thresholds so far; None where they leave nothing of it.

        In a pure account ε is ε, whatever the δ.
        """
        if self.measure == "pure":
            return amount
        return epsilon_of(amount, delta - self.delta) if self.delta < delta < PARTS else None


@dataclass(slots=True)
class Charge:
    """One spend and what became of it. `status` is reserved, begun, committed, withdrawn or returned.

    `grains` are of the account's measure; `epsilon` and `delta` are what the run promises by itself, and `thresholds` is the part
    of its δ that it spends on thresholds.
    """

    spend: str
    account: str
    grains: int
    mechanism: str
    epsilon: int
    delta: int = 0
    thresholds: int = 0
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

    def _measured(self, entry: Entry) -> None:
        account = self._owner(entry)
        if entry.details() != {"measure": "zcdp"} or account.measure != "pure" or account.unit is not None:
            raise Broken(f"entry {entry.seq} changes the measure of an account")
        account.measure, account.cap = "zcdp", None

    def _protects(self, entry: Entry) -> None:
        facts, account = entry.details(), self._owner(entry)
        # The unit decides; an older entry may word its neighbours differently.
        unit = unit_from(facts["unit"])
        account.unit, account.neighbours = unit.protected(), unit.neighbours

    def _cap(self, entry: Entry) -> None:
        account, delta = self._owner(entry), entry.details().get("delta")
        if (delta is None) == (account.measure == "zcdp"):
            raise Broken(f"entry {entry.seq} caps an account in another measure")
        account.cap, account.cap_delta = entry.grains, 0 if delta is None else in_parts(delta)

    def _seen(self, entry: Entry) -> None:
        if not isinstance(entry.details()["fingerprint"], str):
            raise Broken(f"entry {entry.seq} holds no fingerprint")

    def _reserved(self, entry: Entry) -> None:
        if entry.grains < 1 or entry.spend in self.charges:
            raise Broken(f"entry {entry.seq} reserves nothing, or reserves it twice")
        charge, account = _charged(entry), self._owner(entry)
        # One spend that is looked up by itself is folded without the entries about its account.
        if account.unit is not None and (account.measure == "zcdp") != ("epsilon" in entry.details()):
            raise Broken(f"entry {entry.seq} charges an account in another measure")
        self.charges[entry.spend] = charge
        account.reserved += charge.grains
        account.delta_reserved += charge.thresholds

    def _begun(self, entry: Entry) -> None:
        self.charges[entry.spend].move(("reserved",), "begun")

    def _returned(self, entry: Entry) -> None:
        charge = self.charges[entry.spend]
        charge.move(("reserved",), "returned")
        account = self.accounts[charge.account]
        account.reserved -= charge.grains
        account.delta_reserved -= charge.thresholds

    def _committed(self, entry: Entry) -> None:
        facts, charge = entry.details(), self.charges[entry.spend]
        charge.move(("begun",), "committed")
        charge.release, charge.digest = facts["release"], facts["digest"]
        account = self.accounts[charge.account]
        account.reserved -= charge.grains
        account.spent += charge.grains
        account.delta_reserved -= charge.thresholds
        account.delta_spent += charge.thresholds

    def _withdrawn(self, entry: Entry) -> None:
        self.charges[entry.spend].move(("committed",), "withdrawn")

    def _restored(self, entry: Entry) -> None:
        """Said for people: the ledger was put together again from its copies here."""

    def _adopted(self, entry: Entry) -> None:
        """Said for people: another machine took the ledger over here."""


def _charged(entry: Entry) -> Charge:
    """What an entry reserves. In a zCDP account it says what the run promises by itself, too."""
    facts = entry.details()
    epsilon = grains(facts["epsilon"]) if "epsilon" in facts else entry.grains
    delta, thresholds = (in_parts(facts[name]) if name in facts else 0 for name in ("delta", "thresholds"))
    return Charge(entry.spend, entry.account, entry.grains, facts["mechanism"], epsilon, delta, thresholds)
