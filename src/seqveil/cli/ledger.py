"""`seqveil ledger`: privacy budgets, account by account."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seqveil.cli.console import Json, emit, say, table, tell
from seqveil.extras import need

if TYPE_CHECKING:
    from seqveil.report.budgets import Line
    from seqveil.wall.ledger import Account, Charge, Entry, Verdict

ledger_app = typer.Typer(
    name="ledger",
    help="Show and cap privacy budgets, account by account. Example: seqveil ledger cap metro-2026 3.0",
    no_args_is_help=True,
    add_completion=False,
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="Account name, for example metro-2026.")]


@ledger_app.command()
def show(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Show one account and its releases.")] = None,
    as_json: Json = False,
) -> None:
    """Show the cap, spent and remaining budget of every account. Example: seqveil ledger show metro-2026"""
    from seqveil.wall.ledger import Ledger

    ledger = Ledger()
    accounts = ledger.accounts() if name is None else [ledger.account(name)]
    charges = [] if name is None else ledger.charges(name)
    if as_json:
        return emit(
            {"accounts": [_account(each) for each in accounts], "charges": [_charge(each, accounts[0]) for each in charges]}
        )
    if not accounts:
        return tell("No accounts yet. The first release creates one, and so does: seqveil ledger cap NAME 3.0")
    table(["account", "unit", "cap", "spent", "reserved", "remaining"], [_account_row(each) for each in accounts])
    for each in accounts:
        if each.measure == "zcdp":
            tell(_comes_to(each))
    if charges:
        tell()
        table(["epsilon", "mechanism", "status", "release"], [_charge_row(each, accounts[0]) for each in charges])


@ledger_app.command()
def cap(
    name: Name,
    epsilon: Annotated[str, typer.Argument(metavar="EPSILON", help="Total epsilon the account may ever spend; 0 closes it.")],
    delta: Annotated[
        str | None,
        typer.Option(help="State the cap as (ε, δ), e.g. 1e-6: the account then adds up ρ of zCDP, for life."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Set the total epsilon that an account may ever spend. Example: seqveil ledger cap metro-2026 3.0"""
    from seqveil.wall.budget import decimal
    from seqveil.wall.ledger import Ledger
    from seqveil.wall.vault import delta_of

    ledger = Ledger()
    if warning := ledger.set_cap(name, cap_grains(epsilon), delta_of(delta)):
        say(f"warning: {warning}")
    account = ledger.account(name)
    facts = _account(account)
    if as_json:
        return emit(facts)
    if account.measure == "pure":
        used = decimal(account.total)
        return tell(f"Account {account.name!r}: cap {facts['cap']}, used {used}, remaining {facts['left']}.")
    cap = f"ε = {facts['cap']} at δ = {facts['cap_delta']}"
    used = f"ρ = {facts['used']}" + (f" (ε = {facts['epsilon']})" if facts["epsilon"] is not None else "")
    tell(f"Account {account.name!r}: cap {cap}, used {used}, remaining ρ = {facts['left']}.")


@ledger_app.command()
def history(name: Name, as_json: Json = False) -> None:
    """Show every entry about an account, oldest first. Example: seqveil ledger history metro-2026"""
    from seqveil.wall.ledger import Ledger

    entries = Ledger().history(name)
    if as_json:
        return emit({"account": name, "entries": [_entry(each) for each in entries]})
    table(["entry", "time", "kind", "epsilon", "details"], [_entry_row(each) for each in entries])


@ledger_app.command()
def verify(as_json: Json = False) -> None:
    """Verify every entry, the checkpoint and every automatic copy. Example: seqveil ledger verify"""
    from seqveil.wall.ledger import Ledger

    verdict = Ledger().verify()
    if as_json:
        return emit(_verdict(verdict))
    tell(f"The ledger is intact: {_in_words(verdict)}.")
    if verdict.copies_damaged:
        tell("To rewrite the damaged copies, run: seqveil ledger restore")


