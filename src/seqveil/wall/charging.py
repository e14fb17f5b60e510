"""Reserving ε and returning it: the part of the lifecycle that releases and streams share.

It stands apart from `lifecycle.py` because a stream has no table, and should not wait for what tables need to be loaded.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from seqveil.errors import AlreadyRun, BudgetRefused, CallError, LedgerError
from seqveil.logs import note
from seqveil.tables.units import Unit
from seqveil.wall import fate
from seqveil.wall.budget import decimal, too_large
from seqveil.wall.ledger import AlreadyBegun, Ledger, Spend
from seqveil.wall.listener import Listener
from seqveil.wall.measures.delta import stated, too_likely
from seqveil.wall.measures.guarantee import Guarantee

log = logging.getLogger("seqveil.run")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reservation:
    """What is to be reserved, and on which account."""

    account: str
    guarantee: Guarantee
    unit: Unit
    mechanism: str
    fingerprint: str | None = None
    once: str | None = None


def charge(ledger: Ledger, wanted: Reservation, listener: Listener, work: Callable[[Spend], T]) -> T:
    """Reserve, warn, and do the work, which begins and commits the spend. Where it never began the ε is returned."""
    spends: list[Spend] = []
    account, name = wanted.account, wanted.mechanism
    epsilon, delta = wanted.guarantee.epsilon, wanted.guarantee.delta
    details: dict[str, Any] = {"unit": wanted.unit, "mechanism": name, "fingerprint": wanted.fingerprint, "once": wanted.once}
    if delta:
        details |= {"delta": delta, "thresholds": wanted.guarantee.thresholds}
    large, likely = too_large(epsilon, wanted.unit.name), too_likely(delta, wanted.unit.name)
    try:
        # Appended in the same step: an interrupt cannot come between a reservation and who returns it. A context manager
        # would leave such a moment, between its making and its entering; so would a call spread over several lines.
        spends.append(ledger.reserve(account, epsilon, **details))
        (spend,) = spends
        facts = {"account": spend.account, "epsilon": decimal(epsilon), "mechanism": name}
        facts = {**facts, "delta": stated(delta)} if delta else facts
        note(log, "reserved", **facts if wanted.once is None else {**facts, "once": wanted.once})
        # Now or never: where warnings are errors, one after `begin` would cost the ε.
        for remark in filter(None, (large, likely, spend.warning, spend.alarm)):
            listener.warn(remark)
        return work(spend)
    except BaseException as error:
        outcome = _fate(spends, wanted, error)
        note(log, "ended early", account=account, fate=str(outcome), budget=outcome.budget)
        fate.tell_fate(error, outcome)
        raise


def _fate(spends: list[Spend], wanted: Reservation, error: BaseException) -> fate.Fate:
    """What becomes of the ε. Without a spend, `reserve` did not return, and has undone what it had written."""
    if not spends:
        refused = isinstance(error, BudgetRefused | CallError | AlreadyRun)
        return fate.NOTHING if refused else fate.uncharged(wanted.account, wanted.guarantee)
    for _ in range(2):  # a second Ctrl-C must not strand what the first one left to return
        try:
            spends[0].give_back()
        except AlreadyBegun:
            return fate.charged(wanted.account, wanted.guarantee)
        except LedgerError:
            break
        except KeyboardInterrupt:
            continue
        return fate.returned(wanted.account, wanted.guarantee)
    return fate.reserved(wanted.account, wanted.guarantee)
