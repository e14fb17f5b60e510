"""The rehearsal of a release: the code of the real run, on a small simulated table."""

from __future__ import annotations

from typing import Any

from seqveil.errors import SeqveilError
from seqveil.signature.ed25519 import throwaway
from seqveil.tables.domain import Domain
from seqveil.tables.units import Unit
from seqveil.wall.budget import GRAINS
from seqveil.wall.clip import ClipFailed
from seqveil.wall.fit import refuse_no_users
from seqveil.wall.input import Input
from seqveil.wall.mechanism import Mechanism, precheck
from seqveil.wall.noise import SecureNoise
from seqveil.wall.run import perform
from seqveil.wall.smallworld import first_labels, small_world

_EPSILON = 1000 * GRAINS
"""Little noise, so that the small table is not lost in it and every step of a mechanism has something to do."""


def rehearse(mechanism: Mechanism[Any], input: Input, unit: Unit, delta: int = 0) -> Any:
    """The release of a small world: over a few labels, or over all where the mechanism's parameters refer to them.

    The input's specimen goes through its reader first. None where the kind has no small world, or the mechanism's plan refuses
    a world this small, which says nothing about the real table. A run that refuses, after its plan did not, is a defect of the
    mechanism (or of an engine, see wall/clip.py): it would refuse the real table as well, and then its ε would be spent.
    """
    specimen = input.specimen()
    refuse_no_users(specimen, unit)
    few = first_labels(input.domain)
    for labels in [few] if few is input.domain else [few, input.domain]:
        if (world := small_world(specimen, labels)) is None:
            return None
        if not _planned(mechanism, labels, unit, world.kind, delta):
            continue
        try:
            # A key that is kept nowhere: nobody may take what is made of simulated data for a release of ours.
            return perform(mechanism, world, unit, _EPSILON, SecureNoise(), signer=throwaway(), delta=delta)
        except SeqveilError as error:
            if labels is input.domain or isinstance(error, ClipFailed):
                raise
    return None


def _planned(mechanism: Mechanism[Any], labels: Domain, unit: Unit, kind: str, delta: int) -> bool:
    """Whether the mechanism takes a world over these labels: a parameter about others is refused by its plan, never by `run`."""
    try:
        precheck(mechanism, _EPSILON, labels, unit, kind, delta)
    except SeqveilError:
        return False
    return True