@ledger_app.command()
def restore(as_json: Json = False) -> None:
    """Rebuild a damaged ledger from its automatic copies. Example: seqveil ledger restore"""
    from seqveil.wall.ledger import Ledger

    verdict = Ledger.restore()
    if as_json:
        return emit(_verdict(verdict))
    if verdict.kept_aside is None:
        return tell(f"The ledger is intact; nothing to restore: {_in_words(verdict)}.")
    tell(f"Restored: {_in_words(verdict)}. The damaged files are kept in {verdict.kept_aside}.")
    tell("Compare the accounts with your releases: seqveil ledger show")


@ledger_app.command()
def report(
    policy: Annotated[Path | None, typer.Option(help="TOML file with caps, and who signed them off; see docs/ledger.md.")] = None,
    out: Annotated[Path | None, typer.Option(help="Also write an HTML page to this new file.")] = None,
    as_json: Json = False,
) -> None:
    """Compare what was spent with a policy; exits with 3 if a cap is exceeded.

    Example: seqveil ledger report --policy policy.toml --out budgets.html
    """
    from seqveil.errors import BudgetError
    from seqveil.report.budgets import budgets, page
    from seqveil.report.policy import read_policy
    from seqveil.wall.ledger import Ledger
    from seqveil.whole import refuse_taken, write_whole

    if out is not None:
        need("pages")
        refuse_taken(out, "give another name with --out")
    shown = budgets(Ledger().accounts(), None if policy is None else read_policy(policy))
    if out is not None:
        write_whole(out, page(shown).encode())
    if as_json:
        emit(shown.to_dict())
    else:
        rows = [_budget_row(line) for line in [shown.whole, *shown.datasets, *shown.accounts]]
        table(["of", "protects", "spent", "reserved", "cap", "signed off", "remarks"], rows)
        if out is not None:
            say(f"{out}: open it in any browser; it needs no network.")
    if shown.exceeded:
        raise BudgetError("more was spent or reserved than the policy allows: see the remarks.")


def _budget_row(line: Line) -> list[str]:
    from seqveil.wall.budget import decimal

    facts = line.to_dict()
    signed = ", ".join(filter(None, [facts["signed_off_by"], facts["signed_off_on"]]))
    numbers = [facts["spent"], facts["reserved"], "none" if line.cap is None else decimal(line.cap)]
    return [line.name, ", ".join(line.units) or "not used yet", *numbers, signed or "–", "; ".join(line.remarks) or "–"]


@ledger_app.command()
def withdraw(
    release_id: Annotated[str, typer.Argument(metavar="RELEASE_ID", help="Id of the release, from its manifest.")],
    as_json: Json = False,
) -> None:
    """Mark a release as withdrawn; its epsilon remains spent. Example: seqveil ledger withdraw 3f9c0a…"""
    from seqveil.wall.budget import decimal
    from seqveil.wall.ledger import Ledger
    from seqveil.wall.measures.delta import stated

    ledger = Ledger()
    charge = ledger.withdraw(release_id)
    if as_json:
        return emit(_charge(charge, ledger.account(charge.account)))
    at = f" at δ = {stated(charge.delta)}" if charge.delta else ""
    tell(f"Release {release_id} is withdrawn. Its epsilon of {decimal(charge.epsilon)}{at} remains spent.")


@ledger_app.command()
def adopt() -> None:
    """Take over a ledger that was permanently moved here from another machine. Example: seqveil ledger adopt"""
    from seqveil.wall.ledger import Ledger

    ledger = Ledger.adopt()
    tell(f"The ledger in {ledger.place.directory} now belongs to this machine. Do not use it from the other machine any more.")


def cap_grains(epsilon: str) -> int:
    from seqveil.errors import CallError
    from seqveil.numbers import exact, shown
    from seqveil.wall.budget import MOST_EPSILON, grains

    try:
        stated = exact(epsilon)
    except ValueError:
        stated = None
    if stated is None or not 0 <= stated <= MOST_EPSILON:
        raise CallError(
            f"a cap of {shown(epsilon)}: give a number from 0 (closes the account) to {MOST_EPSILON:,}, for example 3.0."
        )
    return grains(epsilon) if stated else 0


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
        **({} if account.measure == "pure" else _in_rho(account)),
    }


