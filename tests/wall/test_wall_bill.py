"""The bill adds up: what was used and what was not make up what was charged, exactly, whatever was asked."""

from __future__ import annotations

import json

import numpy as np
import pytest

import seqveil as sv
from seqveil import registry
from seqveil.release.manifest import UNUSED
from seqveil.tables.domain import Domain
from seqveil.tables.graphs import GraphTable
from seqveil.tables.sets import SetTable
from seqveil.tables.units import Edge, Record
from seqveil.wall.budget import GRAINS, grains
from seqveil.wall.noise import SeededNoise
from seqveil.wall.questions.grams import Grams
from seqveil.wall.questions.lengths import Lengths
from seqveil.wall.run import open_wall
from strategies import table_of_codes

RECORDS = [[0, 1, 2, 1], [1, 2], [2], [0, 0, 1], [2, 1, 0]] * 40
PARAMETERS = {"ffs": {"longest": 2, "top": 5}, "pfs2": {"support": 0.2, "variant": "pfs2"}, "itemsets": {"support": 0.2}}


def opened(records=RECORDS):
    return open_wall(table_of_codes(records, 3), Record(), GRAINS, SeededNoise(1))


def test_a_question_uses_its_charge():
    """Questions add up."""
    wall = opened()
    wall.size(GRAINS // 4)
    wall.ask(Lengths(5), GRAINS // 4)

    assert [("0.25", "0.25", "question")] * 2 == [(stage.epsilon, stage.used, stage.rule) for stage in wall.bill]
    assert GRAINS // 2 == wall.used


def test_a_tree_uses_its_dearest_path():
    """Charged when it is opened; used as far as it was asked."""
    wall = opened()
    tree = wall.tree(Grams(4, 3), GRAINS)
    before = wall.used
    children = tree.expand([tree.root], GRAINS // 4, 1)
    tree.refine(children.node[:1], GRAINS // 8)
    [stage] = wall.bill

    assert 0 == before
    assert ("1.0", "0.375", "dearest path") == (stage.epsilon, stage.used, stage.rule)


def test_parts_use_their_maximum():
    """No unit is in two parts, so the dearest part counts; what each used is listed."""
    wall = opened()
    first, second, _ = wall.parts(3, GRAINS // 2)
    first.size(GRAINS // 8)
    second.size(GRAINS // 8)
    second.size(GRAINS // 8)
    [stage] = wall.bill

    assert ("0.0", "0.125", "0.25") == tuple(sorted(stage.parts))
    assert ("0.5", "0.25", "maximum of parts") == (stage.epsilon, stage.used, stage.rule)


def test_closing_changes_no_bill():
    """The bill is written after the wall was closed."""
    wall = opened()
    tree = wall.tree(Grams(4, 3), GRAINS)
    tree.expand([tree.root], GRAINS // 4, 1)
    wall.close()

    assert GRAINS // 4 == wall.used


def release_of(name, records=RECORDS):
    method = registry.method(name)
    table, unit = table_of_codes(records, 3), Record()
    if method.kind == "sets":
        table = SetTable.of(table)
    elif method.kind == "graph":
        table, unit = GraphTable.of(Domain.range(1, 12), np.arange(0, 10), np.arange(1, 11)), Edge()
    return sv.experiment(table, registry.make(name, PARAMETERS.get(name, {})), "1.0", seed=3, unit=unit)


@pytest.mark.parametrize("name", [*registry.methods("publish"), *registry.methods("mine")])
def test_every_manifest_adds_up(name, tmp_path):
    """Used and unused make up ε exactly, for every registered method; the README tells what remains charged."""
    folder = release_of(name).save(tmp_path / "out")
    data = json.loads((folder / "manifest.json").read_text())
    used = sum(grains(stage["used"]) if stage["used"] != "0.0" else 0 for stage in data["stages"])
    unused = 0 if data["unused"] == "0.0" else grains(data["unused"])

    assert GRAINS == used + unused
    assert bool(unused) == ("was not used by the method; it remains charged" in (folder / "README.txt").read_text())


def test_parts_of_a_miner_are_itemised():
    """The secret samples of PFS2 stand in the manifest with what each of them used."""
    stage = next(s for s in release_of("pfs2").manifest.stages if s.rule == "maximum of parts")

    assert len(stage.parts) == int(stage.kind.split()[0])
    assert stage.used == max(stage.parts, key=float)


def test_a_bill_for_people_names_what_was_not_used():
    """A prefix tree of 12 levels over records of 4 labels stops early."""
    manifest = release_of("prefix").manifest
    name, _, amount = manifest.bill[-1]

    assert (UNUSED, manifest.unused) == (name, amount)


def test_a_question_with_one_answer_is_not_paid():
    """Where l_most = longest, two-phase knows l′ without asking; the share goes to the counts."""
    table = table_of_codes(RECORDS, 3)
    mechanism = registry.make("two-phase", {"longest": 3, "l_most": 3, "top": 5, "h": 3})
    stages = {s.name: s.epsilon for s in sv.experiment(table, mechanism, "1.0", seed=1).manifest.stages}

    assert "choose l′" not in stages
    assert "0.15" == stages["fingerprints"]
