"""Same noisy answers in, same release out: a run is recorded and heard again before neighbouring data.

The tape answers for the wall, but charges, checks and exact counts happen for real on the neighbour. Questions, payments, stages,
output and release must not differ in a bit, and the exact privacy loss of what was heard must stay within ε.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from conformance.methods import NAMES, mechanism, world
from seqveil import registry
from seqveil.audit.account import overspent
from seqveil.audit.replay import excess, record, replay
from seqveil.publish.ngram.mechanism import NGram
from seqveil.tables.units import Record, User
from seqveil.wall import Grams
from seqveil.wall.budget import GRAINS
from seqveil.wall.noise import SeededNoise
from seqveil.wall.tree import PrivateTree
from strategies import ChosenNoise, table_of_codes

USERS = {  # the records of one more user
    "the longest record": ((0, 1, 2) * 40,),
    "two records of all labels": ((0, 1, 2), (2, 1, 0)),
    "an empty record": ((),),
    "many more records than are used": ((1, 1, 1),) * 9,
}


def neighbours(name):
    """What one more unit may contribute: the worst of the method's world, and for users a few more."""
    unit = world(name).units()[-1]
    more = USERS if isinstance(unit, User) else {}
    return {f"worst {i}": content for i, content in enumerate(world(name).worst(unit))} | more


every_neighbour = pytest.mark.parametrize(("name", "neighbour"), [(name, one) for name in NAMES for one in neighbours(name)])


def differ(name, before, after, seed, joins=0, leaves=0):
    """What a replay on the neighbour shows, and the factor by which the loss exceeds ε."""
    unit = world(name).units()[-1]
    assert isinstance(unit, registry.method(name).units)
    here, there = (world(name).table(people, unit) for people in (before, after))
    tape, heard = record(mechanism(name), here, unit, GRAINS, SeededNoise(seed))
    outcome = replay(tape, heard, mechanism(name), there, unit, GRAINS, joins=joins, leaves=leaves)
    assert [] == overspent(tape)
    return outcome.differences, excess(outcome, GRAINS)


@pytest.mark.slow
@every_neighbour
def test_a_neighbour_cannot_be_told_from_the_release(name, neighbour):
    """One unit joins, or leaves: nothing but the answers may depend on it, and these cost at most ε."""
    base, more = world(name).bases()[2], neighbours(name)[neighbour]

    for before, after, sizes in ((base, [*base, more], {"joins": 1}), ([*base, more], base, {"leaves": len(base)})):
        differences, factor = differ(name, before, after, 31, **sizes)
        assert () == differences
        assert factor <= 1 + 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_only_unit_cannot_be_told_from_nobody(name):
    """From an empty table to one unit and back."""
    only = [world(name).worst(world(name).units()[-1])[0]]
    for before, after, sizes in (([], only, {"joins": 1}), (only, [], {"leaves": 0})):
        differences, factor = differ(name, before, after, 33, **sizes)
        assert () == differences
        assert factor <= 1 + 1e-6


BASE = [[0, 1, 2, 1], [1, 2], [2], [0, 0, 1], [2, 1, 0]] * 6


def ngram_loss(mechanism: type[NGram], records, neighbour, values=(40,)) -> float:
    """The factor by which the loss of an N-gram run exceeds ε when all noise is chosen to show everything."""
    run = mechanism(l_max=3, n_max=3, theta=1.0)
    tape, heard = record(run, table_of_codes(records, 3), Record(), GRAINS, ChosenNoise(values))
    outcome = replay(tape, heard, run, table_of_codes(neighbour, 3), Record(), GRAINS, joins=1)
    assert not [d for d in outcome.differences if "questions" in d]
    return excess(outcome, GRAINS)


@dataclass(frozen=True)
class Tightened(NGram):
    """Planted bug: the influence of a record is taken as l_max − 1."""

    def run(self, wall):
        return super().run(_Lower(wall))


class _Lower:
    """A wall whose trees draw with too little noise."""

    def __init__(self, wall):
        self._wall = wall

    def __getattr__(self, name):
        return getattr(self._wall, name)

    def tree(self, kind, epsilon):
        tree = self._wall.tree(kind, epsilon)
        tree._influence -= 1
        return tree


WORST = [[0, 0, 0]]


def test_the_loss_reaches_epsilon_and_no_more():
    """A record of l_max equal items in a tree that tells everything costs nearly all of ε: the scales are tight."""
    assert 0.5 < ngram_loss(NGram, [], WORST) <= 1 + 1e-6


def test_the_loss_notices_too_little_noise():
    """With l_max − 1 in place of l_max, the same neighbours show a loss above ε."""
    assert ngram_loss(Tightened, [], WORST) > 1


def test_the_replay_notices_a_mechanism_that_looks_around_the_wall():
    """A mechanism that reads the table's size behind the wall asks other questions on a neighbour."""

    @dataclass(frozen=True)
    class Peeks(NGram):
        def run(self, wall):
            l_max = 2 + len(wall._Wall__table) % 2
            return NGram(l_max=l_max, n_max=2).run(wall)

    tape, heard = record(Peeks(), table_of_codes(BASE, 3), Record(), GRAINS, SeededNoise(1))
    outcome = replay(tape, heard, Peeks(), table_of_codes([*BASE, [0]], 3), Record(), GRAINS, joins=1)

    assert outcome.differences


def test_a_tree_follows_children_that_only_the_tape_knows():
    """A tree grown by noise alone can be grown over any data: descending below what is not there is no error."""
    for records in ([], [[0, 1]], [[1, 1, 1]] * 4):
        counter = Grams(3).open(table_of_codes(records, 3), Record())
        tree = PrivateTree(counter, 3, GRAINS, ChosenNoise([7]))
        level = tree.expand([0], 10, 1.0)
        for _ in range(2):
            alive = level.node[level.rank < 3]
            level = tree.expand(alive, 10, 1.0)
            assert (level.noisy >= 1).all()
    assert np.all(level.scale == 3 * GRAINS / 10)
