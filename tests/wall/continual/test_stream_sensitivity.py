"""The one privacy argument of streams, by enumeration: no replaced event moves the released values further than claimed."""

from itertools import product

import numpy as np
import pytest

from seqveil.engines.local.engine import STREAMS
from seqveil.tables.units import Event, Record
from seqveil.wall.continual import (
    Checkpoints,
    ContinualQuestion,
    Count,
    LayerCounts,
    Lis,
    PrefixBlocks,
    Prefixes,
    Sum,
    WindowBlocks,
    Windows,
)

NULL = np.nan
LIS_EVENTS = (1.0, 2.0, 3.0, NULL)


def farthest(question, alphabet, length):
    """The largest L1 distance between the exact released values of two streams that differ in one event."""
    streams = list(product(range(len(alphabet)), repeat=length))
    values = np.array(alphabet)
    released = np.array([question.kernel().feed(values[list(s)]) for s in streams])
    worst = 0
    for position in range(length):
        # Streams in the order of itertools.product: one position is one axis.
        step = len(alphabet) ** (length - 1 - position)
        cube = released.reshape(-1, len(alphabet), step, released.shape[1])
        for a in range(len(alphabet)):
            for b in range(a):
                worst = max(worst, int(np.abs(cube[:, a] - cube[:, b]).sum(axis=-1).max()))
    return worst


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("strict", [True, False])
def test_binary_lis_needs_one_more_level_than_the_thesis_because_of_nulls(length, strict):
    """With null events ⌊log2 T⌋ + 1 is attained, so nothing less would do."""
    question = ContinualQuestion(Lis(strict), PrefixBlocks(length))

    assert length.bit_length() == farthest(question, LIS_EVENTS, length) == question.influence(Event())


@pytest.mark.parametrize("length", [2, 3, 4, 5, 6, 7])
def test_binary_lis_without_nulls_is_the_thesis_log2(length):
    """Singletons are constant then, and ⌊log2 T⌋ is attained (docs/soundness.md, 'Binary decomposition')."""
    question = ContinualQuestion(Lis(True), PrefixBlocks(length))

    assert length.bit_length() - 1 == farthest(question, (1.0, 2.0, 3.0), length)


FAMILIES = [
    (Prefixes(5), 5),
    (Checkpoints(5, 1), 1),
    (Checkpoints(5, 2), 2),
    (Checkpoints(5, 5), 5),
    (Checkpoints(5, 2, "quadratic"), 2),
    (Checkpoints(5, 4, "quadratic"), 4),
    (Windows(5, 1), 1),
    (Windows(5, 2), 2),
    (Windows(5, 9), 5),
    (PrefixBlocks(5), 3),
    (WindowBlocks(5, 1), 1),
    (WindowBlocks(5, 2), 2),
    (WindowBlocks(5, 3), 2),
    (WindowBlocks(5, 4), 3),
    (WindowBlocks(5, 100), 3),
]


@pytest.mark.parametrize(("stretches", "overlap"), FAMILIES, ids=str)
@pytest.mark.parametrize(
    ("statistic", "alphabet"),
    [
        (Lis(True), LIS_EVENTS),
        (Lis(False), LIS_EVENTS),
        (Count("= 1"), (0.0, 1.0, NULL)),
        (Sum("-1", "2", "0.5"), (-1.0, 0.5, 2.0, NULL)),
        (Sum("3", "5"), (-9.0, 3.0, 5.0, NULL)),
    ],
    ids=str,
)
def test_every_family_keeps_its_bound_and_attains_it(stretches, overlap, statistic, alphabet):
    """The claimed influence is overlap × Δ; enumeration over all neighbours finds exactly that much."""
    question = ContinualQuestion(statistic, stretches)

    assert overlap * statistic.sensitivity == question.influence(Event())
    assert question.influence(Event()) == farthest(question, alphabet, 5)


@pytest.mark.parametrize("length", [1, 2, 7, 8, 33])
@pytest.mark.parametrize(("statistic", "delta"), [(Lis(), 1), (Count("> 0"), 1), (Sum("-5", "15", "0.1"), 200)])
def test_the_scale_is_exact(length, statistic, delta):
    """L1 / ε with ε in grains, never rounded down."""
    scale = ContinualQuestion(statistic, PrefixBlocks(length)).scale(3 * 10**12)

    assert length.bit_length() * delta <= 3 * scale.exact < length.bit_length() * delta * (1 + 1e-12)


def test_other_units_are_refused():
    """A stream protects one event and says so."""
    with pytest.raises(Exception, match=r"protects one event, not 'record': give unit=sv.Event\(\)"):
        ContinualQuestion(Lis(), Prefixes(5)).influence(Record())


def adversary(first, pairs):
    """The extra pile is handed on to fresher and fresher events (docs/soundness.md, 'The hierarchy mechanism')."""
    stream = [0.0, first]
    for z in range(1, pairs + 1):
        stream += [z + 1.0, z - 0.5]
    return np.array(stream)


def test_the_hierarchys_printed_guarantee_is_false():
    """One replaced event moves far more than m·b, the bound of [Bonomi thesis, Theorem 5.7]; the provable R·m·b still holds."""
    length, buckets = 256, 4
    layers = LayerCounts(length, buckets)
    lis = Lis(True)
    one, other = (layers.exact(lis, STREAMS).feed(adversary(first, length // 2 - 1)) for first in (-1.0, 1.0))
    moved = np.abs(one - other).sum() / layers.grid

    assert moved > 5 * layers.layers * buckets
    assert moved <= layers.influence(lis) / layers.grid == length * layers.layers * buckets


def test_no_layer_counts_for_more_than_its_buckets():
    """The clip that the provable bound relies on, on an ascending stream that overfills every layer."""
    layers = LayerCounts(300, 3)
    values = layers.exact(Lis(True), STREAMS).feed(np.arange(300.0)).reshape(300, layers.layers)

    assert 3 * layers.grid == values.max()
    assert (values <= 3 * layers.grid).all()
