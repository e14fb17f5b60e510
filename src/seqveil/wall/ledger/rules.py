"""What the ledger allows, and its refusals. They name nothing but accounts, caps and epsilons of the data holder."""

from __future__ import annotations

import json
import shlex
from math import isqrt
from typing import Any

from seqveil.errors import BudgetRefused, CallError
from seqveil.surface import parameter
from seqveil.tables.units import Unit
from seqveil.wall.budget import GRAINS, MOST_EPSILON, decimal
from seqveil.wall.ledger.book import Account
from seqveil.wall.ledger.commands import cap_command
from seqveil.wall.ledger.names import LONGEST_NAME
from seqveil.wall.measures.delta import PARTS, roomier, stated
from seqveil.wall.measures.guarantee import Guarantee
from seqveil.wall.measures.zcdp import MOST_RHO, epsilon_of, rho_of_pure

USUAL_DELTA = 10**12
"""Where an account says nothing about δ, its total is shown at 1e-6."""


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


def check_measure(account: Account, wanted: Guarantee) -> None:
    """An account adds up ε or ρ, one of them for life. Pure releases are welcome in both.

    >>> check_measure(Account("metro", {"name": "record"}), Guarantee(GRAINS, 10**12))
    Traceback (most recent call last):
    seqveil.errors.CallError: Account 'metro' adds up pure ε, and this run asks for (ε, δ). An account keeps its measure for \
life: leave out delta, or use another account (account=NAME).
    """
    if not wanted.delta or account.measure == "zcdp":
        return
    if account.unit is not None:
        raise CallError(
            f"Account {account.name!r} adds up pure ε, and this run asks for (ε, δ). An account keeps its measure for life: "
            f"leave out {parameter('delta')}, or use another account ({parameter('account', 'NAME')})."
        )
    if account.cap is not None:
        raise CallError(
            f"Account {account.name!r} has a cap of ε = {decimal(account.cap)} without δ, and this run asks for (ε, δ). "
            f"State the cap with a δ first, type: {cap_command(account.name, decimal(account.cap), wanted.delta)}"
        )


def price(account: Account, wanted: Guarantee) -> int:
    """What a run costs in the measure of the account.

    >>> price(Account("a"), Guarantee(GRAINS)) == GRAINS, price(Account("a", measure="zcdp"), Guarantee(GRAINS)) == GRAINS // 2
    (True, True)
    """
    if account.measure == "pure" or wanted.delta:
        return wanted.amount
    amount = rho_of_pure(wanted.epsilon)
    if amount > MOST_RHO * GRAINS:
        raise CallError(
            f"epsilon = {decimal(wanted.epsilon)} costs more than any cap of account {account.name!r} could allow, which adds "
            f"up (ε, δ): use at most 1414, or another account ({parameter('account', 'NAME')})."
        )
    return amount


def check_cap_measure(account: Account, grains: int, delta: int) -> None:
    """The cap of an account is stated in its measure.

    >>> check_cap_measure(Account("metro", measure="zcdp"), 3 * GRAINS, 0)
    Traceback (most recent call last):
    seqveil.errors.CallError: Account 'metro' adds up (ε, δ), so its cap needs a δ, type: seqveil ledger cap metro 3.0 \
--delta 1e-6
    """
    if account.measure == "zcdp" and grains and not delta:
        command = cap_command(account.name, decimal(grains), account.cap_delta or USUAL_DELTA)
        raise CallError(f"Account {account.name!r} adds up (ε, δ), so its cap needs a δ, type: {command}")
    if account.measure == "pure" and delta and account.unit is not None:
        raise CallError(
            f"Account {account.name!r} adds up pure ε, and keeps its measure for life. State its cap without δ, type: "
            f"{cap_command(account.name, decimal(grains), 0)}   (or give another account a cap with δ)"
        )


