"""The ledger as its callers see it: reserve, read, cap, withdraw, verify, restore."""

from __future__ import annotations

import os
import secrets
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from seqveil.errors import AlreadyRun, CallError, LedgerError
from seqveil.home import home as default_home
from seqveil.tables.units import Unit
from seqveil.wall import fate
from seqveil.wall.budget import decimal
from seqveil.wall.ledger import copies, history, legacy, names, repair, rules, schema
from seqveil.wall.ledger.book import Account, Book, Charge
from seqveil.wall.ledger.commands import cap_command
from seqveil.wall.ledger.entry import Entry
from seqveil.wall.ledger.faults import Damaged
from seqveil.wall.ledger.fingerprint import Bytes, fingerprint, same_input
from seqveil.wall.ledger.place import Place
from seqveil.wall.ledger.spend import AlreadyBegun, Spend
from seqveil.wall.ledger.turn import CopyFailed, Turn, View, reading, writing
from seqveil.wall.measures.delta import stated
from seqveil.wall.measures.guarantee import Guarantee

Home = str | os.PathLike[str] | None
"""Where ledgers live; None for `$SEQVEIL_HOME` or the user's data directory."""


def _place(home: Home) -> Place:
    return Place((Path(home).absolute() if home is not None else default_home()) / "ledger")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of `verify` and `restore`: everything was checked, and this is how much there is."""

    entries: int
    accounts: int
    copies_whole: int
    copies_damaged: int
    kept_aside: Path | None = None


class Ledger:
    """The account of every epsilon spent, in `$SEQVEIL_HOME/ledger` or the user's data directory.

    Every use checks what is new and the ends of what is old; `verify` checks all of it. No file stays open between calls, so
    a ledger may be used from any thread or process; a `Spend` only in the process that reserved it.

    >>> import tempfile
    >>> from seqveil.tables.units import Record
    >>> from seqveil.wall.budget import grains
    >>> ledger = Ledger(tempfile.mkdtemp())
    >>> ledger.set_cap("metro", grains("3.0"))
    >>> with ledger.reserve("metro", grains("1.0"), unit=Record(), mechanism="ngram") as spend:
    ...     spend.begin()
    ...     spend.commit("release-1", "sha256 of its manifest")
    >>> decimal(ledger.account("metro").left)
    '2.0'
    """

    def __init__(self, home: Home = None, timeout: float = 30.0) -> None:
        self.place = _place(home)
        self.timeout = timeout
        with self._reading(mend=False):
            pass

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def accounts(self) -> list[Account]:
        """Every account, by name."""
        with self._reading() as view:
            return [view.book.accounts[name] for name in sorted(view.book.accounts)]

    def account(self, name: str) -> Account:
        """One account; CallError when there is none of that name."""
        with self._reading() as view:
            return self._account(view, name)

    def charges(self, name: str) -> list[Charge]:
        """What was ever reserved on an account and what became of it, oldest first."""
        with self._reading() as view:
            book = Book()
            for row in view.about(self._account(view, name).name):
                book.post(row)
            return list(book.charges.values())

    def history(self, name: str) -> list[Entry]:
        """Everything ever written about an account or the whole ledger, oldest first. Fingerprints stay inside."""
        with self._reading() as view:
            entries = view.about(self._account(view, name).name)
        return [row._replace(facts="{}") if row.kind == "seen" else row for row in entries]

    def refuse_again(self, name: str, once: str | None) -> None:
        """AlreadyRun where an account was charged for a key before; `reserve` looks again, in one step with the charge."""
        names.check_name(name)
        rules.check_once(once)
        with self._reading() as view:
            self._refuse_again(view, names.settle(name, view.book.accounts), once)

    def verify(self) -> Verdict:
        """Check every entry and every copy; LedgerError when the ledger itself is damaged.

        A copy that is missing, or does not go up to the last entry, counts as damaged.
        """
        with self._reading(mend=False) as view:
            if view.connection is None:
                return Verdict(0, 0, 0, 0)
            book, directory = history.folded(view.connection), self.place.copies
            # A ledger of the first layout has copies of its own kind until it is changed or restored.
            first = schema.layout(view.connection) == schema.FIRST and not copies.copies(directory)
            whole = legacy.examined(book, directory) if first else copies.examined(book, directory)
            return Verdict(book.seq, len(book.accounts), whole.count(True), whole.count(False))

    # ── writing ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def set_cap(self, name: str, grains: int, delta: int = 0) -> str | None:
        """Set, raise or lower a cap. A cap below what is spent leaves nothing; 0 closes the account.

        With a δ, in parts of 10⁻¹⁸, a new account adds up (ε, δ) from here on. Returns a warning when that opens an account whose
        name is easily confused with another's.
        """
        names.check_name(name)
        rules.check_amount("cap", grains, 0)
        with self._writing() as turn:
            name = names.settle(name, turn.book.accounts)
            warning = names.confusable(name, turn.book.accounts) if name not in turn.book.accounts else None
            self._cap(turn, name, grains, delta)
        return warning

    def agree_cap(self, name: str, grains: int, delta: int = 0) -> None:
        """Set the cap of an account that has none; CallError when it has another one, which only `set_cap` changes."""
        names.check_name(name)
        rules.check_amount("cap", grains, 0)
        with self._writing() as turn:
            name = names.settle(name, turn.book.accounts)
            account = turn.book.account(name)
            if account.cap is None:
                self._cap(turn, name, grains, delta)
            elif (account.cap, account.cap_delta) != (grains, delta):
                there = rules.at(account.cap, account.cap_delta)
                raise CallError(
                    f"cap = {rules.at(grains, delta)}, but account {name!r} has a cap of {there}. "
                    f"Leave it out, or change it on purpose: {cap_command(name, decimal(grains), delta)}"
                )

    def reserve(
        self,
        account: str,
        grains: int,
        *,
        unit: Unit,
        mechanism: str,
        delta: int = 0,
        thresholds: int = 0,
        private: bool = True,
        fingerprint: str | None = None,
        once: str | None = None,
    ) -> Spend:
        """Set epsilon aside before any row is interpreted; BudgetRefused when the cap does not allow it.

        With `delta`, in parts of 10⁻¹⁸, the run is charged in ρ, to an account that adds up (ε, δ); `thresholds` is the part of δ
        that it spends on thresholds. `once` is a key of the data holder's, such as a date: AlreadyRun when the account was
        charged for that key before.
        """
        rules.check_private(private)
        names.check_name(account)
        rules.check_amount("epsilon", grains, 1)
        rules.check_once(once)
        wanted = Guarantee(grains, delta, thresholds)
        spend, posted = secrets.token_hex(8), False
        try:
            with self._writing() as turn:
                account = names.settle(account, turn.book.accounts)
                self._refuse_again(turn, account, once)
                rules.check_unit(turn.book.account(account), unit)
                self._measure(turn, account, wanted)
                rules.check_cap(turn.book.account(account), wanted)
                close = None
                if turn.book.account(account).unit is None:  # also one that so far has only a cap
                    close = names.confusable(account, turn.book.accounts)
                    turn.append("protects", account, unit=unit.protected(), neighbours=unit.neighbours)
                posted = True
                amount, facts = _entered(turn.book.account(account), wanted)
                facts = {**facts, "mechanism": mechanism, **({} if once is None else {"once": once})}
                turn.append("reserved", account, spend, amount, **facts)
                alarm = self._see(turn, account, fingerprint)
                warning = " ".join(filter(None, [close, rules.uncapped(turn.book.account(account))])) or None
            return Spend(self, spend, account, wanted, warning, alarm)
        except BaseException as error:
            # A full disk or Ctrl-C between COMMIT and return: no row was parsed and nobody has the spend.
            if posted and not self._undone(spend):
                error.add_note(fate.reserved(account, wanted))
            raise

    def withdraw(self, release_id: str) -> Charge:
        """Mark a release as withdrawn. Its epsilon remains spent: what was published cannot be taken back."""
        with self._writing() as turn:
            charge = turn.release(release_id)
            if charge is None:
                raise CallError(
                    f"No release {release_id!r} in this ledger. To see the releases of an account: seqveil ledger show NAME"
                )
            if charge.status == "committed":
                turn.append("withdrawn", charge.account, charge.spend, release=release_id)
        return charge

    def fingerprint(self, source: Bytes) -> str:
        """The keyed fingerprint of a file, or of chunks of bytes. For `reserve` and `begin` only; never print it."""
        with self._reading() as view:
            key = view.book.key
        if not key:
            with self._writing() as turn:
                key = turn.book.key
        return fingerprint(key, source)

    # ── repair ───────────────────────────────────────────────────────────────────────────────────────────────────────

    @classmethod
    def restore(cls, home: Home = None, timeout: float = 30.0) -> Verdict:
        """Put a damaged ledger together again from its copies and what is left of it; a whole one is left as it is."""
        try:
            verdict = cls(home, timeout).verify()
            if not verdict.copies_damaged:
                return verdict
            aside = repair.restore_copies(_place(home), timeout)
        except Damaged:
            aside = repair.restore(_place(home), timeout)
        return replace(cls(home, timeout).verify(), kept_aside=aside)

    @classmethod
    def adopt(cls, home: Home = None, timeout: float = 30.0) -> Ledger:
        """Take over a ledger that was moved here from another machine for good."""
        repair.adopt(_place(home), timeout)
        return cls(home, timeout)

    # ── what a Spend calls ───────────────────────────────────────────────────────────────────────────────────────────

    def _begin(self, spend: Spend, fingerprint: str | None) -> str | None:
        # A copy that lacks this entry still counts the spend, so a copy that fails is no reason to stop; so below.
        alarm = None
        with suppress(CopyFailed), self._writing() as turn:
            self._expect(turn, spend, "reserved", "begin")
            turn.append("begun", spend.account, spend.id)
            alarm = self._see(turn, spend.account, fingerprint)
        return alarm

    def _commit(self, spend: Spend, release_id: str, digest: str) -> None:
        with suppress(CopyFailed), self._writing() as turn:
            earlier = turn.release(release_id)
            if earlier is not None and (earlier.spend, earlier.digest) == (spend.id, digest):
                return
            if earlier is not None:
                raise LedgerError(f"Release {release_id!r} is already in the ledger; a release is committed once.")
            self._expect(turn, spend, "begun", "commit")
            turn.append("committed", spend.account, spend.id, release=release_id, digest=digest)

    def _give_back(self, spend: Spend, begun: bool) -> None:
        if begun:
            raise AlreadyBegun(fate.charged(spend.account, spend.guarantee))
        with suppress(CopyFailed), self._writing() as turn:
            charge = turn.charge(spend.id)
            if charge is not None and charge.status in ("begun", "committed"):
                raise AlreadyBegun(fate.charged(spend.account, spend.guarantee))
            if charge is None or charge.status != "returned":
                self._expect(turn, spend, "reserved", "return")
                turn.append("returned", spend.account, spend.id)

    # ── inside ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _reading(self, mend: bool = True) -> AbstractContextManager[View]:
        return reading(self.place, self.timeout, mend)

    def _writing(self) -> AbstractContextManager[Turn]:
        return writing(self.place, self.timeout)

    def _account(self, view: View, name: str) -> Account:
        accounts = view.book.accounts
        if (meant := names.settle(name, accounts)) in accounts:
            return accounts[meant]
        existing = ", ".join(map(repr, sorted(accounts))) or "none yet"
        raise CallError(f"No account {name!r} in {self.place.ledger}. Accounts: {existing}.")

    def _undone(self, spend: str) -> bool:
        """Give back a reservation that may or may not have become durable; whether that worked."""
        for _ in range(2):  # a second Ctrl-C must not strand what the first one left to undo
            try:
                with suppress(CopyFailed), self._writing() as turn:
                    if (charge := turn.charge(spend)) is not None and charge.status != "returned":
                        turn.append("returned", charge.account, spend)
            except LedgerError:
                break
            except KeyboardInterrupt:
                continue
            return True
        return False

    @staticmethod
    def _refuse_again(view: View, account: str, once: str | None) -> None:
        if once is not None and (earlier := view.once(account, once)) is not None:
            raise AlreadyRun(account, once, earlier.status, earlier.release)

    @staticmethod
    def _measure(turn: Turn, name: str, wanted: Guarantee) -> None:
        """Fix the measure of an account, if this is what it is first asked for."""
        rules.check_measure(turn.book.account(name), wanted)
        if wanted.delta and turn.book.account(name).measure == "pure":
            turn.append("measured", name, measure="zcdp")

    @classmethod
    def _cap(cls, turn: Turn, name: str, grains: int, delta: int) -> None:
        account = turn.book.account(name)
        rules.check_cap_measure(account, grains, delta)
        if delta and account.measure == "pure":
            turn.append("measured", name, measure="zcdp")
            account = turn.book.account(name)
        if account.measure == "zcdp":  # closed without a δ, it keeps the one that it has
            delta = delta or account.cap_delta or rules.USUAL_DELTA
        if (account.cap, account.cap_delta) != (grains, delta):
            turn.append("cap", name, grains=grains, **({"delta": stated(delta)} if delta else {}))

    @staticmethod
    def _see(turn: Turn, account: str, fingerprint: str | None) -> str | None:
        if fingerprint is None:
            return None
        where = turn.seen(fingerprint)
        if account not in where:
            turn.append("seen", account, fingerprint=fingerprint)
        return same_input(account, where)

    @staticmethod
    def _expect(turn: Turn, spend: Spend, status: str, verb: str) -> None:
        charge = turn.charge(spend.id)
        actual = charge.status if charge is not None else "unknown to this ledger"
        if actual != status:
            raise LedgerError(f"Cannot {verb} this spend on account {spend.account!r}: it is {actual}, not {status}.")


def _entered(account: Account, wanted: Guarantee) -> tuple[int, dict[str, str]]:
    """What is written about a run: its price, and in a zCDP account what it promises by itself."""
    amount = rules.price(account, wanted)
    if account.measure == "pure":
        return amount, {}
    deltas = {"delta": wanted.delta, "thresholds": wanted.thresholds}
    return amount, {"epsilon": decimal(wanted.epsilon), **{name: stated(delta) for name, delta in deltas.items() if delta}}
