"""The rehearsal of a release: the code of the real run, on a small simulated table."""

from __future__ import annotations

from typing import Any

from seqveil.errors import SeqveilError
from seqveil.tables.domain import Domain
from seqveil.tables.units import Unit
from seqveil.wall.budget import GRAINS
from seqveil.wall.fit import refuse_no_users
from seqveil.wall.input import Input
from seqveil.wall.mechanism import Mechanism, precheck
from seqveil.wall.noise import SecureNoise
from seqveil.wall.run import perform
from seqveil.wall.smallworld import first_labels, small_world

_EPSILON = 1000 * GRAINS
"""Little noise, so that the small table is not lost in it and every step of a mechanism has something to do."""


def rehearse(mechanism: Mechanism[Any], input: Input, unit: Unit) -> Any:
    """The release of a small world: over a few labels, or over all where the mechanism's parameters refer to them.

    The input's specimen goes through its reader first. None where the kind has no small world, or the mechanism refuses a
    world this small, which says nothing about the real table.
    """
    specimen = input.specimen()
    refuse_no_users(specimen, unit)
    few = first_labels(input.domain)
    for labels in [few] if few is input.domain else [few, input.domain]:
        if (world := small_world(specimen, labels)) is None:
            return None
        if (release := _rehearsed(mechanism, world, labels, unit)) is not None:
            return release
    return None


def _rehearsed(mechanism: Mechanism[Any], world: Any, labels: Domain, unit: Unit) -> Any:
    try:
        precheck(mechanism, _EPSILON, labels, unit, world.kind)  # a parameter about other labels is refused here, never by `run`
        return perform(mechanism, world, unit, _EPSILON, SecureNoise())
    except SeqveilError:
        return None
