"""The discovery of labels, attacked exactly: chosen noise shows every weight, and what one unit adds is compared with the price.

A discovery is δ-approximate ρ-zCDP if, whoever joins, (1) the weights of labels that others have, too, move by at most √(2ρ)·σ in
L2, and (2) a label of its own passes with a probability of at most δ, over all of them together. Both are computed here from what
a run lets out, without a look at how it was made: noise so loud that every label passes shows all weights, and noise that is
chosen to end just at, and just below, the threshold that the release states shows whether that one is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.audit.budget import Effort
from seqveil.audit.findings import Attack
from seqveil.audit.subjects import DELTA
from seqveil.publish.discover import Discover
from seqveil.tables.units import Record, Unit, User
from seqveil.tables.unlisted import labels_of
from seqveil.wall.budget import GRAINS
from seqveil.wall.measures.delta import PARTS
from seqveil.wall.measures.guarantee import Guarantee
from seqveil.wall.measures.zcdp import rho_of
from seqveil.wall.noise import SeededNoise, Sigma
from seqveil.wall.noise.theta import odds_beyond
from seqveil.wall.run import perform

LOUD = 1 << 50
"""Noise above any threshold."""

Person = tuple[str, ...]
"""The records of one unit, each a word of labels."""

_COMMON: tuple[Person, ...] = (("abcdef",), ("abc", "cde"), ("fab",), ("bd",), ("a",), ("efc",))
_OWN: tuple[Person, ...] = (("z",), ("zy",), ("zyx", "wvz"), ("abz",), ("abcdef",), ("uvwxyz",), ("ab", "cd", "zz"), ("aaaa",))


@dataclass
class Chosen(SeededNoise):
    """Gaussian noise of one chosen value; lots are drawn from a seed, so that two runs draw the same."""

    value: int
    sigmas: list[Sigma] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(1)

    def gaussian(self, sigma: Sigma, size: int) -> NDArray[np.int64]:
        self.sigmas.append(sigma)
        return np.full(size, self.value, np.int64)


@dataclass(frozen=True, slots=True)
class Seen:
    """What a run let out: the value of every label that passed, the threshold that it states, and the noise that it drew."""

    values: dict[str, int]
    threshold: int
    sigma: Sigma


def seen(people: Sequence[Person], unit: Unit, most: int, value: int, epsilon: int) -> Seen:
    """A run of the real mechanism before these people, under one value of noise."""
    noise = Chosen(value)
    records = [list(word) for person in people for word in person]
    owners = [f"person {i}" for i, person in enumerate(people) for _ in person]
    table = labels_of(records, owners if isinstance(unit, User) else None)
    release: Any = perform(Discover(most), table, unit, epsilon, noise, delta=DELTA)
    labels = release.domain.labels(range(len(release)))
    return Seen(dict(zip(labels, (release.noisy - value).tolist(), strict=True)), release.threshold, noise.sigmas[0])


def chance(labels: Sequence[int], threshold: int, sigma: Sigma) -> Fraction:
    """The probability that any of some labels passes, by their weights: exact to 60 digits.

    >>> float(chance([0], 1, Sigma(1.0))) + float(chance([0], 0, Sigma(1.0)))
    1.0
    """
    missed = Fraction(1)
    for weight in labels:
        missed *= 1 - _odds(sigma, threshold - weight)
    return 1 - missed


def _odds(sigma: Sigma, beyond: int) -> Fraction:
    if beyond < 1:
        return 1 - _odds(sigma, 1 - beyond)
    with localcontext() as context:
        context.prec = 80
        return Fraction(Decimal(odds_beyond(sigma.exact, beyond, 40)[0]))


def attack_discovery(attack: Attack, effort: Effort) -> None:
    """Every unit that joins some others: what it moves, what it shows of itself, and whether the threshold is kept."""
    for epsilon in (GRAINS // 5, GRAINS):
        for unit in (User(max_sequences=1), Record()):
            for most in (1, 2, 3, 100)[: 4 if effort.variants or effort.exhaustive > 10 else 3]:
                _attack(attack, unit, most, epsilon)
    attack.summary = f"{attack.tried} units that join others: what they move, and whether labels of their own pass, exactly."


def _attack(attack: Attack, unit: Unit, most: int, epsilon: int) -> None:
    guarantee = Guarantee(epsilon, DELTA, Discover(most).thresholds(DELTA))
    rho, left = guarantee.amount, guarantee.thresholds
    if rho > rho_of(epsilon, DELTA - left):
        attack.violated("ρ and the δ of thresholds together imply more than was stated")
    for person in _single(_OWN, unit):
        for base in (_COMMON, ()):
            attack.tried += 1
            here, there = (seen(some, unit, most, LOUD, epsilon) for some in (base, (*base, person)))
            own = [weight for label, weight in there.values.items() if label not in here.values]
            moved = sum((weight - here.values[label]) ** 2 for label, weight in there.values.items() if label in here.values)
            witness = f"{person} joins {len(base)} others, most = {most}, {unit.name}"
            price = Fraction(moved, 1) / (2 * there.sigma.exact)
            attack.shown = max(attack.shown or 0.0, float(price * GRAINS / rho))
            if price * GRAINS > rho:
                attack.violated(f"exact loss: {float(price * GRAINS / rho):.4g} times what it was charged in ρ", witness)
            if (shown := chance(own, there.threshold, there.sigma)) * PARTS > left:
                text = f"labels of one unit alone pass with probability {float(shown):.4g}: above the δ of thresholds"
                attack.violated(text, witness)
            if here.values.keys() - there.values.keys():
                attack.violated("labels disappear when somebody joins", witness)
            for weight in set(own):
                at, below = (seen((person,), unit, most, there.threshold - weight - less, epsilon) for less in (0, 1))
                if not at.values or below.values:
                    attack.violated("the threshold that is kept is not the one that is stated", witness)


def _single(people: Sequence[Person], unit: Unit) -> Iterator[Person]:
    """People as units: a record has one word."""
    for person in people:
        yield from [person] if isinstance(unit, User) else [(word,) for word in person]
