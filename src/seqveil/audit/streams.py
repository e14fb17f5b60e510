"""Attack on streams: every short stream against every stream that differs in one event.

A stream's question tells the exact value of each stretch once, with noise of one scale; so the loss of a whole stream is
the L1 distance between neighbours over that scale, and can be computed for every pair there is.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np

from seqveil.audit.budget import Effort
from seqveil.audit.findings import Attack
from seqveil.audit.replay import SLACK
from seqveil.errors import CallError
from seqveil.tables.units import Event
from seqveil.wall.budget import GRAINS
from seqveil.wall.noise import Scale
from seqveil.wall.noise.nothing import NoNoise

EVENTS = (math.nan, 0.0, 1.0, 3.0)
"""What an event may be in the exhaustive search; the first is a null event."""


LONG = 256
"""The length of a stream on which the effect of one event could build up."""


def stream_methods(length: int) -> dict[str, Any]:
    """Every method of every statistic at parameters that fit a short stream."""
    from seqveil.stream.mechanism import TAKES, StreamMethod
    from seqveil.wall.continual import Count, Lis, Sum

    sizes = {"window": 3, "checkpoints": 2, "buckets": 1 if length < 32 else 4}
    found: dict[str, Any] = {}
    for statistic in (Lis(), Lis(strict=True), Count(">= 1"), Sum("0", "3", "1")):
        for method, takes in TAKES.items():
            wanted: list[dict[str, int]] = [{}] if not all(takes.values()) or not takes else []
            if takes:
                wanted.append({name: sizes[name] for name in takes})
            for own in wanted:
                try:
                    made = StreamMethod(statistic, method, length, **own)
                except CallError:  # not for this statistic
                    continue
                if made.experimental is not None:
                    continue  # an experiment by its own word: it cannot be released
                words = " ".join([statistic.name, method, *(f"{k} {v}" for k, v in own.items())])
                found[words + (" strict" if getattr(statistic, "strict", False) else "")] = made
    return found


def exact_values(method: Any, events: Any) -> Any:
    """The exact values that the wall would put noise on."""
    question = method.question
    return question.kernel().feed(np.asarray(events, np.float64))


def moved(method: Any, events: tuple[float, ...], at: int, other: float) -> float:
    """The L1 distance that one replaced event makes, over what the question claims; ∞ if it shows in the number of values."""
    there = (*events[:at], other, *events[at + 1 :])
    here_values = exact_values(method, method.question.statistic.numbers(list(events)))
    there_values = exact_values(method, method.question.statistic.numbers(list(there)))
    if len(here_values) != len(there_values):
        return math.inf
    return float(np.abs(here_values - there_values).sum()) / float(method.question.influence(Event()))


def attack_stream(name: str, method: Any, attack: Attack, effort: Effort) -> None:
    """All short streams and all events, then random longer ones."""
    random = np.random.default_rng(5)
    for number, events in enumerate(product(EVENTS, repeat=4)):
        if effort.variants or number % 8 == 0:
            for at, other in product(range(4), EVENTS):
                _hold(name, method, events, at, other, attack)
    for _ in range(effort.climbs):
        events = tuple(random.choice(np.array([*EVENTS, 2.0, 9.0]), method.length).tolist())
        _hold(name, method, events, int(random.integers(method.length)), float(random.choice(EVENTS)), attack)
    _drawn(name, method, attack)


class _Silence(NoNoise):
    """Writes down at which scales noise was drawn."""

    def __init__(self) -> None:
        self.scales: set[float] = set()

    def laplace(self, scale: Scale, size: int) -> Any:
        self.scales.add(scale.value)
        return super().laplace(scale, size)


def _drawn(name: str, method: Any, attack: Attack) -> None:
    """What comes out of the raw side is the exact values and noise of the claimed scale, and nothing else."""
    from seqveil.wall.continual.continual import Continual

    noise, events = _Silence(), [0.0, 3.0, 1.0, math.nan, 2.0, 2.0, 9.0, 0.0]
    told = Continual(method.question, GRAINS, noise).feed(events)
    attack.tried += 1
    claimed = Scale.of(method.question.influence(Event()), GRAINS).value
    if noise.scales != {claimed}:
        attack.violated(f"stream {name}: noise of scale {sorted(noise.scales)}, where {claimed:g} was promised")
    values = np.concatenate([part.noisy for part in told])
    if not np.array_equal(values, exact_values(method, method.question.statistic.numbers(events))):
        attack.violated(f"stream {name}: something else than exact values got noise")


def _hold(name: str, method: Any, events: tuple[float, ...], at: int, other: float, attack: Attack) -> None:
    shown = moved(method, events, at, other)
    attack.tried += 1
    attack.shown = max(attack.shown or 0.0, shown)
    if shown > 1 + SLACK:
        witness = f"{events[:12]}…, position {at + 1} becomes {other}"
        attack.violated(f"stream {name}: one event moves the answers by {shown:.4g} times what is claimed", witness)


def drifting(length: int, second: float) -> tuple[float, ...]:
    """0, one event, then pairs (z + 1, z − ½) for ever: what the one event did never leaves a hierarchy of layers."""
    events = [0.0, second]
    while len(events) < length:
        z = len(events) // 2
        events += [z + 1.0, z - 0.5]
    return tuple(events[:length])


def attack_streams(attack: Attack, effort: Effort) -> None:
    """Every method of every statistic."""
    methods = stream_methods(8)
    for name, method in methods.items():
        attack_stream(name, method, attack, effort)
    for name, method in stream_methods(LONG).items():
        for at, other in ((1, 1.0), (1, 99.0), (0, 1e6), (LONG - 1, -5.0), (LONG // 2, math.nan)):
            _hold(name, method, drifting(LONG, -1.0), at, other, attack)
    attack.summary = (
        f"{len(methods)} methods, {attack.tried:,} pairs of streams that differ in one event: the largest exact loss was "
        f"{attack.shown or 0.0:.4f} of the stated ε."
    )
