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
from seqveil.wall.wall import Wall

MOST_SCALE = 10**9
"""Above this the noise of even the cheapest question hides any data, and thresholds that follow from it leave 53 bits."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run would spend, on what, and what to expect of it. Made from public parameters alone.

    Stages are (name, grains, what it buys); predictions and warnings are sentences for people. `heavy` says that the work grows
    exponentially with the length of records, so that long ones are not simulated in passing.
    """

    stages: list[tuple[str, int, str]]
    predictions: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    heavy: bool = False


def precheck(mechanism: Any, epsilon: int, domain: Domain, unit: Unit, kind: str) -> Plan:
    """Let a mechanism refuse, by a CallError, what cannot go well: before anything is reserved, read or spent.

    Its `plan` may refuse, and so may a method `precheck(epsilon, domain, unit)` where it has one; both see nothing but what is
    public. What cannot go well must not be left to `run`: by then ε is spent. `kind` is that of the table: a mechanism for
    another kind of data, or one that cannot protect the unit, is refused first.
    """
    refuse_misfit(mechanism, kind, unit)
    if unit.sequences * GRAINS > MOST_SCALE * epsilon:
        raise CallError(
            f"{parameter('epsilon', decimal(epsilon))} for {unit!r}: noise of a scale above {MOST_SCALE:,} would hide any data. "
            "Give a larger epsilon, or a smaller contribution bound."
        )
    check = getattr(mechanism, "precheck", None)
    if check is not None:
        check(epsilon, domain, unit)
    plan: Plan = mechanism.plan(epsilon, domain, unit)
    return plan


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

    `kind` names the kind of data that it works on, `units` the units of privacy that it can protect.
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