def _in_rho(account: Account) -> dict[str, Any]:
    """What a zCDP account says beyond amounts, which are of ρ: the δ of its cap, and what everything so far comes to."""
    from seqveil.wall.budget import decimal
    from seqveil.wall.ledger.rules import USUAL_DELTA
    from seqveil.wall.measures.curve import points
    from seqveil.wall.measures.delta import stated

    delta = account.cap_delta or USUAL_DELTA
    epsilon = account.epsilon(account.total, delta)
    return {
        "measure": account.measure,
        "used": decimal(account.total),
        "cap_delta": stated(account.cap_delta) if account.cap_delta else None,
        "thresholds": stated(account.delta),
        "delta": stated(delta),
        "epsilon": None if epsilon is None else decimal(epsilon),
        "curve": points(account.total, account.delta),
    }


def _account_row(account: Account) -> list[str]:
    from seqveil.wall.ledger.rules import in_words

    facts = _account(account)
    unit = "not used yet" if account.unit is None else in_words(account.unit)
    if account.measure == "pure":
        return [account.name, unit, facts["cap"] or "none", facts["spent"], facts["reserved"], facts["left"] or "no limit"]
    cap = "none" if account.cap is None else f"{facts['cap']} at δ = {facts['cap_delta']}"
    left = "no limit" if account.left is None else f"ρ = {facts['left']}"
    return [account.name, unit, cap, f"ρ = {facts['spent']}", f"ρ = {facts['reserved']}", left]


def _comes_to(account: Account) -> str:
    """What a zCDP account amounts to as (ε, δ), at the δ of its cap."""
    facts = _in_rho(account)
    if facts["epsilon"] is None:
        return f"{account.name}: thresholds have used all of δ = {facts['delta']}."
    thresholds = f", of which δ = {facts['thresholds']} for thresholds" if account.delta else ""
    return f"{account.name}: all releases together are (ε, δ) = ({facts['epsilon']}, {facts['delta']}){thresholds}."


def _charge(charge: Charge, account: Account) -> dict[str, Any]:
    from seqveil.wall.budget import decimal
    from seqveil.wall.measures.delta import stated

    if account.measure == "zcdp":
        deltas = {"delta": stated(charge.delta), "thresholds": stated(charge.thresholds), "rho": decimal(charge.grains)}
        about = {"mechanism": charge.mechanism, "status": charge.status}
        return {
            "epsilon": decimal(charge.epsilon),
            **deltas,
            **about,
            "release": charge.release or None,
            "digest": charge.digest or None,
        }
    release = {"release": charge.release or None, "digest": charge.digest or None}
    return {"epsilon": decimal(charge.grains), "mechanism": charge.mechanism, "status": charge.status, **release}


def _charge_row(charge: Charge, account: Account) -> list[str]:
    facts = _charge(charge, account)
    epsilon = facts["epsilon"]
    if "rho" in facts:
        epsilon += (f" at δ = {facts['delta']}" if charge.delta else " (pure)") + f", ρ = {facts['rho']}"
    return [epsilon, facts["mechanism"], facts["status"], facts["release"] or "–"]


def _entry(entry: Entry) -> dict[str, Any]:
    from seqveil.wall.budget import decimal

    epsilon = decimal(entry.grains) if entry.kind in ("cap", "reserved") else None
    details = entry.details()
    if entry.kind == "reserved" and "epsilon" in details:  # in a zCDP account
        details = {"rho": epsilon, **details}
    return {"entry": entry.seq, "at": entry.at, "kind": entry.kind, "epsilon": epsilon, **details}


def _entry_row(entry: Entry) -> list[str]:
    facts = _entry(entry)
    said = {fact: value for fact, value in facts.items() if fact == "rho" or fact in entry.details().keys() - {"epsilon"}}
    details = "; ".join(f"{fact} {_plain(value)}" for fact, value in said.items())
    return [str(entry.seq), entry.at, entry.kind, facts["epsilon"] or "", details]


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
    return f"{verdict.entries} entries, {accounts}, {verdict.copies_whole} automatic copies intact{damaged}"
