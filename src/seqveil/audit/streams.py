"""Attack on streams: every short stream against every stream that differs in one event.

A stream's question releases the value of each stretch once, with noise of one scale; so the privacy loss of a whole stream is
the L1 distance between neighbours over that scale, and can be computed for every pair there is. With Gaussian noise what counts
is the squared L2 distance over 2σ², which is ρ. Every method is tried with the noise of its own measures.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.audit.budget import Effort
from seqveil.audit.findings import Attack
from seqveil.audit.replay import SLACK
from seqveil.errors import CallError
from seqveil.kinds.events import VALUES, EventWorld
from seqveil.wall.budget import GRAINS
from seqveil.wall.measures.guarantee import Guarantee
from seqveil.wall.noise import Law, Scale, Sigma
from seqveil.wall.noise.nothing import NoNoise

LONG = 256
"""The length of a stream on which the effect of one event could build up."""


BLOCKS: tuple[dict[str, Any], ...] = (
    {"overlap": 2},
    {"overlap": 2, "every": 2},
    {"overlap": 2, "length": None},
    {"window": 3},
    {"window": 4, "arity": 2},
    {"window": 4, "arity": 3},
    {"overlap": 2, "consecutive": 2},
)
ROOTS: tuple[dict[str, Any], ...] = ({}, {"every": 2}, {"consecutive": 2}, {"every": 3, "consecutive": 4})
"""The same for weighted sums."""

PURE, GAUSSIAN = Guarantee(GRAINS), Guarantee(GRAINS, 10**12)
"""Ways to cut counts and sums into blocks; the first three also for counts per label."""


def stream_methods(length: int, only: str | None = None) -> dict[str, Any]:
    """Every method of every statistic, or only one method, at parameters that fit a short stream."""
    from seqveil.stream.mechanism import TAKES
    from seqveil.wall.continual import Bursts, Count, Counts, Lis, Matches, Sum

    given: dict[str, Any] = {
        "window": 3,
        "checkpoints": 2,
        "buckets": 1 if length < 32 else 4,
        "spacing": "quadratic",
        "between": "root",
    }
    packings = (Matches("1 1"), Matches("0 1 3", edits=1), Matches("0 1"), Bursts(2, 3, ">= 1"))
    asked: list[tuple[Any, str, dict[str, Any]]] = []
    for statistic in (Lis(), Lis(strict=True), Count(">= 1"), Sum("0", "3", "1"), *packings):
        for method, takes in TAKES.items():
            if method not in ("blocks", "sqrt"):
                needed = {name: given[name] for name, must in takes.items() if must}
                everything = {name: given[name] for name in takes}
                asked += [(statistic, method, own) for own in ([needed] if needed == everything else [needed, everything])]
    asked += [(statistic, "blocks", own) for statistic in (Count(">= 1"), Sum("0", "3", "1")) for own in BLOCKS]
    asked += [(packing, "blocks", {**own, "every": 1}) for packing in packings for own in (BLOCKS[0], BLOCKS[2])]
    asked += [(Counts(("0", "1", "3")), "blocks", own) for own in BLOCKS[:3]]
    asked += [
        (statistic, "sqrt", own) for statistic in (Count(">= 1"), Sum("0", "3", "1"), Counts(("0", "1", "3"))) for own in ROOTS
    ]
    asked.append((Lis(), "binary", {"consecutive": 2}))
    chosen = [(statistic, method, {"length": length, **own}) for statistic, method, own in asked if only in (None, method)]
    return {name: stream for one in chosen for name, stream in _releasable(*one)}


def _releasable(statistic: Any, method: str, own: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The method with its name; nothing where it is not for this statistic, or an experiment by its own word."""
    from seqveil.stream.mechanism import StreamMethod

    with suppress(CallError):
        stream = StreamMethod(statistic, method, **own)
        if stream.experimental is None:
            yield " ".join([str(statistic), method, *(f"{k} {v}" for k, v in own.items() if k != "length" or v is None)]), stream


class Exact:
    """The exact values that the wall would put noise on, for one method; short streams are computed once."""

    def __init__(self, method: Any) -> None:
        self._question = method.question
        self.guarantees = guarantees(method)
        self._run = method.unit.sequences
        self.of = cache(self._of)

    def _of(self, events: tuple[float, ...]) -> Any:
        return self._question.kernel().feed(self._question.statistic.numbers(list(events)))

    def moved(self, events: tuple[float, ...], at: int, other: float) -> float:
        """The loss that one replaced event, or run, makes, over what is claimed; ∞ if it shows in the number of values."""
        run = min(self._run, len(events) - at)
        here, there = self.of(events), self.of((*events[:at], *[other] * run, *events[at + run :]))
        if len(here) != len(there):
            return math.inf
        return max(loss(self._question.law(guarantee), here - there) / guarantee.amount for guarantee in self.guarantees)


def guarantees(method: Any) -> list[Guarantee]:
    """What the method can promise: ε, or (ε, δ), or each of them."""
    fitting = []
    for guarantee in (PURE, GAUSSIAN):
        with suppress(CallError):
            method.question.law(guarantee)
            fitting.append(guarantee)
    return fitting


