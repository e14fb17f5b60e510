"""A policy of an organisation: how much privacy budget may be spent, who decided that, and when. A small TOML file.

cap = "10.0"                                  # all accounts together
signed_off_by = "A. Person, privacy officer"
signed_off_on = 2026-11-18

[accounts.metro-2026]
cap = "3.0"
dataset = "Metro taps"                        # accounts of one dataset are added up
# delta = "1e-6"                              # where an account adds up (ε, δ): the δ at which the cap holds
signed_off_by = "B. Person, data office"
signed_off_on = 2026-10-01
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

from seqveil.errors import CallError, InputProblems
from seqveil.tables.characters import refused_in_label, shown
from seqveil.wall.budget import MOST_EPSILON, grains
from seqveil.wall.measures.delta import in_parts

_MOST_BYTES = 1 << 20
_MOST_TEXT = 200
_EVERYWHERE = ("cap", "signed_off_by", "signed_off_on")


@dataclass(frozen=True, slots=True)
class Rule:
    """One cap in grains, who signed it off and when; all of it may be missing. `delta` is for accounts that add up (ε, δ)."""

    cap: int | None = None
    signed_off_by: str | None = None
    signed_off_on: str | None = None
    dataset: str | None = None
    delta: int = 0


NO_RULE = Rule()


@dataclass(frozen=True, slots=True)
class Policy:
    """The rule for everything together, and the rules for accounts."""

    whole: Rule = NO_RULE
    accounts: Mapping[str, Rule] = field(default_factory=dict)

    def of(self, account: str) -> Rule:
        """The rule for an account; an empty one where the policy has none."""
        return self.accounts.get(account, NO_RULE)


def read_policy(path: Path) -> Policy:
    """The policy in a file; everything that is wrong with it is raised at once."""
    try:
        with path.open("rb") as file:
            body = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise CallError(f"{path} cannot be read ({error.strerror}): check the path.") from None
    try:
        data = tomllib.loads(body[:_MOST_BYTES].decode())
    except (ValueError, RecursionError):
        raise CallError(f'{path} is not TOML: write lines such as cap = "10.0".') from None
    problems: list[str] = []
    accounts = data.pop("accounts", {})
    whole = _rule(data, "", _EVERYWHERE, problems)
    if not isinstance(accounts, dict) or not all(isinstance(each, dict) for each in accounts.values()):
        problems.append('accounts are tables: write [accounts.NAME], and cap = "3.0" below it')
        accounts = {}
    rules = {
        name: _rule(each, f"accounts.{name}: ", (*_EVERYWHERE, "dataset", "delta"), problems) for name, each in accounts.items()
    }
    if problems:
        raise InputProblems(str(path), problems)
    return Policy(whole, rules)


def _rule(data: dict[str, Any], where: str, allowed: tuple[str, ...], problems: list[str]) -> Rule:
    problems += [f"{where}{shown(name)} is unknown: use {', '.join(allowed)}" for name in data if name not in allowed]
    values: dict[str, Any] = {}
    for name in allowed:
        if name not in data:
            continue
        try:
            values[name] = _READ[name](data[name])
        except (CallError, ValueError):
            problems.append(f"{where}{name} = {shown(str(data[name]))}: {_ALLOWED[name]}")
    return Rule(**values)


def _cap(value: Any) -> int:
    """Grains; 0 closes an account, as in the ledger."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError
    return 0 if str(value).strip("0.") == "" and str(value) else grains(value)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= _MOST_TEXT or refused_in_label(value) is not None:
        raise ValueError
    return value


def _day(value: Any) -> str:
    if isinstance(value, datetime) or not isinstance(value, date | str):
        raise ValueError
    return date.fromisoformat(str(value)).isoformat()


_READ = {"cap": _cap, "signed_off_by": _text, "signed_off_on": _day, "dataset": _text, "delta": in_parts}
_ALLOWED = {
    "cap": f'give a number from 0 to {MOST_EPSILON:,}, for example "3.0"',
    "signed_off_by": f"give a name of 1 to {_MOST_TEXT} visible characters",
    "signed_off_on": "give a date such as 2026-11-18",
    "dataset": f"give a name of 1 to {_MOST_TEXT} visible characters",
    "delta": 'give a number above 0 and below 1, for example "1e-6"',
}
