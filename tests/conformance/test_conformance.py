"""What every registered method must do, whoever wrote it: run, save, load, bill, stay silent, and bear odd tables."""

from __future__ import annotations

import json
import logging

import pytest

import seqveil as sv
from conformance.methods import MODEST, NAMES, mechanism, world
from seqveil import registry
from seqveil.audit.replay import fingerprint
from seqveil.errors import SeqveilError
from seqveil.kinds import KINDS
from seqveil.release import load
from seqveil.tables.units import User
from seqveil.wall.budget import GRAINS, grains
from seqveil.wall.mechanism import precheck
from seqveil.wall.noise import SeededNoise
from seqveil.wall.run import open_wall

every_method = pytest.mark.parametrize("name", NAMES)


def units(name):
    """The units under which a method is tested."""
    return [unit for unit in world(name).units() if isinstance(unit, registry.method(name).units)]


every_unit = pytest.mark.parametrize(
    ("name", "unit"), [(name, unit) for name in NAMES for unit in units(name)], ids=lambda one: getattr(one, "name", str(one))
)
every_odd = pytest.mark.parametrize(("name", "odd"), [(name, odd) for name in NAMES for odd in world(name).odd()])


def test_the_registry_is_covered():
    """The methods this suite was written for are still there; names with modest parameters exist; no kind is left out."""
    assert {"ngram", "ngram-uniform", "der", "binary"} <= registry.methods().keys()
    assert MODEST.keys() <= registry.methods().keys()
    assert {kind.held_as for kind in KINDS.values() if kind.units} == {one.kind for one in registry.methods().values()}


def table(name, people=None, unit=None, domain=None):
    """A made-up table of the method's kind."""
    people = world(name).bases()[2] if people is None else people
    return world(name).table(people, unit or units(name)[0], domain)


def released(name, people=None, domain=None, unit=None, epsilon="1.0", seed=3):
    unit = unit or units(name)[0]
    return sv.experiment(table(name, people, unit, domain), mechanism(name), epsilon, seed=seed, unit=unit)


@every_unit
def test_a_release_saves_loads_and_says_what_it_is(name, unit, tmp_path):
    """What is loaded is what was saved; an experiment says so; the bill adds up to at most ε."""
    release = released(name, unit=unit)
    saved = release.save(tmp_path / "r")
    loaded = load(saved)
    manifest = loaded.manifest

    assert fingerprint(release) == fingerprint(loaded)
    assert (False, name, "1.0", unit) == (manifest.private, manifest.mechanism.name, manifest.epsilon, manifest.whom)
    assert any("EXPERIMENT" in path.name for path in saved.iterdir())
    assert 0 < sum(grains(stage.epsilon) for stage in manifest.stages) <= GRAINS
    assert [] != [kind for kind in KINDS.values() if kind.name == mechanism(name).kind and loaded.content in kind.contents]


@every_method
def test_a_manifest_rebuilds_its_mechanism(name, tmp_path):
    """The parameters in the manifest, read back from JSON, make an equal mechanism through the registry."""
    saved = released(name).save(tmp_path / "r")
    written = json.loads((saved / "manifest.json").read_text())["mechanism"]
    open_ = registry.parameters(registry.method(name))
    given = {key: value for key, value in written["parameters"].items() if key in open_}

    assert mechanism(name) == registry.make(written["name"], given)
    assert mechanism(name).version == written["version"]


@every_unit
def test_the_plan_and_the_bill_stay_within_epsilon(name, unit):
    """The plan needs no data and spends at most ε; so does the run, and everything it spends has a stage of the plan.

    A run may divide a planned stage (count length 1, count length 2), or bill two of them together.
    """
    data = table(name, unit=unit)
    plan = mechanism(name).plan(GRAINS, data.domain, unit, 1_000)
    wall = open_wall(data, unit, GRAINS, SeededNoise(5))
    mechanism(name).run(wall)

    assert 0 < sum(paid for _, paid, _ in plan.stages) <= GRAINS
    assert all(paid > 0 for _, paid, _ in plan.stages)
    assert GRAINS - wall.remaining == sum(paid for _, _, paid in wall.stages)
    for spent, _, _ in wall.stages:
        assert any(planned in spent for planned, _, _ in plan.stages), spent


@every_odd
def test_odd_tables_give_a_release_or_a_refusal_before_anything_is_spent(name, odd, tmp_path):
    """Whatever the data: a release that saves and loads; a refusal may depend on the domain only, and spends nothing."""
    people, domain = world(name).odd()[odd]
    try:
        release = released(name, people, domain)
    except SeqveilError as refusal:
        other = world(name).rehearsal(domain, users=False)
        wall = open_wall(other, units(name)[0], GRAINS, SeededNoise(6))
        with pytest.raises(type(refusal)):
            _checked_run(name, wall)
        assert GRAINS == wall.remaining
        return
    load(release.save(tmp_path / "r"))


def _checked_run(name, wall):
    precheck(mechanism(name), GRAINS, wall.domain, wall.unit, mechanism(name).kind)
    mechanism(name).run(wall)


@every_method
def test_a_seed_repeats_a_run(name):
    """Equal seeds, equal releases, to the last cell."""
    assert fingerprint(released(name)) == fingerprint(released(name))


@every_method
@pytest.mark.parametrize("base", [2, 0], ids=["data", "no data"])
def test_a_run_says_nothing(name, base, capfd, caplog):
    """Not on stdout, not on stderr, not in a log, whether or not there is data; warnings are errors here anyway."""
    with caplog.at_level(logging.DEBUG, logger="seqveil"):
        released(name, world(name).bases()[base])
    printed = capfd.readouterr()

    assert ("", "", []) == (printed.out, printed.err, [r for r in caplog.records if r.name.startswith("seqveil")])


@every_method
@pytest.mark.parametrize("epsilon", ["0.000000000001", "0.000001", "1000000"])
def test_extreme_epsilons_give_a_release_or_a_plain_refusal(name, epsilon, monkeypatch):
    """The least and the most ε that can be stated: no traceback, nothing overspent."""
    from seqveil.publish.ngram import synthesis

    monkeypatch.setattr(synthesis, "MOST_ITEMS", 10_000)
    try:
        release = released(name, epsilon=epsilon)
    except SeqveilError:
        return
    assert sum(grains(stage.epsilon) for stage in release.manifest.stages) <= grains(epsilon)


@every_method
def test_frozen_public_parameters(name):
    """A mechanism is a frozen value: equal when made alike, its parameters JSON, nobody can change it."""
    one = mechanism(name)

    assert one == mechanism(name)
    assert one.parameters() == json.loads(json.dumps(one.parameters()))
    with pytest.raises((AttributeError, TypeError)):
        one.surprise = 1
    for field in one.parameters():
        with pytest.raises(AttributeError):
            setattr(one, field, 1)


@pytest.mark.parametrize("name", [name for name in NAMES if User in registry.method(name).units])
def test_users_are_bounded_before_the_mechanism_sees_them(name):
    """A user with a thousand records leaves the same mark as one with m: the table behind the wall has m of theirs."""
    unit = User(max_sequences=3)
    wall = open_wall(table(name, [((0,),) * 1_000], unit), unit, GRAINS, SeededNoise(1))

    assert 3 == len(wall._Wall__table)
