"""Sample parts: every record falls into one independently of all others, which is what parallel composition needs."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

import seqveil as sv
from seqveil.tables.units import Record, User
from seqveil.wall.noise import SecureNoise, SeededNoise
from seqveil.wall.noise.nothing import NoNoise
from seqveil.wall.questions.supports import Supports
from seqveil.wall.wall import Wall

LETTERS = sv.Domain.of(list("abcd"))


class OnlyParts(NoNoise):
    """Exact answers, but parts as they are really drawn."""

    def __init__(self, source):
        self.below = source.below


def assignment(rows, parts, source, unit=None, users=None):
    """In which part each label's record lies; every record has one label of its own."""
    wall = Wall(sv.table_of(rows, LETTERS, users), unit or Record(), 10**12, OnlyParts(source))
    question = Supports(np.arange(len(LETTERS))[:, None])
    members = [part.ask(question, 10**12) for part in wall.parts(parts, 10**12)]
    return tuple(int(np.argmax([m[i] for m in members])) for i in range(len(rows)))


@pytest.mark.slow
def test_parts_are_independent_and_uniform():
    """All 3⁴ assignments of four records are equally likely. Shuffling and slicing would never give most of them."""
    source = SecureNoise()
    drawn = Counter(assignment([["a"], ["b"], ["c"], ["d"]], 3, source) for _ in range(8100))
    counts = [drawn[key] for key in np.ndindex(3, 3, 3, 3)]

    assert 8100 == sum(counts)
    assert chisquare(counts).pvalue > 1e-4


def test_another_record_moves_nobody():
    """With the same randomness the parts of the others stay what they were."""
    for seed in range(20):
        without = assignment([["a"], ["b"], ["c"]], 4, SeededNoise(seed))
        assert without == assignment([["a"], ["b"], ["c"], ["d"]], 4, SeededNoise(seed))[:3]


def test_a_users_records_stay_together():
    """The unit is the user, so the user falls into one part with everything they own."""
    for seed in range(20):
        a, b, _, d = assignment([["a"], ["b"], ["c"], ["d"]], 5, SeededNoise(seed), User(max_sequences=2), users=[7, 7, 3, 3])
        assert a == b
        assert d == assignment([["a"], ["b"], ["c"], ["d"]], 5, SeededNoise(seed), User(max_sequences=2), users=[7, 7, 3, 3])[2]
