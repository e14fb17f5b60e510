"""Running a mechanism against a table: the wall is opened, the mechanism asks, the release is sealed with the facts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from seqveil.facts import Facts, Holder
from seqveil.signature.ed25519 import Signer
from seqveil.tables.units import Unit
from seqveil.wall.budget import decimal
from seqveil.wall.clip import bounded
from seqveil.wall.measures.curve import curve
from seqveil.wall.measures.measure import Measure
from seqveil.wall.mechanism import Mechanism, Sealed, guaranteed
from seqveil.wall.noise import Noise
from seqveil.wall.wall import Wall

R = TypeVar("R", bound=Sealed)


def open_wall(
    table: Any,
    unit: Unit,
    amount: int,
    noise: Noise,
    on_stage: Callable[[str], None] = lambda name: None,
    measure: Measure = "pure",
    thresholds: int = 0,
) -> Wall:
    """A wall before a table whose units own no more than the unit allows; the amount is in grains of the measure.

    `thresholds` is the part of δ that a discovery of labels may spend.
    """
    return Wall(bounded(table, unit, noise), unit, amount, noise, on_stage, measure, thresholds)


def perform(
    mechanism: Mechanism[R],
    table: Any,
    unit: Unit,
    epsilon: int,
    noise: Noise,
    on_stage: Callable[[str], None] = lambda name: None,
    holder: Holder | None = None,
    signer: Signer | None = None,
    delta: int = 0,
) -> R:
    """Run a mechanism and seal its release. Charges no ledger: that is the lifecycle's business.

    `signer` is who will sign it; what noise from a seed made is never signed.
    """
    signer = signer if noise.private else None
    guarantee = guaranteed(mechanism, epsilon, delta)
    wall = open_wall(table, unit, guarantee.amount, noise, on_stage, guarantee.measure, guarantee.thresholds)
    release = mechanism.run(wall)
    wall.close()
    release.seal(
        Facts.of(
            mechanism,
            epsilon=decimal(epsilon),
            unit=unit,
            domain=wall.domain,
            noise=noise.kind,
            private=noise.private,
            unused=decimal(guarantee.amount - wall.used),
            stages=wall.bill,
            holder=holder,
            signer=None if signer is None else signer.public,
            zcdp=curve(guarantee),
        )
    )
    if signer is not None:
        release.sign_with(signer)
    return release
