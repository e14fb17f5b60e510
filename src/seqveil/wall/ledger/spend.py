"""A spend: epsilon set aside for one release, from before any row is interpreted until the release is durable."""

from __future__ import annotations

from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING

from seqveil.errors import LedgerError

if TYPE_CHECKING:
    from seqveil.wall.ledger.ledger import Ledger


class Spend:
    """What `Ledger.reserve` hands out. Used as a context manager it gives itself back if the run never began.

    `begin` is durable before the first row is parsed, and from then on the epsilon is gone whatever happens; `commit`
    comes after the release is durable on disk (written, synced, renamed).
    """

    __slots__ = ("_begun", "_ledger", "account", "alarm", "grains", "id", "warning")

    def __init__(self, ledger: Ledger, spend: str, account: str, grains: int, warning: str | None, alarm: str | None) -> None:
        self._ledger = ledger
        self._begun = False
        self.id = spend
        self.account = account
        self.grains = grains
        self.warning = warning
        """A sentence for the holder when the account has no cap."""
        self.alarm = alarm
        """A sentence for the holder when the same bytes were used under another account."""

    def begin(self, fingerprint: str | None = None) -> str | None:
        """Say, durably, that the first row is about to be parsed. Returns the alarm, if there is one."""
        self.alarm = self._ledger._begin(self, fingerprint) or self.alarm
        self._begun = True
        return self.alarm

    def commit(self, release_id: str, digest: str) -> None:
        """Tie the spend to the release that is now durable on disk. Doing it twice with the same words is harmless."""
        self._ledger._commit(self, release_id, digest)

    def give_back(self) -> None:
        """Return the reservation; refused with a LedgerError once `begin` was called. Harmless when done twice."""
        self._ledger._give_back(self, self._begun)

    def __enter__(self) -> Spend:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if not self._begun:
            # The error that ended the run is the one to tell; a reservation that cannot be returned just stays counted.
            with suppress(LedgerError):
                self.give_back()
