"""The ledger: budgets by account, their history, caps, withdrawal and verification."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from seqveil.studio.pages import field_of, page, to

if TYPE_CHECKING:
    from seqveil.tables.units import Unit
    from seqveil.wall.ledger import Account, Entry


def account_rows(accounts: list[Account]) -> list[dict[str, Any]]:
    """Accounts as bars: shares of the cap, or of what was spent where there is none."""
    from seqveil.wall.budget import decimal
    from seqveil.wall.ledger.rules import in_words
    from seqveil.wall.measures.measure import SYMBOL

    rows = []
    for account in accounts:
        whole = max(account.allowed() or 0, account.total, 1)
        rows.append(
            {
                "name": account.name,
                "unit": "not used yet" if account.unit is None else f"protects every {in_words(account.unit)}",
                "symbol": SYMBOL[account.measure],
                "cap": _cap_of(account),
                "spent": decimal(account.spent),
                "reserved": decimal(account.reserved),
                "left": None if account.left is None else decimal(account.left),
                "spent_share": 100 * account.spent / whole,
                "reserved_share": 100 * account.reserved / whole,
            }
        )
    return rows


def _cap_of(account: Account) -> str | None:
    """The cap; that of a zCDP account has a δ, and is in ε although its amounts are of ρ."""
    from seqveil.wall.budget import decimal
    from seqveil.wall.ledger.rules import at

    if account.cap is None:
        return None
    return decimal(account.cap) if account.measure == "pure" else f"ε = {at(account.cap, account.cap_delta)}"


def after(name: str, epsilon: int) -> dict[str, Any]:
    """What an account has, and would have left after spending ε. The ledger is read, and nothing is written to it.

    The studio makes pure releases; in a zCDP account they are charged in ρ.
    """
    from unicodedata import normalize

    from seqveil.wall.budget import decimal
    from seqveil.wall.ledger import Account, Ledger
    from seqveil.wall.ledger.rules import price
    from seqveil.wall.measures.guarantee import Guarantee
    from seqveil.wall.measures.measure import SYMBOL

    existing = next((one for one in Ledger().accounts() if one.name == normalize("NFC", name)), None)
    account = existing or Account(name)
    amount, left = price(account, Guarantee(epsilon)), account.left
    whole = max(account.allowed() or 0, account.total + amount)
    return {
        "name": name,
        "new": existing is None,
        "symbol": SYMBOL[account.measure],
        "used": decimal(account.total),
        "cap": _cap_of(account),
        "left": None if left is None else decimal(max(0, left - amount)),
        "refused": left is not None and amount > left,
        "used_share": 100 * account.total / whole,
        "epsilon_share": 100 * amount / whole,
    }


def refuse_unit(name: str, unit: Unit) -> None:
    """Refuse an account that protects another unit, as the ledger itself would."""
    from unicodedata import normalize

    from seqveil.wall.ledger import Ledger, rules

    for account in Ledger().accounts():
        if account.name == normalize("NFC", name):
            rules.check_unit(account, unit)


def show(request: Request) -> Response:
    """All accounts, or one with its history."""
    return _shown(request, request.query_params.get("account", ""))


def _shown(request: Request, name: str, said: str = "") -> Response:
    from seqveil.wall.ledger import Ledger
    from seqveil.wall.measures.guarantee import Guarantee

    ledger = Ledger()
    if not name:
        return page(request, "ledger", accounts=account_rows(ledger.accounts()), account=None, said=said)
    account = ledger.account(name)
    charges = [
        {
            "epsilon": str(Guarantee(one.epsilon, one.delta)).removeprefix("ε = "),
            "mechanism": one.mechanism,
            "status": one.status,
            "release": one.release,
        }
        for one in reversed(ledger.charges(name))
    ]
    entries = [
        {
            "seq": one.seq,
            "at": in_utc(one.at),
            "kind": one.kind,
            "means": MEANINGS.get(one.kind, ""),
            "epsilon": _amount(one) if one.kind in ("cap", "reserved") else "",
            "details": "; ".join(f"{fact} {_plain(value)}" for fact, value in one.details().items()),
        }
        for one in reversed(ledger.history(name))
    ]
    return page(request, "ledger", accounts=account_rows([account]), account=account, charges=charges, entries=entries, said=said)


MEANINGS = {
    "opened": "the account was opened",
    "measured": "from here on the account adds up (ε, δ), in ρ of zCDP",
    "protects": "from here on the account protects this unit",
    "cap": "its cap was set",
    "seen": "the data was recognised by a keyed fingerprint",
    "reserved": "budget was set aside for a run",
    "begun": "the run may have read data: its ε remains charged",
    "returned": "the run read nothing: its ε is back",
    "committed": "the release was saved",
    "withdrawn": "the release was withdrawn: its ε remains spent",
    "restored": "the ledger was restored from a copy",
    "adopted": "the ledger was moved to this machine",
}
"""What an entry says, for whoever reads the history."""


def in_utc(time: str) -> str:
    """A time of the ledger or of a manifest, as people read it.

    >>> in_utc("2026-11-18T02:04:27Z"), in_utc("early")
    ('2026-11-18 02:04:27 UTC', 'early')
    """
    return time.replace("T", " ").removesuffix("Z") + " UTC" if time.endswith("Z") else time


def _amount(entry: Entry) -> str:
    """The amount of an entry; a run in a zCDP account says its own ε, and was charged in ρ."""
    from seqveil.wall.budget import decimal

    amount = decimal(entry.grains)
    return f"ρ = {amount}" if entry.kind == "reserved" and "epsilon" in entry.details() else amount


def _plain(value: Any) -> str:
    from seqveil.wall.ledger.rules import in_words

    if isinstance(value, str):
        return value
    return in_words(value) if isinstance(value, dict) and "name" in value else json.dumps(value)


def cap(request: Request) -> Response:
    """Set the cap of an account."""
    from seqveil.cli.ledger import cap_grains
    from seqveil.wall.budget import decimal
    from seqveil.wall.ledger import Ledger
    from seqveil.wall.measures.measure import SYMBOL

    name, ledger = field_of(request, "account").strip(), Ledger()
    warning = ledger.set_cap(name, cap_grains(field_of(request, "cap").strip()))
    account = ledger.account(name)
    symbol = SYMBOL[account.measure]
    cap = _cap_of(account) if account.measure == "zcdp" else f"ε = {_cap_of(account)}"
    said = f"Account {account.name!r} has a cap of {cap}; {'' if symbol == 'ε' else 'ρ = '}{decimal(account.left or 0)} remains."
    if account.total > (account.allowed() or 0):
        used = f"{symbol} = {decimal(account.total)}"
        said += f" {used} is already spent or reserved, more than the cap: the ledger refuses every further release."
    return _shown(request, account.name, f"{said} {warning or ''}".strip())


def withdraw(request: Request) -> Response:
    """Mark a release as withdrawn; its ε remains spent."""
    from seqveil.wall.budget import decimal
    from seqveil.wall.ledger import Ledger

    if field_of(request, "sure") != "yes":
        return to(f"/ledger?{urlencode({'account': field_of(request, 'account')})}")
    charge = Ledger().withdraw(field_of(request, "release"))
    said = f"Release {charge.release[:8]} is withdrawn. Its ε of {decimal(charge.grains)} remains spent."
    return _shown(request, charge.account, said)


def verify(request: Request) -> Response:
    """Check every entry, the checkpoint and every copy."""
    from seqveil.wall.ledger import Ledger

    verdict = Ledger().verify()
    said = (
        f"The ledger is intact: {verdict.entries:,} entries, {verdict.accounts:,} accounts, {verdict.copies_whole} copies intact"
    )
    damaged = (
        f", {verdict.copies_damaged} damaged. To rewrite them, run: seqveil ledger restore" if verdict.copies_damaged else "."
    )
    return _shown(request, "", said + damaged)
