"""What is audited: every registered method, at parameters small enough to attack thoroughly.

Parameters come from the method's own declaration. Sizes are made small, and every choice it offers (a word, yes or no) is
audited once. So a method that joins the registry joins the audit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args, get_origin

from seqveil import registry
from seqveil.audit.probe import Probe, Spread
from seqveil.errors import CallError
from seqveil.kinds import KINDS
from seqveil.kinds.world import World
from seqveil.tables.units import Unit
from seqveil.wall.budget import GRAINS
from seqveil.wall.mechanism import guaranteed, measures, precheck

SMALL: dict[str, Any] = {
    "l_max": 4,
    "n_max": 3,
    "h": 3,
    "top": 4,
    "l_most": 6,
    "shortest": 1,
    "longest": 2,
    "q": 1,
    "fan_out": 2,
    "levels": 2,
    "deviations": 2.0,
    "few": 0,  # the worlds have few labels, and all that is asked about many would not be audited
}
"""Sizes by the names that mechanisms here use; a method without such a parameter keeps its own default."""

SHALLOW: dict[str, Any] = {"n_max": 1, "h": 1, "longest": 1, "l_max": 3, "deviations": 0.5}

ALSO: list[dict[str, Any]] = [
    {"top": None, "support": 0.25},
    {"top": None, "support": 0.25, "variant": "pfs2"},
    {"clip": 1},
    {"l_prime": 3},
    {"count": "documents"},
    {"theta": 2.0},
    {"splitting": 0.0},
    {"height": 2},
    {"few": 18},
    {"of": "od,label"},
    {"cut": "window", "l_max": 2},  # so short that records of others are cut, too
]
"""Combinations of parameters worth a variant of their own, where a method has them."""


DELTA = 10**12
"""δ = 10⁻⁶, in parts: what is audited in zCDP."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A mechanism before simulated data of its kind, protecting one unit with ε grains; with δ it is charged in zCDP."""

    method: str
    variant: str
    mechanism: Any
    world: World
    unit: Unit
    epsilon: int
    delta: int = 0

    @property
    def amount(self) -> int:
        """What it may spend, in grains of its measure."""
        return guaranteed(self.mechanism, self.epsilon, self.delta).amount

    @property
    def stated(self) -> str:
        """What a loss is compared with."""
        return "stated ρ" if self.delta else "stated ε"

    def __str__(self) -> str:
        varied = f" with {self.variant}" if self.variant else ""
        return f"{self.method}{varied}, {self.unit.name} {self.unit.sequences}"


def subjects(name: str, epsilon: int = GRAINS) -> list[Subject]:
    """Every variant of a method under every unit that it takes; the plain one first."""
    chosen = registry.method(name)
    world = _world(chosen)
    if world is None:
        return []
    allowed = registry.parameters(chosen)
    plain = {key: value for key, value in SMALL.items() if key in allowed}
    forms: list[Subject] = []
    for varied in _variants(allowed):
        for unit in world.units():
            mechanism = _mechanism(name, {**plain, **varied})
            if mechanism is None or not _fits(mechanism, epsilon, world, unit):
                continue
            words = ", ".join(f"{key} = {value}" for key, value in varied.items())
            forms.append(Subject(name, words, mechanism, world, unit, epsilon))
    return forms + with_delta(forms)


def with_delta(forms: list[Subject]) -> list[Subject]:
    """The same charged in zCDP, as far as their methods know it."""
    return [
        replace(one, variant=f"{one.variant}, δ".removeprefix(", "), delta=DELTA)
        for one in forms
        if "zcdp" in measures(one.mechanism) and _fits(one.mechanism, one.epsilon, one.world, one.unit, DELTA)
    ]


def probes(epsilon: int = GRAINS) -> list[Subject]:
    """A mechanism that asks everything, charged in zCDP; what every method shares is audited on it."""
    world: Any = Spread(KINDS["sequences"].small_world())
    forms = [Subject("wall", f"cap = {cap}", Probe(cap=cap), world, unit, epsilon) for cap in (1, None) for unit in world.units()]
    return with_delta(forms)


def shallow(name: str, epsilon: int = GRAINS) -> Subject | None:
    """The method with all of ε on as few questions as it can do with: where one unit shows most."""
    chosen = registry.method(name)
    allowed = registry.parameters(chosen)
    world = _world(chosen)
    if world is None or not SHALLOW.keys() & allowed.keys():
        return None
    unit = world.units()[0]
    small = {key: value for key, value in {**SMALL, **SHALLOW}.items() if key in allowed}
    mechanism = _mechanism(name, small)
    if mechanism is None or not _fits(mechanism, epsilon, world, unit):
        return None
    return Subject(name, "as few levels as can be", mechanism, world, unit, epsilon)


def _world(method: registry.Method) -> World | None:
    """Made-up tables for a method; None for a stream, which has no table, and for a kind that only a plug-in knows."""
    if method.verb == "stream" or method.kind not in KINDS:
        return None
    world: World = KINDS[method.kind].small_world()
    return world


def _variants(allowed: dict[str, registry.Parameter]) -> list[dict[str, Any]]:
    """One value changed at a time: every word of a choice, yes and no, and the combinations above."""
    varied: list[dict[str, Any]] = [{}]
    for name, one in allowed.items():
        words = [w for option in (one.type, *get_args(one.type)) if get_origin(option) is Literal for w in get_args(option)]
        if one.type is bool:
            words = [True, False]
        varied += [{name: word} for word in words if word != one.default]
    varied += [extra for extra in ALSO if extra.keys() <= allowed.keys()]
    return varied


def _mechanism(name: str, parameters: dict[str, Any]) -> Any:
    try:
        return registry.make(name, parameters)
    except CallError:
        return None


def _fits(mechanism: Any, epsilon: int, world: World, unit: Unit, delta: int = 0) -> bool:
    """Whether the mechanism itself would take this order; what it refuses from public facts needs no audit."""
    try:
        precheck(mechanism, epsilon, world.domain, unit, mechanism.kind, delta)
    except CallError:
        return False
    return True
