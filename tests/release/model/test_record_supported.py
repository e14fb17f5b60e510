"""Supported records hold nothing that noise may have made, and as many records and lengths as possible stay as published."""

from collections import Counter

import numpy as np
import pytest

import record_models
from seqveil.errors import RunFailed
from seqveil.release.model import Counted, RecordRelease, SequenceCounts
from seqveil.release.model.supported import OFTEN, standing_out
from seqveil.tables.flat import Flat

STRONG, WEAK, SCALE = 500.0, 20.0, 10.0
"""The noise of this scale has a standard deviation of 14.1: the weak count lies above one of them and below two."""


def table(strong, weak):
    """Rows that stand out from the noise, and rows that do not."""
    counts = [STRONG] * len(strong) + [WEAK] * len(weak)
    return SequenceCounts.of([*strong, *weak], Counted.of(counts, np.array(counts, np.int64), [SCALE]))


def release(records):
    """home begins, work ends, home-work, work-work and home-home are supported; city hall is weak everywhere."""
    return RecordRelease(
        record_models.PLACES,
        grams=table([[0], [1], [0, 1], [1, 1], [0, 0]], [[2], [1, 0], [0, 2], [2, 1]]),
        firsts=table([[0]], [[1], [2]]),
        lasts=table([[1]], [[0], [2]]),
        trips=table([[0, 1]], []),
        lengths=Counted.of([1.0] * 5),
        synthetic=Flat.of(records),
        l_max=5,
        n_max=2,
    )


def drawn(records):
    """The supported records of a release with these published ones, as tuples with their number."""
    flat = release(records).supported().flat
    return Counter(tuple(record.tolist()) for record in flat)


def test_what_noise_may_have_made_is_redrawn_with_its_length():
    """A weak first label, a weak last label, a weak step: each is replaced by a supported record of the same length."""
    fine = [(0, 1), (0, 1, 1), (0, 0, 1)]

    assert {(0, 1)} == set(drawn([*fine, (1, 1)])) & {(0, 1), (1, 1)}
    assert Counter({2: 2, 3: 2}) == Counter(map(len, drawn([*fine, (1, 1)]).elements()))
    assert Counter({2: 1, 3: 3}) == Counter(map(len, drawn([*fine, (0, 1, 0)]).elements()))
    assert not drawn([*fine, (0, 2, 1)])[(0, 2, 1)]
    assert not drawn([*fine, (0, 1, 0, 1)])[(0, 1, 0, 1)]


def test_a_length_that_noise_made_is_not_filled_with_one_record():
    """Of 41 records of five items one is supported: it is used OFTEN times, the others become records of other lengths."""
    records = [(0, 1)] * 200 + [(0, 0, 0, 0, 1)] + [(0, 2, 2, 2, 1)] * 40
    kept = release(records).supported()

    assert len(records) == len(kept.flat)
    assert (40, 40 - (OFTEN - 1)) == (kept.redrawn, kept.resized)
    assert OFTEN <= int((kept.flat.lengths == 5).sum()) < 2 * OFTEN


def test_supported_records_stay_as_they_were_published():
    """Nothing to redraw: the same records, in another order."""
    records = [(0, 1), (0, 1, 1), (0, 1)]

    assert Counter(records) == drawn(records)
    assert 0 == release(records).supported().redrawn


def test_the_rule_needs_the_noisy_answer_and_the_model():
    """Above two standard deviations of the noise, and one in the model; sums of several noises count with all of them."""
    one = Counted.of(count=[15.0, 14.0, 99.0], noisy=[29, 29, 28], scales=[10.0])
    two = Counted.of(count=[99.0, 99.0], noisy=[40, 41], scales=[10.0, 10.0])

    assert [True, False, False] == standing_out(one).tolist()
    assert [False, True] == standing_out(two).tolist()


def test_empty_cells_hardly_ever_pass():
    """Of 100,000 answers that are noise alone 3 % pass the first half of the rule, whatever the model says: e^(−2√2) / 2."""
    random = np.random.default_rng(1)
    noisy = random.geometric(0.05, 100_000) - random.geometric(0.05, 100_000)
    scale = -1 / np.log1p(-0.05)

    assert 0.027 < standing_out(Counted.of(np.full(len(noisy), 1e9), noisy, [scale])).mean() < 0.032


def test_python_draws_supported_records():
    """synthesize and draw take `supported`; without it nothing changes."""
    records = [(0, 1), (1, 0), (0, 1, 1)]
    opened = release(records)

    assert records == [tuple(r.tolist()) for r in opened.synthesize().flat]
    assert {("home", "work"), ("home", "work", "work")} == set(map(tuple, opened.synthesize(supported=True)))
    assert {("home", "work"), ("home", "work", "work")} == set(map(tuple, opened.draw(50, seed=1, supported=True)))
    assert 7 == len(opened.synthesize(7, supported=True))


def test_a_release_without_supported_records_says_so():
    """An error, not an empty file."""
    with pytest.raises(RunFailed, match="No published record is supported"):
        release([(1, 0), (2,)]).synthesize(supported=True)
    assert 0 == len(release([]).synthesize(supported=True))
