"""Attack by replay: every pair of neighbours, heard with luck of every temper, in both directions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from seqveil.audit.account import overspent
from seqveil.audit.adversary import TEMPERS, Adversary, Temper
from seqveil.audit.budget import Effort
from seqveil.audit.findings import Attack
from seqveil.audit.replay import SLACK, excess, record, replay
from seqveil.audit.subjects import Subject
from seqveil.kinds.world import Content
from seqveil.wall.noise import Noise, SecureNoise


@dataclass
class Pairing:
    """One subject under attack; `attack` collects what every replay of it shows."""

    subject: Subject
    attack: Attack
    questions: dict[str, Any] = field(default_factory=dict)  # every question seen, by its public parameters

    def hold(self, base: list[Content], content: Content, noise: Noise, arrives: bool, joins: int = 0) -> float:
        """Record on one side, replay on the other; returns the loss as a multiple of ε."""
        s = self.subject
        without, having = s.world.table(base, s.unit), s.world.table([*base, content], s.unit)
        here, there = (without, having) if arrives else (having, without)
        tape, heard = record(s.mechanism, here, s.unit, s.epsilon, noise, s.delta)
        outcome = replay(tape, heard, s.mechanism, there, s.unit, s.epsilon, joins=joins, leaves=len(base), delta=s.delta)
        self.attack.tried += 1
        witness = f"{s}; {len(base)} units {'and' if arrives else 'less'} {content}, noise {noise.kind}"
        for ask in tape.asks:
            if ask.method in ("ask", "ask_above", "choose", "first_above", "ask_ladder", "tree") and ask.question is not None:
                self.questions.setdefault(f"{ask.method} {ask.question!r}", (ask.method, ask.question))
        if heard.error is not None:
            self.attack.violated(f"the run fails: {heard.error}", witness)
        for problem in [*tape.faults, *overspent(tape)]:
            self.attack.violated(problem, witness)
        for difference in outcome.differences:
            self.attack.violated(f"a neighbour can be distinguished by {difference}", witness)
        if outcome.differences:
            return 0.0
        for name in outcome.unknown:
            self.attack.missed(f"{s.method}: the law of {name!r} is not known here, so its loss was not computed")
        shown = excess(outcome, s.amount)
        self.attack.shown = max(self.attack.shown or 0.0, shown)
        if outcome.dearest > 1 + SLACK:
            self.attack.violated(f"one question shows {outcome.dearest:.4g} times what it was paid with", witness)
        if shown > 1 + SLACK:
            self.attack.violated(f"exact loss {shown:.4g} times the {s.stated}", witness)
        return shown


def _tempers(seeds: int, first: int) -> Iterator[Noise]:
    for temper in TEMPERS:
        yield from (Adversary(temper, first + seed) for seed in range(seeds if temper == "mixed" else 1))


def worst_neighbours(pairing: Pairing, effort: Effort) -> None:
    """The units that move most, before every base, with luck of every temper and once with real noise."""
    s, number = pairing.subject, 0
    for base in s.world.bases()[: effort.bases]:
        for content in s.world.worst(s.unit):
            for noise in (*_tempers(effort.seeds, number), SecureNoise()):
                for arrives in (True, False):
                    if number % effort.stride == 0:
                        pairing.hold(base, content, noise, arrives, joins=number // effort.stride)
                    number += 1


def every_neighbour(pairing: Pairing, effort: Effort) -> None:
    """All small units, before the empty and a small data set."""
    s = pairing.subject
    for base in s.world.bases()[:2]:
        for number, content in enumerate(_spread(s.world.every(), effort.exhaustive)):
            noise = Adversary("up") if number % 2 else Adversary("mixed", number)
            pairing.hold(base, content, noise, arrives=number % 3 == 0, joins=number)


def _spread(units: Iterable[Content], most: int) -> list[Content]:
    """All of them, or as many as may be, evenly spread."""
    listed = list(islice(units, 100_000))
    return listed if len(listed) <= most else [listed[i * len(listed) // most] for i in range(most)]


def climb(pairing: Pairing, effort: Effort) -> None:
    """Guided search: change the worst unit and the luck a little, keep what costs more privacy."""
    s, random = pairing.subject, np.random.default_rng(1)
    base = s.world.bases()[1]
    best, seed = s.world.worst(s.unit)[0], 0
    most = pairing.hold(base, best, Adversary("mixed", seed), arrives=False)
    for step in range(effort.climbs):
        tried = s.world.changed(best, random) if step % 2 else best
        luck = seed if step % 2 else int(random.integers(2**31))
        temper: Temper = "up" if step % 8 == 1 else "mixed"
        shown = pairing.hold(base, tried, Adversary(temper, luck), arrives=step % 3 == 0, joins=step)
        if shown >= most:
            best, seed, most = tried, luck, shown


def attack_by_replay(pairings: list[Pairing], attack: Attack, effort: Effort) -> None:
    """All of it on the plain form of a method, and on its variants as much as the effort allows."""
    for i, pairing in enumerate(pairings):
        thorough = effort.variants or i == 0
        if thorough:
            worst_neighbours(pairing, effort)
            every_neighbour(pairing, effort)
            climb(pairing, effort)
        else:
            _lightly(pairing, effort.lightly if i == 1 or effort.lightly > 3 else 1)
    shown = attack.shown or 0.0
    attack.summary = (
        f"{attack.tried:,} recorded runs were replayed on a neighbour. They could be distinguished only as far as the noise "
        f"allows: the largest exact loss was {shown:.4f} of what was stated."
        if not attack.broken
        else f"{attack.tried:,} recorded runs were replayed on a neighbour, and some could be distinguished."
    )


def _lightly(pairing: Pairing, most: int) -> None:
    """A variant, in a quick audit: the worst neighbours once each, up and mixed."""
    s = pairing.subject
    for number, content in enumerate(s.world.worst(s.unit)[:most]):
        base = s.world.bases()[number % 3]
        pairing.hold(base, content, Adversary("up"), arrives=False, joins=number)
        pairing.hold(base, content, Adversary("mixed", number), arrives=True, joins=number)
