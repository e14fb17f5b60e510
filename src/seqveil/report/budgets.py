"""What was spent of the privacy budget, account by account and dataset by dataset, beside what a policy allows. For the officer
who answers for it. Everything here is the ledger's; nothing raw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from seqveil.report.page import visible
from seqveil.report.policy import NO_RULE, Policy, Rule
from seqveil.templates import templates
from seqveil.wall.budget import decimal
from seqveil.wall.ledger import Account
from seqveil.wall.ledger.rules import USUAL_DELTA, in_words
from seqveil.wall.measures.delta import stated


@dataclass(frozen=True, slots=True)
class Line:
    """One account, one dataset, or all: what is spent and reserved (in grains of ε), and the rule for it.

    `enforced` is the cap that the ledger itself has for an account; of a sum the ledger knows nothing. Without a policy
    (`by_policy`) it is the only cap there is. What a zCDP account has spent is shown as ε at `delta` (the policy's, or its
    cap's, in parts of 10⁻¹⁸); the ε and δ of several accounts add up.
    """

    name: str
    units: tuple[str, ...]
    spent: int
    reserved: int
    rule: Rule
    is_account: bool = False
    by_policy: bool = True
    enforced: int | None = None
    delta: int = 0
    rho: int = 0
    thresholds: bool = False

    @property
    def total(self) -> int:
        """What counts against a cap."""
        return self.spent + self.reserved

    @property
    def exceeded(self) -> bool:
        """Whether more is spent or reserved than the policy allows."""
        return self.rule.cap is not None and (self.total > self.rule.cap or self.thresholds)

    @property
    def remarks(self) -> list[str]:
        """What an officer should know beyond the numbers."""
        said = []
        if self.exceeded:
            more = self.total - (self.rule.cap or 0)
            said.append("thresholds have used up δ" if self.thresholds else f"exceeds the policy's cap by {decimal(more)}")
        if self.delta:
            said.append(f"ε at δ = {stated(self.delta)}" + (f", from ρ = {decimal(self.rho)}" if self.rho else ""))
        if self.rule.cap is not None and self.rule.signed_off_by is None:
            said.append("nobody signed the cap off")
        if len(self.units) > 1:
            said.append("adds up different units of privacy: the sum is a number, not a guarantee")
        return said + self._enforcement() if self.is_account else said

    @property
    def cap(self) -> int | None:
        """The cap that a reader compares with: that of the policy, or of the ledger where no policy was given."""
        return self.rule.cap if self.by_policy else self.enforced

    def _enforcement(self) -> list[str]:
        """Where ledger and policy differ about an account."""
        if not self.by_policy:
            return []
        if self.rule.cap is None:
            return ["the policy has no cap for it"]
        if self.enforced is None:
            return ["the ledger enforces no cap"]
        more = self.enforced > self.rule.cap
        return [f"the ledger allows {decimal(self.enforced)}, more than the policy"] if more else []

    def to_dict(self) -> dict[str, Any]:
        """In JSON's types."""
        return {
            "name": self.name,
            "dataset": self.rule.dataset,
            "units": list(self.units),
            "spent": decimal(self.spent),
            "reserved": decimal(self.reserved),
            "cap": None if self.rule.cap is None else decimal(self.rule.cap),
            "ledger_cap": None if self.enforced is None else decimal(self.enforced),
            **({"delta": stated(self.delta)} if self.delta else {}),
            **({"rho": decimal(self.rho)} if self.rho else {}),
            "exceeded": self.exceeded,
            "signed_off_by": self.rule.signed_off_by,
            "signed_off_on": self.rule.signed_off_on,
            "remarks": self.remarks,
        }


@dataclass(frozen=True, slots=True)
class Budgets:
    """The whole report."""

    at: str
    whole: Line
    datasets: list[Line]
    accounts: list[Line]
    unused: list[str]
    """Accounts that the policy names and the ledger does not know."""

    @property
    def exceeded(self) -> bool:
        """Whether any cap of the policy is exceeded."""
        return any(line.exceeded for line in [self.whole, *self.accounts])

    def to_dict(self) -> dict[str, Any]:
        """As one JSON object."""
        return {
            "at": self.at,
            "exceeded": self.exceeded,
            "all": self.whole.to_dict(),
            "datasets": [line.to_dict() for line in self.datasets],
            "accounts": [line.to_dict() for line in self.accounts],
            "not_in_the_ledger": self.unused,
        }


def budgets(accounts: Sequence[Account], policy: Policy | None = None) -> Budgets:
    """Accounts of a ledger beside a policy.

    >>> from seqveil.wall.budget import grains
    >>> shown = budgets([Account("metro", {"name": "record"}, spent=grains("2.0"))], Policy(Rule(cap=grains("1.5"))))
    >>> shown.exceeded, shown.whole.remarks
    (True, ["exceeds the policy's cap by 0.5", 'nobody signed the cap off'])
    """
    given, policy = policy is not None, policy or Policy()
    lines = [replace(_line(one, policy.of(one.name)), by_policy=given) for one in accounts]
    named = sorted({line.rule.dataset for line in lines if line.rule.dataset is not None})
    datasets = [_sum(name, [line for line in lines if line.rule.dataset == name], NO_RULE) for name in named]
    unknown = sorted(set(policy.accounts) - {one.name for one in accounts})
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Budgets(now, _sum("all accounts", lines, policy.whole), datasets, lines, unknown)


def page(shown: Budgets) -> str:
    """The report as one self-contained HTML page."""
    drawn = templates("seqveil.report", visible).get_template("budgets.html.j2")
    return drawn.render(report=shown, decimal=decimal) + "\n"


def _units(accounts: Sequence[Account]) -> tuple[str, ...]:
    return tuple(sorted({in_words(one.unit) for one in accounts if one.unit is not None}))


def _line(account: Account, rule: Rule) -> Line:
    """One account; of a zCDP account the reserved part is what ε grows by with it."""
    line = Line(account.name, _units([account]), account.spent, account.reserved, rule, True, enforced=account.cap)
    if account.measure == "pure":
        return line
    delta = rule.delta or account.cap_delta or USUAL_DELTA
    whole, spent = account.epsilon(account.total, delta), account.epsilon(account.spent, delta) or 0
    allowed = account.allowed()
    cap = account.cap if allowed is None or delta == account.cap_delta else account.epsilon(allowed, delta)
    shown = replace(line, spent=spent, reserved=(whole or 0) - spent, enforced=cap, delta=delta, rho=account.total)
    return replace(shown, thresholds=whole is None)


def _sum(name: str, lines: Sequence[Line], rule: Rule) -> Line:
    units = tuple(sorted({unit for line in lines for unit in line.units}))
    return Line(
        name,
        units,
        sum(line.spent for line in lines),
        sum(line.reserved for line in lines),
        rule,
        delta=sum(line.delta for line in lines),
    )
