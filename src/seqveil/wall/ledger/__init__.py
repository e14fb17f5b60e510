"""The ledger: the durable account of every epsilon ever spent on a dataset.

One append-only table, `history`, is the whole truth. Each row carries the SHA-256 of itself and the row before it;
what an account has spent is a fold over the rows (`book.py`), done afresh, with every hash checked, each time the
ledger is used. There is no second table that could disagree with the first. See `docs/ledger.md`.
"""

from seqveil.wall.ledger.book import Account, Charge
from seqveil.wall.ledger.entry import Entry
from seqveil.wall.ledger.ledger import Ledger, Verdict
from seqveil.wall.ledger.spend import Spend

__all__ = ["Account", "Charge", "Entry", "Ledger", "Spend", "Verdict"]
