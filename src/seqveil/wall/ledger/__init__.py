"""The ledger: the durable account of every epsilon ever spent on a dataset.

One append-only table, `history`, is the whole truth. Each row carries the SHA-256 of itself and the row before it; what an
account has spent is a fold over the rows (`book.py`). The transaction that appends also seals what they now add up to
(`checkpoint.py`), so that a use of the ledger checks what is new and the ends of what is old, and `verify` checks all of it.
See `docs/ledger.md`.
"""

from seqveil.wall.ledger.book import Account, Charge
from seqveil.wall.ledger.entry import Entry
from seqveil.wall.ledger.ledger import Ledger, Verdict
from seqveil.wall.ledger.spend import AlreadyBegun, Spend

__all__ = ["Account", "AlreadyBegun", "Charge", "Entry", "Ledger", "Spend", "Verdict"]
