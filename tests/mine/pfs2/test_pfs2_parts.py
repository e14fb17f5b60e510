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


def assignment(rows, parts, source, unit=None, users=None, domain=LETTERS):
    """In which part each label's record lies; every record has one label of its own."""
    wall = Wall(sv.table_of(rows, domain, users), unit or Record(), 10**12, OnlyParts(source))
    question = Supports(np.arange(len(domain))[:, None])
    members = [part.ask(question, 10**12) for part in wall.parts(parts, 10**12)]
    return tuple(int(np.argmax([m[i] for m in members])) for i in range(len(rows)))


@pytest.mark.parametrize(("records", "runs"), [(4, 810), (400, 81)])
def test_parts_are_independent_and_uniform(records, runs):
    """All 3⁴ assignments of four records are equally likely.

    Shuffling and slicing four records would never give 45 of them. Of 400 records there are 8,100 groups of four: enough to see
    a part that is drawn a tenth too often (the statistic is then 243 in the mean, and 136 is refused).
    """
    source, domain = SecureNoise(), sv.Domain.range(1, records)
    rows = [[str(label)] for label in range(1, records + 1)]
    drawn = Counter()
    for _ in range(runs):
        parts = assignment(rows, 3, source, domain=domain)
        drawn.update(zip(*[iter(parts)] * 4, strict=True))
    counts = [drawn[key] for key in np.ndindex(3, 3, 3, 3)]

    assert runs * records // 4 == sum(counts)
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
