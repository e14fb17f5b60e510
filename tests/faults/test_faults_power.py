"""Loss of power in a fresh home: a release that is visible afterwards is paid for, and one that was committed is there."""

from __future__ import annotations

import random
import shutil
import sys
from pathlib import Path

import pytest

from seqveil.audit.faults import ACCOUNT, Scene, verdict, warm_up
from seqveil.audit.power import come_back, record, states
from seqveil.release import load
from seqveil.wall.ledger import Ledger

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="looks at descriptors through /proc")]


@pytest.fixture(scope="module")
def moments(tmp_path_factory: pytest.TempPathFactory) -> list:
    warm_up()
    return record(Scene(tmp_path_factory.mktemp("power") / "scene").prepare())


def test_no_loss_of_power_shows_a_release_that_the_ledger_does_not_know(moments: list, tmp_path: Path) -> None:
    """At every step of the first publish in a home that did not exist, with any part of the unsynced names lost."""
    tried = visible = 0
    problems = []
    for number, lost in states(moments, random.Random(7), draws=2):
        scene = come_back(moments[number], lost, tmp_path / "found")
        if scene.out.exists():
            visible += 1
            problems += [f"moment {number} without {sorted(lost)}: {problem}" for problem in verdict(scene)]
        tried += 1
        shutil.rmtree(scene.folder)

    assert [] == problems
    assert tried > 150
    assert visible > 10


def test_what_was_made_before_is_on_disk_before_it_counts(moments: list, tmp_path: Path) -> None:
    """When a publish has ended nothing is loose: the release, the ledger and every directory above them are on disk."""
    last = moments[-1]
    scene = come_back(last, frozenset(name for name, _ in last.loose), tmp_path / "found")

    assert [] == [name for name, _ in last.loose if not name.startswith("home/ledger/queue/")]
    assert load(scene.out).manifest.private
    assert ["committed"] == [charge.status for charge in Ledger(scene.home).charges(ACCOUNT)]


def test_any_state_of_the_ledger_opens_or_is_restored(moments: list, tmp_path: Path) -> None:
    """Whatever is lost, the next publish is not locked out of its home."""
    from seqveil.wall.ledger.faults import Damaged

    for number, lost in states(moments[::4], random.Random(8), draws=1):
        scene = come_back(moments[::4][number], lost, tmp_path / "found")
        try:
            Ledger(scene.home).verify()
        except Damaged:
            Ledger.restore(scene.home)
        shutil.rmtree(scene.folder)
