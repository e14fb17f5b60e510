"""What a mechanism is: public parameters, a plan before any data is read, and a run that holds nothing but a Wall."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, TypeVar

from seqveil.errors import CallError
from seqveil.facts import Facts
from seqveil.signature.ed25519 import Signer
from seqveil.surface import parameter
from seqveil.tables.domain import Domain
from seqveil.tables.units import Unit
from seqveil.wall.budget import GRAINS, decimal
from seqveil.wall.fit import refuse_misfit
from seqveil.wall.measures.delta import stated
from seqveil.wall.measures.guarantee import Guarantee
from seqveil.wall.measures.measure import Measure
from seqveil.wall.wall import Wall

MOST_SCALE = 10**9
"""Above this the noise of even the cheapest question hides any data, and thresholds that follow from it leave 53 bits."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run would spend, on what, and what to expect of it. Made from public parameters alone.

    Stages are (name, grains of the measure, what it buys); predictions and warnings are sentences for people. `heavy` says that
    the work grows exponentially with the length of records, so that long ones are not simulated in passing.
    """

    stages: list[tuple[str, int, str]]
    predictions: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    heavy: bool = False


def measures(mechanism: Any) -> tuple[Measure, ...]:
    """In which measures a mechanism, or its class, can be charged."""
    return getattr(mechanism, "measures", ("pure",))


def guaranteed(mechanism: Any, epsilon: int, delta: int) -> Guarantee:
    """What a run of a mechanism promises. One that spends a part of δ on thresholds states it: `thresholds(delta)`."""
    thresholds = getattr(mechanism, "thresholds", None)
    return Guarantee(epsilon, delta, 0 if thresholds is None or not delta else thresholds(delta))


def planned(mechanism: Any, guarantee: Guarantee, domain: Domain, unit: Unit, *records: int | None) -> Plan:
    """The plan of a mechanism for an amount in the measure of the run; only those that know zCDP are told the measure."""
    measure = {"measure": guarantee.measure} if "zcdp" in measures(mechanism) else {}
    plan: Plan = mechanism.plan(guarantee.amount, domain, unit, *records, **measure)
    return plan


def precheck(mechanism: Any, epsilon: int, domain: Domain, unit: Unit, kind: str, delta: int = 0) -> Plan:
    """Let a mechanism refuse, by a CallError, what cannot go well: before anything is reserved, read or spent.

    Its `plan` may refuse, and so may a method `precheck(epsilon, domain, unit)` where it has one; both see nothing but what is
    public. What cannot go well must not be left to `run`: by then ε is spent. `kind` is that of the table: a mechanism for
    another kind of data, or one that cannot protect the unit, is refused first. With δ the run is charged in zCDP, and a
    mechanism that does not know it is refused.
    """
    refuse_misfit(mechanism, kind, unit)
    if delta and "zcdp" not in measures(mechanism):
        raise CallError(
            f"{parameter('delta', stated(delta))}: method {mechanism.name!r} knows pure ε only: leave it out, or use a method "
            "whose entry in `seqveil methods NAME` says that it takes δ."
        )
    guarantee = guaranteed(mechanism, epsilon, delta)
    if _hopeless(guarantee, unit):
        raise CallError(
            f"{parameter('epsilon', decimal(epsilon))} for {unit!r}: noise of a scale above {MOST_SCALE:,} would hide any data. "
            "Give a larger epsilon, or a smaller contribution bound."
        )
    check = getattr(mechanism, "precheck", None)
    if check is not None:
        check(guarantee.amount, domain, unit, **({"measure": guarantee.measure} if delta else {}))
    return planned(mechanism, guarantee, domain, unit)


def _hopeless(guarantee: Guarantee, unit: Unit) -> bool:
    """Whether even the cheapest question would get noise above `MOST_SCALE`: of scale m/ε, or with σ = m/√(2ρ)."""
    if guarantee.measure == "pure":
        return unit.sequences * GRAINS > MOST_SCALE * guarantee.amount
    return unit.sequences**2 * GRAINS > 2 * MOST_SCALE**2 * guarantee.amount


class Sealed(Protocol):
    """What a run hands back; a Release, as far as the wall is concerned."""

    def seal(self, facts: Facts) -> None:
        """Attach the facts of the run."""
        ...

    def sign_with(self, signer: Signer) -> None:
        """Sign its manifest with this key when it is rendered; the facts of the run name the same key."""
        ...


R_co = TypeVar("R_co", bound=Sealed, covariant=True)


class Mechanism(Protocol[R_co]):
    """A frozen dataclass of public parameters, whose runs give a release of type R.

    `kind` names the kind of data that it works on, `units` the units of privacy that it can protect. One that can be charged in
    zCDP, too, states `measures = ("pure", "zcdp")`, and takes a keyword `measure` in `plan` (and in `precheck`, if it has one):
    amounts are then grains of ρ.
    """

    kind: ClassVar[str]
    units: ClassVar[tuple[type[Unit], ...]]

    version: ClassVar[str]
    paper: ClassVar[str]

    @property
    def name(self) -> str:
        """The name of the method, as in `--method`."""
        ...

    def parameters(self) -> dict[str, Any]:
        """The public parameters, ready for a manifest."""
        ...

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None) -> Plan:
        """What `run` would spend; `records` is a rough public number of records (not of units), for predictions only."""
        ...

    def run(self, wall: Wall) -> R_co:
        """Ask the wall, and turn its noisy answers into a release."""
        ...
