"""What an owner types when a ledger is damaged, or has moved to another machine."""

from __future__ import annotations

from pathlib import Path

from seqveil.errors import LedgerError
from seqveil.wall.ledger import history, host, schema
from seqveil.wall.ledger.book import Book
from seqveil.wall.ledger.faults import explained
from seqveil.wall.ledger.gate import alone
from seqveil.wall.ledger.place import Place
from seqveil.wall.ledger.restore import longest, rebuild, renew_copies, salvage
from seqveil.wall.ledger.turn import admitted, entry, writing


def restore(place: Place, timeout: float) -> Path:
    """Rebuild a damaged ledger; returns where the damaged files were set aside."""
    with admitted(place, timeout):
        trail = longest(salvage(place))
        if not trail:
            raise LedgerError(
                f"{place.directory} holds nothing to restore the ledger from. Keep that directory as it is, and add up "
                "what was spent from the manifests of your releases before you start a new ledger elsewhere."
            )
        book = Book()
        for row in trail:
            book.post(row)
        return rebuild(place, [*trail, entry(book, "restored", entries=len(trail))])


def restore_copies(place: Place, timeout: float) -> Path:
    """Write the copies of a whole ledger anew; returns where the damaged ones were set aside."""
    with writing(place, timeout) as turn:
        history.folded(turn.connection)
        return renew_copies(place, list(schema.rows(turn.connection)), schema.sealed(turn.connection))


def adopt(place: Place, timeout: float) -> None:
    """Make this machine the ledger's owner, after a check of the whole history."""
    here = host.this_host()
    with explained(place.ledger, timeout):
        place.make()
        with alone(place, timeout):
            host.mark(place.host, here)
    with writing(place, timeout) as turn:
        if turn.start:
            history.folded(turn.connection)
        turn.append("adopted", host=here.name)
