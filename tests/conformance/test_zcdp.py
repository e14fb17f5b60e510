"""What every method that can be charged in zCDP must do, and what all others say when they are asked to.

A method joins by stating `measures`. The probe, which asks everything that a wall answers, is always among them.
"""

from __future__ import annotations

import pytest

import seqveil as sv
from conformance.methods import NAMES, mechanism, world
from seqveil.audit.account import overspent
from seqveil.audit.probe import Probe
from seqveil.audit.replay import excess, fingerprint, record, replay
from seqveil.errors import CallError, SeqveilError
from seqveil.kinds import KINDS
from seqveil.release import load
from seqveil.wall.budget import GRAINS, grains
from seqveil.wall.mechanism import guaranteed, measures, planned, precheck
from seqveil.wall.noise import SeededNoise
from seqveil.wall.run import open_wall, perform

DELTA = 10**12  # δ = 1e-6
CHARGED = [name for name in NAMES if "zcdp" in measures(mechanism(name))]
PURE = [name for name in NAMES if name not in CHARGED]
SUBJECTS = {name: (mechanism(name), world(name)) for name in CHARGED}
SUBJECTS |= {f"probe, cap = {cap}": (Probe(cap=cap), KINDS["sequences"].small_world()) for cap in (None, 1)}

every_unit = pytest.mark.parametrize(
    ("name", "unit"),
    [(name, unit) for name, (one, world_of) in SUBJECTS.items() for unit in world_of.units() if isinstance(unit, one.units)],
    ids=lambda one: getattr(one, "name", str(one)),
)


def table(name, unit, people=None):
    small = SUBJECTS[name][1]
    return small.table(small.bases()[2] if people is None else people, unit)


@every_unit
def test_the_plan_and_the_bill_stay_within_rho(name, unit):
    """In zCDP as in pure ε: what is planned and what is spent is at most what was given, in grains of ρ."""
    one, data = SUBJECTS[name][0], table(name, unit)
    guarantee = guaranteed(one, GRAINS, DELTA)
    plan = planned(one, guarantee, data.domain, unit, 1_000)
    wall = open_wall(data, unit, guarantee.amount, SeededNoise(5), measure="zcdp")
    one.run(wall)

    assert 0 < sum(paid for _, paid, _ in plan.stages) <= guarantee.amount < GRAINS
    assert guarantee.amount - wall.remaining == sum(paid for _, _, paid in wall.stages)
    assert 0 < wall.used <= guarantee.amount - wall.remaining
    for spent, _, _ in wall.stages:
        assert any(planned in spent for planned, _, _ in plan.stages), spent


@every_unit
def test_a_seed_repeats_a_run(name, unit):
    """Equal seeds, equal releases, to the last cell; and another release than the pure one."""
    one, data = SUBJECTS[name][0], table(name, unit)
    first, again, pure = (perform(one, data, unit, GRAINS, SeededNoise(3), delta=delta) for delta in (DELTA, DELTA, 0))

    assert fingerprint(first) == fingerprint(again) != fingerprint(pure)


@pytest.mark.slow
@every_unit
def test_a_neighbour_cannot_be_told_from_the_release(name, unit):
    """One unit joins, or leaves: nothing but the answers may depend on it, and by their laws these cost at most ρ."""
    one, small = SUBJECTS[name]
    base, amount = small.bases()[1], guaranteed(one, GRAINS, DELTA).amount
    for content in small.worst(unit):
        for before, after, sizes in ((base, [*base, content], {"joins": 1}), ([*base, content], base, {"leaves": len(base)})):
            tape, heard = record(one, table(name, unit, before), unit, GRAINS, SeededNoise(31), DELTA)
            outcome = replay(tape, heard, one, table(name, unit, after), unit, GRAINS, delta=DELTA, **sizes)

            assert heard.error is None
            assert ([], ()) == (overspent(tape), outcome.differences)
            assert max(excess(outcome, amount), outcome.dearest) <= 1 + 1e-6


@pytest.mark.parametrize(("name", "odd"), [(name, odd) for name in CHARGED for odd in world(name).odd()])
def test_odd_tables_give_a_release_or_a_refusal(name, odd, tmp_path):
    """A release that saves and loads, or a sentence that follows from the domain alone."""
    people, domain = world(name).odd()[odd]
    unit = next(unit for unit in world(name).units() if isinstance(unit, mechanism(name).units))
    data = world(name).table(people, unit, domain)
    try:
        precheck(mechanism(name), GRAINS, data.domain, unit, mechanism(name).kind, DELTA)
    except SeqveilError:
        return
    release = sv.experiment(data, mechanism(name), "1.0", seed=3, unit=unit, delta="1e-6")
    manifest = load(release.save(tmp_path / "r")).manifest
    assert sum(grains(stage.epsilon) for stage in manifest.stages) <= guaranteed(mechanism(name), GRAINS, DELTA).amount


@pytest.mark.parametrize("name", PURE)
def test_a_method_that_knows_pure_epsilon_only_refuses_delta(name):
    """Before anything is counted, and it says what to do instead."""
    unit = next(unit for unit in world(name).units() if isinstance(unit, mechanism(name).units))

    with pytest.raises(CallError, match="knows pure ε only"):
        precheck(mechanism(name), GRAINS, world(name).domain, unit, mechanism(name).kind, DELTA)
