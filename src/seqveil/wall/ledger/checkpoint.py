"""The checkpoint: what the history adds up to at its last entry, sealed, so that a turn need not add it up again.

It holds every account and every charge that is still open, and is written in the transaction that appends. Its seal is an
HMAC under the ledger's key over the number and hash of the last entry and over that state: state, history and seal cannot
change one without the others. `verify` folds the whole history and compares.
"""

from __future__ import annotations

import hmac
import json
from dataclasses import asdict
from typing import Any, NamedTuple

from seqveil.errors import CallError
from seqveil.tables.units import unit_from
from seqveil.wall.ledger.book import Account, Book, Charge
from seqveil.wall.ledger.entry import Broken


class Checkpoint(NamedTuple):
    """The row of the table `checkpoint`."""

    seq: int
    state: str
    seal: bytes


def checkpoint(book: Book) -> Checkpoint:
    """The checkpoint of a book as it stands."""
    accounts = [_state_of(book.accounts[name]) for name in sorted(book.accounts)]
    charges = [asdict(book.charges[spend]) for spend in sorted(book.charges) if book.charges[spend].open]
    state = json.dumps({"accounts": accounts, "open": charges}, sort_keys=True)
    return Checkpoint(book.seq, state, _seal(book.key, book.seq, book.head, state))


def book_at(checkpoint: Checkpoint, key: bytes, head: bytes) -> Book:
    """The book of a checkpoint whose last entry has the hash `head`; raises Broken where the seal does not fit."""
    try:
        if not hmac.compare_digest(checkpoint.seal, _seal(key, checkpoint.seq, head, checkpoint.state)):
            raise Broken("its checkpoint is not what was written")
        state = json.loads(checkpoint.state)
        accounts = {each["name"]: _account(each) for each in state["accounts"]}
        charges = {each["spend"]: Charge(**{"epsilon": each["grains"], **each}) for each in state["open"]}
    except (ValueError, TypeError, KeyError, CallError):
        raise Broken("its checkpoint cannot be read") from None
    return Book(accounts, charges, key, checkpoint.seq, head)


def _state_of(account: Account) -> dict[str, Any]:
    facts = asdict(account)
    del facts["neighbours"]  # follows from the unit; the wording is ours to change
    return facts


def _account(facts: dict[str, Any]) -> Account:
    account = Account(**facts)
    if account.unit is not None:
        unit = unit_from(account.unit)
        account.unit, account.neighbours = unit.protected(), unit.neighbours
    return account


def _seal(key: bytes, seq: int, head: bytes, state: str) -> bytes:
    # The number and the hash have a fixed length, so nothing can move between the parts.
    return hmac.digest(key, b"checkpoint" + seq.to_bytes(8, "big") + head + state.encode("utf-8", "surrogateescape"), "sha256")
