"""One row of the history, and the hash that ties it to the row before."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any, NamedTuple

ROOT = sha256(b"seqveil ledger").digest()
"""What the first row is chained to."""

_spell = json.JSONEncoder(default=repr).encode


class Broken(Exception):
    """The history does not fit together: says where. Turned into a LedgerError before a user sees it."""


class Entry(NamedTuple):
    """One row of the history. Order is `seq`; `at` is for people, no decision ever looks at it."""

    seq: int
    at: str
    kind: str
    account: str
    spend: str
    grains: int
    facts: str
    chain: bytes = b""

    def details(self) -> dict[str, Any]:
        """The facts of this entry as a dictionary."""
        facts = json.loads(self.facts)
        if not isinstance(facts, dict):
            raise Broken(f"entry {self.seq} holds no facts")
        return facts

    def after(self, previous: bytes) -> Entry:
        """This entry with the hash that ties it to the entry before.

        >>> one = Entry(1, "2026-10-01T12:00:00Z", "cap", "metro", "", 3 * 10**12, "{}").after(ROOT)
        >>> one.follows(ROOT), one._replace(grains=4 * 10**12).follows(ROOT)
        (True, False)
        """
        return self._replace(chain=self._link(previous))

    def follows(self, previous: bytes) -> bool:
        """Whether nothing in this entry, nor in any entry before it, has changed since it was written."""
        return self.chain == self._link(previous)

    def _link(self, previous: bytes) -> bytes:
        # A damaged row can hold anything, so whatever JSON cannot write is spelt out; its hash will not match.
        return sha256(previous + _spell(self[:7]).encode()).digest()


def linked(rows: Iterable[Entry], previous: bytes = ROOT, first: int = 1) -> Iterator[Entry]:
    """The rows, each checked against the one before; raises Broken at the first that does not fit."""
    expected = first
    for row in rows:
        if row.seq != expected or not row.follows(previous):
            raise Broken(f"entry {expected} of the history is not what was written")
        yield row
        previous, expected = row.chain, expected + 1
