"""One run from a reservation to what is saved, as commands and Python start it."""

from __future__ import annotations

import sys
from pathlib import Path

import seqveil as sv
from seqveil.cli.app import main
from seqveil.wall.ledger import Ledger
from strategies import table_of_codes

SMALL = sv.NGram(l_max=2, n_max=2)
TABLE = table_of_codes([[0, 1], [1, 0, 1], [1]] * 40, 2)
CAPPED = "ignore:Account .* has no cap:seqveil.errors.ReleaseWarning"
BASE = ("link", "base", "names.txt", "--epsilon", 1)


def command(*words: object) -> int:
    """A command in this process; its exit code."""
    sys.argv = ["seqveil", *map(str, words)]
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def publish(*more: object, out: str = "out", account: str = "shop") -> int:
    words = (
        "people.seq",
        "--method",
        "ngram",
        "--domain",
        "a,b",
        "--l-max",
        2,
        "--n-max",
        2,
        "--public-because",
        "x",
    )
    return command("publish", *words, "--account", account, *(more or ("--epsilon", "0.5")), "--out", out)


def statuses(home: Path) -> list[str]:
    ledger = Ledger(home)
    return [charge.status for account in ledger.accounts() for charge in ledger.charges(account.name)]


class Gone:
    """A listener whose terminal has gone."""

    def stage(self, name: str) -> None:
        if name != "preparing":
            raise OSError(5, "Input/output error")

    def warn(self, text: str) -> None:
        pass
