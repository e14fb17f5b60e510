"""`seqveil ledger`: what was promised so far, and what is left."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seqveil.cli.console import Json, emit, say, table, tell

if TYPE_CHECKING:
    from seqveil.wall.ledger import Account, Charge, Entry, Verdict

ledger_app = typer.Typer(
    name="ledger",
    help="Budget accounts: what was spent, what is left. Example: seqveil ledger cap metro-2026 3.0",
    no_args_is_help=True,
    add_completion=False,
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The account, for example metro-2026.")]


@ledger_app.command()
def show(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One account with its releases.")] = None,
    as_json: Json = False,
) -> None:
    """What every account may spend, has spent, and has left. Example: seqveil ledger show metro-2026"""
    from seqveil.wall.ledger import Ledger

    ledger = Ledger()
    accounts = ledger.accounts() if name is None else [ledger.account(name)]
    charges = [] if name is None else ledger.charges(name)
    if as_json:
        return emit({"accounts": [_account(each) for each in accounts], "charges": [_charge(each) for each in charges]})
    if not accounts:
        return tell("No accounts yet. The first publish makes one, and so does: seqveil ledger cap NAME 3.0")
    table(["account", "unit", "cap", "spent", "reserved", "left"], [_account_row(each) for each in accounts])
    if charges:
        tell()
        table(["epsilon", "mechanism", "status", "release"], [_charge_row(each) for each in charges])


@ledger_app.command()
def cap(
    name: Name,
    epsilon: Annotated[str, typer.Argument(metavar="EPSILON", help="The most it may ever spend; 0 closes it.")],
    as_json: Json = False,
) -> None:
    """Set the most that an account may ever spend. Example: seqveil ledger cap metro-2026 3.0"""
    from seqveil.wall.budget import decimal
    from seqveil.wall.ledger import Ledger

    ledger = Ledger()
    if warning := ledger.set_cap(name, _cap_grains(epsilon)):
        say(f"warning: {warning}")
    account = ledger.account(name)
    if as_json:
        return emit(_account(account))
    total = decimal(account.spent + account.reserved)
    tell(f"Account {account.name!r}: cap {decimal(account.cap or 0)}, used {total}, left {decimal(account.left or 0)}.")


@ledger_app.command()
def history(name: Name, as_json: Json = False) -> None:
    """Everything ever written about an account, oldest first. Example: seqveil ledger history metro-2026"""
    from seqveil.wall.ledger import Ledger

    entries = Ledger().history(name)
    if as_json:
        return emit({"account": name, "entries": [_entry(each) for each in entries]})
    table(["entry", "when", "what", "epsilon", "details"], [_entry_row(each) for each in entries])


@ledger_app.command()
def verify(as_json: Json = False) -> None:
    """Check every entry, the checkpoint and every automatic copy. Example: seqveil ledger verify"""
    from seqveil.wall.ledger import Ledger

    verdict = Ledger().verify()
    if as_json:
        return emit(_verdict(verdict))
    tell(f"The ledger is whole: {_in_words(verdict)}.")
    if verdict.copies_damaged:
        tell("To write the damaged copies again, type: seqveil ledger restore")


@ledger_app.command()
def restore(as_json: Json = False) -> None:
    """Put a damaged ledger together again from its automatic copies. Example: seqveil ledger restore"""
    from seqveil.wall.ledger import Ledger

    verdict = Ledger.restore()
    if as_json:
        return emit(_verdict(verdict))
    if verdict.kept_aside is None:
        return tell(f"The ledger is whole; nothing to restore: {_in_words(verdict)}.")
    tell(f"Restored: {_in_words(verdict)}. The damaged files are kept in {verdict.kept_aside}.")
    tell("Compare the accounts with the releases you have: seqveil ledger show")


@ledger_app.command()
def withdraw(
    release_id: Annotated[str, typer.Argument(metavar="RELEASE_ID", help="From the release's manifest.")],
    as_json: Json = False,
) -> None:
    """Mark a release as withdrawn; its epsilon stays spent. Example: seqveil ledger withdraw 3f9c0a…"""
    from seqveil.wall.budget import decimal
    from seqveil.wall.ledger import Ledger

    charge = Ledger().withdraw(release_id)
    if as_json:
        return emit(_charge(charge))
    tell(f"Release {release_id} is withdrawn. Its epsilon of {decimal(charge.grains)} stays spent.")


@ledger_app.command()
def adopt() -> None:
    """Take over a ledger that was moved here from another machine for good. Example: seqveil ledger adopt"""
    from seqveil.wall.ledger import Ledger

    ledger = Ledger.adopt()
    tell(f"The ledger in {ledger.place.directory} now belongs to this machine. Do not use it from the other one.")


def _cap_grains(epsilon: str) -> int:
    from seqveil.numbers import exact
    from seqveil.wall.budget import grains

    try:
        closes = exact(epsilon) == 0
    except ValueError:
        closes = False
    return 0 if closes else grains(epsilon)


def _account(account: Account) -> dict[str, Any]:
    from seqveil.wall.budget import decimal

    return {
        "account": account.name,
        "unit": account.unit,
        "neighbours": account.neighbours,
        "cap": None if account.cap is None else decimal(account.cap),
        "spent": decimal(account.spent),
        "reserved": decimal(account.reserved),
        "left": None if account.left is None else decimal(account.left),
    }


def _account_row(account: Account) -> list[str]:
    from seqveil.wall.ledger.rules import in_words

    told = _account(account)
    unit = "not used yet" if account.unit is None else in_words(account.unit)
    return [account.name, unit, told["cap"] or "none", told["spent"], told["reserved"], told["left"] or "no limit"]


def _charge(charge: Charge) -> dict[str, Any]:
    from seqveil.wall.budget import decimal

    known = {"release": charge.release or None, "digest": charge.digest or None}
    return {"epsilon": decimal(charge.grains), "mechanism": charge.mechanism, "status": charge.status, **known}


def _charge_row(charge: Charge) -> list[str]:
    told = _charge(charge)
    return [told["epsilon"], told["mechanism"], told["status"], told["release"] or "–"]


def _entry(entry: Entry) -> dict[str, Any]:
    from seqveil.wall.budget import decimal

    epsilon = decimal(entry.grains) if entry.kind in ("cap", "reserved") else None
    return {"entry": entry.seq, "at": entry.at, "kind": entry.kind, "epsilon": epsilon, **entry.details()}


def _entry_row(entry: Entry) -> list[str]:
    told = _entry(entry)
    details = "; ".join(f"{fact} {_plain(value)}" for fact, value in entry.details().items())
    return [str(entry.seq), entry.at, entry.kind, told["epsilon"] or "", details]


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _verdict(verdict: Verdict) -> dict[str, Any]:
    aside = None if verdict.kept_aside is None else str(verdict.kept_aside)
    return {
        "whole": True,
        "entries": verdict.entries,
        "accounts": verdict.accounts,
        "copies_whole": verdict.copies_whole,
        "copies_damaged": verdict.copies_damaged,
        "kept_aside": aside,
    }


def _in_words(verdict: Verdict) -> str:
    damaged = f", {verdict.copies_damaged} damaged" if verdict.copies_damaged else ""
    accounts = "1 account" if verdict.accounts == 1 else f"{verdict.accounts} accounts"
    return f"{verdict.entries} entries, {accounts}, {verdict.copies_whole} automatic copies whole{damaged}"
