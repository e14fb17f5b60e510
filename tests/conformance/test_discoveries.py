"""What every method that discovers a domain must do: run, save, load, bill, stay silent, and bear odd tables; always with δ."""

from __future__ import annotations

import json
import logging

import pytest

import seqveil as sv
from conformance.methods import DISCOVERIES, mechanism, world
from seqveil import registry
from seqveil.audit.replay import fingerprint
from seqveil.errors import CallError
from seqveil.kinds import KINDS
from seqveil.release import load
from seqveil.wall.budget import GRAINS, grains
from seqveil.wall.mechanism import guaranteed, planned, precheck

DELTA = 10**12  # 1e-6
every_unit = pytest.mark.parametrize(("name", "unit"), [(name, unit) for name in DISCOVERIES for unit in world(name).units()])
every_odd = pytest.mark.parametrize(("name", "odd"), [(name, odd) for name in DISCOVERIES for odd in world(name).odd()])


def released(name, people=None, unit=None, seed=3):
    unit = unit or world(name).units()[0]
    table = world(name).table(world(name).bases()[2] * 20 if people is None else people, unit)
    return sv.experiment(table, mechanism(name), "1.0", seed=seed, unit=unit, delta="1e-6")


@every_unit
def test_a_release_saves_loads_and_says_what_it_is(name, unit, tmp_path):
    release = released(name, unit=unit)
    loaded = load(release.save(tmp_path / "r"))
    written = json.loads((tmp_path / "r" / "manifest.json").read_text())["mechanism"]

    assert fingerprint(release) == fingerprint(loaded)
    assert len(loaded.domain) == loaded.manifest.domain.size > 0
    assert (False, name, unit) == (loaded.manifest.private, loaded.manifest.mechanism.name, loaded.manifest.whom)
    assert [kind for kind in KINDS.values() if kind.name == mechanism(name).kind and loaded.content in kind.contents]
    assert mechanism(name) == registry.make(written["name"], written["parameters"])


@every_unit
def test_the_plan_and_the_bill_stay_within_rho(name, unit):
    guarantee = guaranteed(mechanism(name), GRAINS, DELTA)
    plan = planned(mechanism(name), guarantee, world(name).domain, unit, 1_000)
    manifest = released(name, unit=unit).manifest

    assert 0 < guarantee.thresholds < DELTA
    assert 0 < sum(paid for _, paid, _ in plan.stages) <= guarantee.amount
    assert 0 < sum(grains(stage.epsilon) for stage in manifest.stages) <= guarantee.amount


@pytest.mark.parametrize("name", DISCOVERIES)
@pytest.mark.parametrize("base", [2, 0], ids=["data", "no data"])
def test_a_run_is_silent_and_repeats(name, base, capfd, caplog):
    people = world(name).bases()[base]
    with caplog.at_level(logging.DEBUG, logger="seqveil"):
        first, again = released(name, people), released(name, people)
    printed = capfd.readouterr()

    assert fingerprint(first) == fingerprint(again)
    assert ("", "", []) == (printed.out, printed.err, [r for r in caplog.records if r.name.startswith("seqveil")])


@every_odd
def test_odd_tables_give_a_release(name, odd, tmp_path):
    people, _ = world(name).odd()[odd]

    load(released(name, people).save(tmp_path / "r"))


@pytest.mark.parametrize("name", DISCOVERIES)
def test_pure_epsilon_is_refused(name):
    with pytest.raises(CallError, match="pure ε"):
        precheck(mechanism(name), GRAINS, world(name).domain, world(name).units()[0], mechanism(name).kind)
