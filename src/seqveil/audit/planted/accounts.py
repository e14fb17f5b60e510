"""Accounts of zCDP kept wrongly: ρ taken for ε, pure releases too cheap, δ forgotten or counted once, bounds rounded down."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import ROUND_FLOOR
from typing import Any

from seqveil.audit.accounting import THRESHOLD
from seqveil.audit.planted.planting import Plant, Planted, replaced
from seqveil.wall.ledger import rules
from seqveil.wall.ledger.book import Account
from seqveil.wall.measures import curve, zcdp

_epsilon_of = zcdp.epsilon_of


def _anew(plant: Plant) -> Plant:
    """A change to what is remembered: it is forgotten before and after."""

    @contextmanager
    def planted() -> Iterator[None]:
        with plant():
            _forget()
            try:
                yield
            finally:
                _forget()

    return planted


def _forget() -> None:
    zcdp.epsilon_of.cache_clear()
    zcdp.rho_of.cache_clear()


def _cap_as_rho(account: Account, thresholds: int = 0) -> int | None:
    return account.cap


def _as_a_choice(epsilon: int) -> int:
    return -(-epsilon * epsilon // (8 * 10**12))


def _without_thresholds(rho: int, left: int) -> int:
    """The δ of the list, as if nothing of it were spent."""
    return _epsilon_of(rho, left + THRESHOLD)


def _counted_once(account: Account) -> int:
    return min(account.delta_spent + account.delta_reserved, THRESHOLD)


def _bug(name: str, what: str, shows: str, plant: Plant) -> Planted:
    return Planted(name, "docs/decisions/measures.md", what, "accounts", shows, plant)


def _of_account(name: str, with_: Any) -> Plant:
    return replaced(Account, name, with_)


ACCOUNTS = [
    _bug(
        "bound rounded down",
        "the ε of a ρ is rounded to the grain below",
        "the conversion of",
        _anew(replaced(zcdp, "ROUND_CEILING", ROUND_FLOOR)),
    ),
    _bug(
        "ρ added as ε",
        "the ρ of an account is compared with the ε of its cap",
        "a cap states",
        _of_account("allowed", _cap_as_rho),
    ),
    _bug(
        "pure as a choice",
        "a pure release is charged ε²/8, which holds for choices only",
        "a cap states|what an account says",
        replaced(rules, "rho_of_pure", _as_a_choice),
    ),
    _bug(
        "δ forgotten",
        "the δ of thresholds is not taken from that of the cap",
        "a cap states|what an account says|more δ",
        _of_account("delta", property(lambda account: 0)),
    ),
    _bug(
        "δ counted once",
        "however many runs have thresholds, their δ is counted once",
        "a cap states|what an account says|more δ",
        _of_account("delta", property(_counted_once)),
    ),
    _bug(
        "δ forgotten in the manifest",
        "the curve of a manifest does not know of thresholds",
        "the curve of a manifest",
        replaced(curve, "epsilon_of", _without_thresholds),
    ),
]
