"""What accounts and manifests say of zCDP, added up and converted a second time, by other arithmetic.

Nothing of `wall.measures` is used for what is expected: sums are fractions, and the least ε at a δ is found by bisection in
decimals of 50 digits, where ours is a certified bound at an order found in floats.
"""

from __future__ import annotations

import random
import tempfile
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction

from seqveil.audit.findings import Attack
from seqveil.errors import BudgetRefused, CallError
from seqveil.tables.units import Record
from seqveil.wall.budget import GRAINS
from seqveil.wall.ledger import Ledger
from seqveil.wall.measures import zcdp
from seqveil.wall.measures.curve import points
from seqveil.wall.measures.delta import PARTS, in_parts, stated
from seqveil.wall.measures.guarantee import Guarantee

ACCOUNT = "audited"
THRESHOLD = in_parts("1e-7")
CAP, CAP_DELTA = 3 * GRAINS, in_parts("1e-6")

_GRID = tuple(10**power * first for power in range(3, 15) for first in (1, 3))


def least(rho: Fraction, delta: Fraction) -> Decimal:
    """The infimum over all orders of the ε that ρ-zCDP implies at δ [Canonne 2020, Proposition 12], to 40 digits."""
    with localcontext(Context(prec=50)):
        share = Decimal(rho.numerator) / Decimal(rho.denominator)
        surprise = (Decimal(delta.denominator) / Decimal(delta.numerator)).ln()
        low, high = Decimal(0), 1 + (surprise / share).sqrt()
        for _ in range(170):
            above_one = (low + high) / 2
            if share * above_one * above_one + (1 + above_one).ln() < surprise:
                low = above_one
            else:
                high = above_one
        order = 1 + high
        return order * share + (surprise + high * (high / order).ln() - order.ln()) / high


def attack_conversions(attack: Attack) -> None:
    """No ε is below what its ρ implies, no ρ is above what its ε allows, and no manifest forgets the δ of thresholds."""
    for rho in _GRID:
        for delta in (in_parts("1e-12"), in_parts("1e-6"), in_parts("1e-3")):
            attack.tried += 1
            said = f"ρ = {rho} grains at δ = {stated(delta)}"
            _compare(
                attack, "the conversion of ρ", Fraction(rho, GRAINS), Fraction(delta, PARTS), zcdp.epsilon_of(rho, delta), said
            )
            most = zcdp.rho_of(rho, delta)
            if most:
                _compare(attack, "the conversion of ε", Fraction(most, GRAINS), Fraction(delta, PARTS), rho, f"ε of {said}")
        if zcdp.rho_of_pure(rho) < Fraction(rho, GRAINS) ** 2 / 2 * GRAINS:
            attack.violated("a pure release is charged less than ε²/2 of ρ", f"ε = {rho} grains")
        if (
            Fraction(zcdp.choice_for(rho), GRAINS) ** 2 / 8 * GRAINS > rho
            or Fraction(zcdp.pure_for(rho), GRAINS) ** 2 / 2 * GRAINS > rho
        ):
            attack.violated("a pure mechanism gets more ε than its ρ pays for", f"ρ = {rho} grains")
    for listed, epsilon in points(_GRID[18], THRESHOLD).items():
        left = Fraction(in_parts(listed) - THRESHOLD, PARTS)
        if left > 0:
            _compare(attack, "the curve of a manifest", Fraction(_GRID[18], GRAINS), left, _grains(epsilon), f"δ = {listed}")
        else:
            attack.violated("the curve of a manifest lists a δ that thresholds have used up", f"δ = {listed}")
    attack.summary = f"{attack.tried} values of ρ and δ: never in favour of the data holder."


@dataclass(slots=True)
class _Added:
    """What an account was really charged."""

    rho: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)


def attack_accounts(attack: Attack, sequences: int) -> None:
    """Whatever is asked for in whatever order, what an account grants keeps its cap, and what it says it has spent is no less."""
    for number in range(sequences):
        with tempfile.TemporaryDirectory() as home:
            ledger, chance = Ledger(home), random.Random(number)
            ledger.set_cap(ACCOUNT, CAP, CAP_DELTA)
            truth = _Added()
            for wanted in _orders(chance):
                _grant(ledger, wanted, truth, attack)
    attack.summary = f"{attack.tried} runs in {sequences} orders: no cap was exceeded."


def _orders(chance: random.Random) -> list[Guarantee]:
    """Gaussian runs with and without thresholds, pure runs, and the smallest again and again until nothing is left."""
    gaussian = [Guarantee(chance.randrange(GRAINS // 10, GRAINS), CAP_DELTA, chance.choice([0, THRESHOLD])) for _ in range(5)]
    pure = [Guarantee(chance.randrange(GRAINS // 10, GRAINS // 2)) for _ in range(3)]
    mixed = [*gaussian, *pure]
    chance.shuffle(mixed)
    return [*mixed, *[Guarantee(GRAINS, CAP_DELTA, THRESHOLD)] * 8, *[Guarantee(GRAINS // 2)] * 4]


def _grant(ledger: Ledger, wanted: Guarantee, truth: _Added, attack: Attack) -> None:
    attack.tried += 1
    try:
        spend = ledger.reserve(
            ACCOUNT, wanted.epsilon, unit=Record(), mechanism="m", delta=wanted.delta, thresholds=wanted.thresholds
        )
    except (BudgetRefused, CallError):
        return
    spend.begin()
    spend.commit(spend.id, "digest")
    truth.delta += Fraction(wanted.thresholds, PARTS)
    truth.rho += Fraction(wanted.amount, GRAINS) if wanted.delta else Fraction(wanted.epsilon, GRAINS) ** 2 / 2
    account = ledger.account(ACCOUNT)
    left, said = Fraction(CAP_DELTA, PARTS) - truth.delta, account.epsilon(account.total, CAP_DELTA)
    if left <= 0:
        attack.violated("an account grants thresholds more δ than its cap has", str(wanted))
        return
    _compare(attack, "a cap", truth.rho, left, CAP, str(wanted))
    if said is not None:
        _compare(attack, "what an account says it has spent", truth.rho, left, said, str(wanted))


def _compare(attack: Attack, what: str, rho: Fraction, delta: Fraction, epsilon: int, witness: str) -> None:
    """A violation where ε is below what ρ implies."""
    true = least(rho, delta)
    if Decimal(epsilon) / GRAINS < true:
        attack.violated(f"{what} states less ε than its ρ implies", f"{witness}: {Decimal(epsilon) / GRAINS} < {true:.18f}")


def _grains(epsilon: str) -> int:
    return int(Fraction(epsilon) * GRAINS)
