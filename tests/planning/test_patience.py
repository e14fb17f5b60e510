"""A dry run ends: a simulation that takes too long is given up, and what it learnt before is said."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import inf

import numpy as np
import pytest

import seqveil as sv
from seqveil.planning import plan
from seqveil.planning.patience import LimitedNoise, Patience, TimeUp
from seqveil.planning.scenes import QUICK, Setting
from seqveil.wall.budget import GRAINS
from seqveil.wall.noise import Scale, SeededNoise

BUSY = Setting("sequences", sv.Domain.range(1, 60), sv.Record(), 1_000_000, 5.0)
DRAWS = [
    lambda noise: noise.laplace(Scale(5.0), 3).tolist(),
    lambda noise: noise.beyond(Scale(5.0), 0, 3).tolist(),
    lambda noise: noise.passing(Scale(5.0), 10, 1000),
    lambda noise: noise.exponential(np.array([1, 2, 3]), Fraction(1)),
]


@pytest.mark.parametrize("draw", DRAWS)
def test_noise_is_the_same_until_the_time_is_over(draw):
    """Every draw that mechanisms make is refused then."""
    assert draw(SeededNoise(7)) == draw(LimitedNoise(7, Patience()))
    with pytest.raises(TimeUp):
        draw(LimitedNoise(7, Patience(-1.0)))


@pytest.mark.parametrize("mechanism", [sv.RecordModel(), sv.NGram()])
def test_a_dry_run_that_has_no_time_says_where_to_learn_more(mechanism, monkeypatch):
    """Four releases of the record model over 60 labels take twenty seconds; it is given up at the first draw after its time."""
    monkeypatch.setattr(plan, "QUICK", replace(QUICK, seconds=0.0))
    said, warnings = plan.foresee(mechanism, BUSY, GRAINS)

    assert QUICK.seconds <= 2
    assert ["`seqveil plan` does it"] == [sentence.split(": ")[1] for sentence in said]
    assert [] == warnings


def test_populations_that_there_was_time_for_are_named(monkeypatch):
    """The typical one first."""
    setting = Setting("sequences", sv.Domain.range(1, 6), sv.Record(), 500, 4.0)
    monkeypatch.setattr(plan, "QUICK", replace(QUICK, seconds=inf))  # compiling on a first run takes longer than a dry run may

    class Short(plan.Scenes):
        def outcome(self, *given):
            try:
                return super().outcome(*given)
            finally:
                self.patience = Patience(-1.0)

    monkeypatch.setattr(plan, "Scenes", Short)
    said, _ = plan.foresee(sv.NGram(), setting, GRAINS)
    assert said[0].endswith("(simulated data: typical only)")