def in_words(unit: dict[str, Any]) -> str:
    """
    >>> in_words({"name": "edge", "k": 5}), in_words({"name": "record"})
    ('edge (k=5)', 'record')
    """
    details = ", ".join(f"{name}={json.dumps(value)}" for name, value in unit.items() if name != "name")
    return f"{unit['name']} ({details})" if details else str(unit["name"])


def check_cap(account: Account, wanted: Guarantee) -> None:
    """Refuse what the cap does not allow.

    >>> check_cap(Account("metro", cap=3 * GRAINS, spent=2 * GRAINS, reserved=GRAINS // 2), Guarantee(GRAINS))
    Traceback (most recent call last):
    seqveil.errors.BudgetRefused: Account 'metro' has a cap of 3.0: spent 2.0, reserved 0.5, requested 1.0, remaining 0.5. \
The ε of all releases about the same people add up, so less than this is left for them: use at most 0.5. More is for whoever \
answers for these people's privacy to decide, because it weakens the guarantee of every release on this account; if they raise \
the cap, type: seqveil ledger cap metro 3.5
    """
    left, grains = account.left_after(wanted.thresholds), price(account, wanted)
    if account.cap is None or left is None or grains <= left:
        return
    if account.measure == "zcdp":
        raise _exceeded(account, wanted, left, grains)
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
    if account.delta >= PARTS - 1:
        return (
            f"Account {account.name!r} has no cap, and the thresholds of its runs have used all of δ: together they promise "
            f"nothing. Use another account ({parameter('account', 'NAME')}), with a cap."
        )
    delta = max(USUAL_DELTA, roomier(account.delta)) if account.measure == "zcdp" else 0
    total = account.epsilon(account.total, delta) or 0
    enough = decimal(max(3, total // GRAINS + 1) * GRAINS)
    return (
        f"Account {account.name!r} has no cap, so its total epsilon is not limited ({at(total, delta)} with this run). "
        f"Set one, for example: {cap_command(account.name, enough, delta)}"
    )


def at(epsilon: int, delta: int) -> str:
    """
    >>> at(GRAINS, 0), at(GRAINS, USUAL_DELTA)
    ('1.0', '1.0 at δ = 1e-6')
    """
    return f"{decimal(epsilon)} at δ = {stated(delta)}" if delta else decimal(epsilon)


def _exceeded(account: Account, wanted: Guarantee, left: int, grains: int) -> BudgetRefused:
    """The refusal in a zCDP account: what is said in ε is at the δ of the cap, and what may be typed is for this run."""
    delta, threshold = account.cap_delta, account.delta + wanted.thresholds
    said = f"Account {account.name!r} has a cap of ε = {at(account.cap or 0, delta)}"
    if threshold >= PARTS - 1:
        return BudgetRefused(
            f"{said}: with this run, thresholds would use all of δ, and no cap allows that. Give a smaller delta."
        )
    if threshold >= delta:
        return BudgetRefused(
            f"{said}: thresholds would use δ = {stated(threshold)} of it with this run, so nothing is left for the noise. A "
            "larger δ is for whoever answers for these people's privacy to decide; if they raise it, type: "
            f"{cap_command(account.name, decimal(account.cap or 0), roomier(threshold))}"
        )
    own = wanted.delta - wanted.thresholds
    most = epsilon_of(left, own) if wanted.delta else isqrt(2 * left * GRAINS)
    instead = f": use at most {parameter('epsilon', decimal(most))}" if most else ""
    needed = decimal(epsilon_of(account.total + grains, delta - threshold))
    so_far = decimal(epsilon_of(account.total, delta - account.delta))
    return BudgetRefused(
        f"{said}: releases so far come to {so_far} (ρ = {decimal(account.spent)} spent, {decimal(account.reserved)} reserved), "
        f"and with this run they would come to {needed}. The ρ of all releases about the same people add up: "
        f"ρ = {decimal(grains)} is requested, {decimal(left)} is left{instead}. "
        "More is for whoever answers for these people's privacy to decide, because it weakens the guarantee of every release on "
        f"this account; if they raise the cap, type: {cap_command(account.name, needed, delta)}"
    )
