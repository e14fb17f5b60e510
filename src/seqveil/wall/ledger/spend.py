"""A spend: epsilon set aside for one release, from before any row is interpreted until the release is durable."""

from __future__ import annotations

from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING

from seqveil.errors import LedgerError
from seqveil.wall.ledger.forks import check_process
from seqveil.wall.measures.guarantee import Guarantee
from seqveil.wall.process import this_process

if TYPE_CHECKING:
    from seqveil.wall.ledger.ledger import Ledger


class AlreadyBegun(LedgerError):
    """A spend cannot be returned: its run may already have read data."""


class Spend:
    """What `Ledger.reserve` hands out. Used as a context manager it returns itself if the run never began.

    `begin` is durable before the first row is parsed, and from then on the epsilon remains charged whatever happens; `commit`
    comes after the release is durable on disk (written, synced, renamed). Runs go through `wall.charging.charge`, which, unlike
    the context manager, leaves an interrupt no moment between the reservation and its return.
    """

    __slots__ = ("_begun", "_ledger", "_process", "account", "alarm", "guarantee", "id", "warning")

    def __init__(
        self, ledger: Ledger, spend: str, account: str, guarantee: Guarantee, warning: str | None, alarm: str | None
    ) -> None:
        self._ledger = ledger
        self._begun = False
        self._process = this_process()
        self.id = spend
        self.account = account
        self.guarantee = guarantee
        self.warning = warning
        """Sentences for the data holder: the account has no cap, or is new and its name is easily taken for another's."""
        self.alarm = alarm
        """A sentence for the data holder when the same input was used under another account."""

    def begin(self, fingerprint: str | None = None) -> str | None:
        """Record durably that the first row is about to be parsed. Returns the alarm, if there is one."""
        self.check_process()
        self.alarm = self._ledger._begin(self, fingerprint) or self.alarm
        self._begun = True
        return self.alarm

    def commit(self, release_id: str, digest: str) -> None:
        """Tie the spend to the release that is now durable on disk. Doing it twice with the same arguments is harmless."""
        self.check_process()
        self._ledger._commit(self, release_id, digest)

    def give_back(self) -> None:
        """Return the reservation; refused with AlreadyBegun once `begin` was called. Harmless when done twice."""
        self.check_process()
        self._ledger._give_back(self, self._begun)

    def check_process(self) -> None:
        """Refuse any process but the one that reserved it.

        A forked child has this object too; what it did with it would be counted once and happen twice.
        """
        check_process(self._process, f"This spend on account {self.account!r}")

    def __enter__(self) -> Spend:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if not self._begun:
            # The error that ended the run is the one to raise; a reservation that cannot be returned remains counted.
            with suppress(LedgerError):
                self.give_back()
