"""A publish that is killed: the ledger never shows less than what is out, nothing half-written is seen, the next run works."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from seqveil.audit import faults
from seqveil.audit.faults import Scene, after_death, count_steps, publish, verdict

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    faults.warm_up()


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> int:
    """How many steps a publish takes."""
    return count_steps(Scene(tmp_path_factory.mktemp("count") / "scene").prepare())


@pytest.mark.parametrize("share", [0, 15, 30, 45, 55, 65, 75, 82, 88, 92, 95, 97, 98, 99, 100])
def test_killed_at_a_step(share: int, steps: int, tmp_path: Path) -> None:
    """Fifteen steps from the first to the last, the last ones closest: they are the ones that write."""
    scene = Scene(tmp_path / "scene").prepare()
    code = publish(scene, die_at=min(steps - 1, steps * share // 100))

    assert -9 == code
    assert [] == after_death(scene)


@pytest.mark.parametrize("number", range(4))
def test_killed_at_a_random_moment(number: int, tmp_path: Path) -> None:
    """By its parent, whenever; if it was faster, it is simply done."""
    scene = Scene(tmp_path / "scene").prepare(records=4000)
    code = publish(scene, kill_after=random.Random(number).uniform(0.02, 0.3))

    assert code in (0, -9)
    assert [] == after_death(scene)


def test_the_verdict_can_say_no(tmp_path: Path) -> None:
    """A release that no ledger knows, and one that is half there, are both noticed."""
    scene = Scene(tmp_path / "scene").prepare()
    assert 0 == publish(scene)
    (scene.home / "ledger").rename(scene.folder / "elsewhere")
    assert ["the ledger shows less than what was released"] == verdict(scene)

    next(scene.out.glob("*.parquet")).unlink()
    assert "does not load" in verdict(scene)[0]
