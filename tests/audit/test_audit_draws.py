"""The detector of noise that is used twice: what it must see, in one process and across forks, and what it must allow."""

import pytest

from forks import in_fork
from seqveil.audit.draws import Numbered, UsedTwice
from seqveil.audit.findings import Attack
from seqveil.audit.stream_draws import SCENES, attack_draws
from seqveil.wall.noise import Scale

ONE = Scale(1.0)


@pytest.fixture
def noise():
    return Numbered()


def test_every_draw_is_a_number_of_its_own(noise):
    """Also when a forked process draws in between."""
    drawn = [*noise.laplace(ONE, 3), *in_fork(lambda: noise.laplace(ONE, 2).tolist()), *noise.laplace(ONE, 2)]

    assert list(range(1, 8)) == drawn


def test_the_same_again_is_allowed(noise):
    """A replay tells what was told: same value, same draw."""
    noise.laplace(ONE, 2)
    for _ in range(2):
        noise.used(value=1, answer=101, exact=100)
        noise.used(value=2, answer=102, exact=100)

    assert 0 == noise.caught
    assert {1.0} == noise.scales


@pytest.mark.parametrize(
    ("second", "complaint"),
    [
        ({"value": 2, "answer": 51, "exact": 50}, "one draw of noise hides two values"),
        ({"value": 1, "answer": 102, "exact": 100}, "one value came out under two draws"),
        ({"value": 1, "answer": 51, "exact": 50}, "two versions of a value"),
        ({"value": 2, "answer": 100, "exact": 100}, "without a draw of noise"),
        ({"value": 2, "answer": 103, "exact": 100}, "without a draw of noise"),
    ],
)
def test_what_is_used_twice_is_seen(noise, second, complaint):
    """Here, in a forked child, and by the parent when the child was first."""
    noise.laplace(ONE, 2)
    noise.used(value=1, answer=101, exact=100)
    with pytest.raises(UsedTwice, match=complaint):
        noise.used(**second)
    assert complaint in str(in_fork(lambda: noise.used(**second)))
    assert 2 == noise.caught

    other = Numbered()
    other.laplace(ONE, 2)
    in_fork(lambda: other.used(value=1, answer=101, exact=100))
    with pytest.raises(UsedTwice, match=complaint):
        other.used(**second)


def test_the_scenes_hold_and_each_of_them_saw_answers():
    """On the real code nothing is found, and nothing is missed because a scene was refused from its beginning."""
    attack = Attack("draws used once")
    attack_draws(attack)

    assert [] == attack.findings
    assert len(SCENES) == attack.tried
