"""A bound per user and day: what a user's day can move, and that nobody else's events depend on it."""

from collections import Counter
from decimal import Decimal
from itertools import product

import numpy as np
import pytest

from seqveil.errors import CallError
from seqveil.tables.units import UserDay
from seqveil.wall.continual import Blocks, ContinualQuestion, Count
from seqveil.wall.continual.bounding import DailyBound

OWNERS = [("ann", "mon"), ("ann", "tue")]


def released(question, owners, events):
    """What the wall adds noise to, for events with owners."""
    return question.kernel().feed(DailyBound(question.unit.max_per_day).bounded(owners, np.array(events)))


def farthest(question, length):
    """The largest L1 distance when all events of ann's Monday are replaced, over all owners and events."""
    worst = 0
    for owners in product(OWNERS, repeat=length):
        mine = [at for at, owner in enumerate(owners) if owner == OWNERS[0]]
        by_mine = {}
        for events in product((0.0, 1.0, np.nan), repeat=length):
            others = tuple(event for at, event in enumerate(events) if at not in mine)
            by_mine.setdefault(str(others), []).append(released(question, owners, events))
        for values in map(np.array, by_mine.values()):
            worst = max(worst, int(np.abs(values[:, None] - values[None]).sum(axis=-1).max()))
    return worst


def test_a_users_day_moves_no_more_than_its_bound():
    """m × overlap × Δ, attained: a smaller claim would be wrong. Null events use up their place, or it would be exceeded."""
    question = ContinualQuestion(Count("= 1"), Blocks(4, 2), UserDay(2))

    assert 4 == question.influence(UserDay(2)) == farthest(question, 4)


def test_without_the_bound_a_users_day_would_move_more(monkeypatch):
    """The enumeration finds it."""
    monkeypatch.setattr(DailyBound, "_counts", lambda self, owner: True)

    assert farthest(ContinualQuestion(Count("= 1"), Blocks(4, 2), UserDay(2)), 4) > 4


def test_locality_the_bound_of_a_user_depends_on_that_user_alone():
    """Each user's kept events are the same with and without everybody else."""
    rng = np.random.default_rng(4)
    owners = [(f"u{u}", f"d{d}") for u, d in zip(rng.integers(0, 4, 200), rng.integers(0, 3, 200), strict=True)]
    values = np.where(rng.random(200) < 0.2, np.nan, rng.random(200))
    together = DailyBound(3).bounded(owners, values)
    for user in sorted({user for user, _ in owners}):
        mine = np.array([owner[0] == user for owner in owners])
        alone = DailyBound(3).bounded([owner for owner in owners if owner[0] == user], values[mine])

        assert np.array_equal(together[mine], alone, equal_nan=True)
    assert Counter(owner for owner, value in zip(owners, together, strict=True) if value == value).most_common(1)[0][1] <= 3


@pytest.mark.parametrize("owner", [(None, "mon"), ("ann", None), ("", "mon"), ([1], "mon")])
def test_events_of_nobody_are_null(owner):
    """Nobody could count them."""
    assert np.isnan(DailyBound(9).bounded([owner], np.ones(1))).all()


def test_after_a_restart_owners_have_to_be_told_again():
    """Else a user could start anew; a stream in which nothing was answered may begin at once."""
    bound = DailyBound(1)
    bound.check_seen(0)
    with pytest.raises(CallError, match="read the input from its first event"):
        bound.check_seen(3)
    bound.bounded([("ann", "mon")] * 3, np.ones(3))
    bound.check_seen(3)
    assert np.isnan(bound.bounded([("ann", "mon")], np.ones(1))).all()


@pytest.mark.parametrize("user", [5, 5.0, "5", b"5", np.int8(5), Decimal("5.00")], ids=repr)
def test_a_user_has_one_bound_however_the_user_is_spelled(user):
    """The rule of `tables/spelling.py`: an export that writes 5 in one place and 5.0 in another has one user, not two."""
    assert [1.0, 1.0] == DailyBound(2).bounded([("5", "mon"), (user, "mon")], np.ones(2)).tolist()
    assert np.isnan(DailyBound(1).bounded([("5", "mon"), (user, "mon")], np.ones(2))[1])