def loss(law: Law, moved: NDArray[np.int64]) -> float:
    """Grains of ε, or of ρ, that values which move so far cost under this noise."""
    if isinstance(law, Sigma):
        return float((moved.astype(float) ** 2).sum() / (2 * law.square) * GRAINS)
    return float(np.abs(moved).sum() / law.value * GRAINS)


def attack_stream(name: str, method: Any, attack: Attack, effort: Effort) -> None:
    """All short streams and all events, then random longer ones."""
    random, world, exact = np.random.default_rng(5), EventWorld(), Exact(method)
    for number, events in enumerate(world.every(4)):
        if effort.variants or number % 8 == 0:
            for at, other in product(range(4), VALUES):
                _hold(name, exact, events, at, other, attack)
    for _ in range(effort.climbs):
        events = tuple(random.choice(np.array([*VALUES, 2.0, 9.0]), 8).tolist())
        _hold(name, exact, events, int(random.integers(8)), float(random.choice(VALUES)), attack)
    _drawn(name, method, attack)


class _Silence(NoNoise):
    """Writes down at which scales noise was drawn."""

    def __init__(self) -> None:
        self.scales: set[Law] = set()

    def laplace(self, scale: Scale, size: int) -> Any:
        self.scales.add(scale)
        return super().laplace(scale, size)

    def gaussian(self, sigma: Sigma, size: int) -> Any:
        self.scales.add(sigma)
        return super().gaussian(sigma, size)


def _drawn(name: str, method: Any, attack: Attack) -> None:
    """What comes out of the raw side is the exact values and noise of the claimed scale, and nothing else."""
    from seqveil.wall.continual.continual import Continual

    events = [0.0, 3.0, 1.0, math.nan, 2.0, 2.0, 9.0, 0.0]
    for guarantee in guarantees(method):
        noise, unit = _Silence(), method.unit
        released = Continual(method.question, guarantee, noise).feed(events)
        attack.tried += 1
        pure = guarantee.measure == "pure"
        claimed = (
            Scale.of(method.question.influence(unit), GRAINS)
            if pure
            else Sigma.of(method.question.square(unit), guarantee.amount)
        )
        if noise.scales != {claimed}:
            attack.violated(f"stream {name}: noise of scale {noise.scales}, where {claimed} was claimed")
        values = np.concatenate([part.noisy for part in released])
        if not np.array_equal(values, Exact(method).of(tuple(events))):
            attack.violated(f"stream {name}: noise was added to something other than exact values")


def _hold(name: str, exact: Exact, events: tuple[float, ...], at: int, other: float, attack: Attack) -> None:
    shown = exact.moved(events, at, other)
    attack.tried += 1
    attack.shown = max(attack.shown or 0.0, shown)
    if shown > 1 + SLACK:
        witness = f"{events[:12]}…, position {at + 1} becomes {other}"
        attack.violated(f"stream {name}: one event moves the answers by {shown:.4g} times what is claimed", witness)


def attack_days(attack: Attack, effort: Effort) -> None:
    """All events of one user on one day are replaced: the answers move by no more than the bound per day allows."""
    from seqveil.stream.mechanism import StreamMethod
    from seqveil.wall.continual import Count
    from seqveil.wall.continual.continual import Continual

    random = np.random.default_rng(6)
    blocks = StreamMethod(Count(">= 1"), "blocks", 8, overlap=2, max_per_day=2)
    roots = StreamMethod(Count(">= 1"), "sqrt", 8, max_per_day=2)
    for turn in range(10 * effort.climbs):
        method, guarantee = (blocks, PURE) if turn % 2 else (roots, GAUSSIAN)
        mine = random.random(8) < 0.6
        owners: list[tuple[object, object]] = [("a", "1") if own else ("a", "2") for own in mine]
        events = random.choice(np.array(VALUES), 8)
        other = np.where(mine, random.choice(np.array(VALUES), 8), events)
        here, there = (
            np.concatenate([part.noisy for part in Continual(method.question, guarantee, NoNoise()).take(values, _same, owners)])
            for values in (events, other)
        )
        attack.tried += 1
        if (shown := loss(method.question.law(guarantee), here - there) / guarantee.amount) > 1 + SLACK:
            witness = f"{events.tolist()} becomes {other.tolist()}"
            attack.violated(f"stream: one user's day moves the answers by {shown:.4g} times what is claimed", witness)


def _same(released: Any) -> Any:
    return released


def attack_streams(attack: Attack, effort: Effort, only: str | None = None) -> None:
    """Every method of every statistic, or only one method."""
    methods = stream_methods(8, only)
    if not methods:
        attack.missed(f"{only} is an experiment: it cannot be released, so there is no guarantee to test")
        return
    for name, method in methods.items():
        attack_stream(name, method, attack, effort)
    for name, method in stream_methods(LONG, only).items():
        exact = Exact(method)
        for at, other in ((1, 1.0), (1, 99.0), (0, 1e6), (LONG - 1, -5.0), (LONG // 2, math.nan)):
            _hold(name, exact, EventWorld().drifting(LONG, -1.0), at, other, attack)
    if only in (None, "blocks", "sqrt"):
        attack_days(attack, effort)
    attack.summary = (
        f"{len(methods)} methods, {attack.tried:,} pairs of streams that differ in one event: the largest exact loss was "
        f"{attack.shown or 0.0:.4f} of the stated ε."
    )
