"""What the ledger allows, and its refusals. They name nothing but accounts, caps and epsilons of the data holder."""

from __future__ import annotations

import json
import shlex
from typing import Any

from seqveil.errors import BudgetRefused, CallError
from seqveil.surface import parameter
from seqveil.tables.units import Unit
from seqveil.wall.budget import GRAINS, MOST_EPSILON, decimal
from seqveil.wall.ledger.book import Account
from seqveil.wall.ledger.names import LONGEST_NAME


def check_amount(what: str, amount: object, least: int) -> int:
    most = MOST_EPSILON * GRAINS
    if isinstance(amount, int) and not isinstance(amount, bool) and least <= amount <= most:
        return amount
    raise CallError(f"{what} = {amount!r} grains: give a whole number from {least} to {most}, for example grains('1.0').")


def check_private(private: object) -> None:
    if private is not True:
        raise CallError(
            "An experiment (a run with a seed) cannot be charged to the ledger: its noise can be repeated, so it is not "
            f"differentially private. Leave out {parameter('seed')} to publish, or run the experiment without an account."
        )


def check_once(once: object) -> None:
    """A key is a short text on one line; it is compared character by character.

    >>> check_once("2026-W47")
    >>> check_once("")
    Traceback (most recent call last):
    seqveil.errors.CallError: once='': give 1 to 200 printable characters that name the run, for example 2026-W47.
    """
    if once is None or (isinstance(once, str) and 0 < len(once) <= LONGEST_NAME and once.isprintable()):
        return
    advice = f"give 1 to {LONGEST_NAME} printable characters that name the run, for example 2026-W47."
    raise CallError(f"{parameter('once', ascii(once))}: {advice}")


def check_unit(account: Account, unit: Unit) -> None:
    """An account adds up epsilons, and epsilons only add up when they are about the same neighbouring datasets."""
    if account.unit is None or (account.unit, account.neighbours) == (unit.protected(), unit.neighbours):
        return
    raise CallError(
        f"Account {account.name!r} protects {in_words(account.unit)} ({account.neighbours}); this run would protect "
        f"{in_words(unit.protected())} ({unit.neighbours}). Epsilons of different units do not add up: "
        f"use the unit of the account, or another account ({parameter('account', 'NAME')})."
    )


def in_words(unit: dict[str, Any]) -> str:
    """
    >>> in_words({"name": "edge", "k": 5}), in_words({"name": "record"})
    ('edge (k=5)', 'record')
    """
    details = ", ".join(f"{name}={json.dumps(value)}" for name, value in unit.items() if name != "name")
    return f"{unit['name']} ({details})" if details else str(unit["name"])


def check_cap(account: Account, grains: int) -> None:
    """Refuse what the cap does not allow.

    >>> check_cap(Account("metro", cap=3 * GRAINS, spent=2 * GRAINS, reserved=GRAINS // 2), GRAINS)
    Traceback (most recent call last):
    seqveil.errors.BudgetRefused: Account 'metro' has a cap of 3.0: spent 2.0, reserved 0.5, requested 1.0, remaining 0.5. \
The ε of all releases about the same people add up, so less than this is left for them: use at most 0.5. More is for whoever \
answers for these people's privacy to decide, because it weakens the guarantee of every release on this account; if they raise \
the cap, type: seqveil ledger cap metro 3.5
    """
    left = account.left
    if account.cap is None or left is None or grains <= left:
        return
    used_up = "so their budget is used up" if not left else "so less than this is left for them"
    instead = f": use at most {decimal(left)}" if left else ""
    needed = decimal(account.spent + account.reserved + grains)
    raise BudgetRefused(
        f"Account {account.name!r} has a cap of {decimal(account.cap)}: spent {decimal(account.spent)}, "
        f"reserved {decimal(account.reserved)}, requested {decimal(grains)}, remaining {decimal(left)}. "
        f"The ε of all releases about the same people add up, {used_up}{instead}. More is for whoever answers for these people's "
        "privacy to decide, because it weakens the guarantee of every release on this account; if they raise the cap, type: "
        f"seqveil ledger cap {shlex.quote(account.name)} {needed}"
    )


def uncapped(account: Account) -> str | None:
    """The warning of every charge to an account without a cap."""
    if account.cap is not None:
        return None
    total = account.spent + account.reserved
    enough = decimal(max(3, total // GRAINS + 1) * GRAINS)
    return (
        f"Account {account.name!r} has no cap, so its total epsilon is not limited ({decimal(total)} with this run). "
        f"Set one, for example: seqveil ledger cap {shlex.quote(account.name)} {enough}"
    )
