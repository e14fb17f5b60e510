"""The one privacy argument of streams, by enumeration: no replaced event moves the released values further than claimed."""

from itertools import product

import numpy as np
import pytest

from seqveil.engines.local.engine import STREAMS
from seqveil.tables.units import Event, Record, Run
from seqveil.wall.continual import (
    Blocks,
    Checkpoints,
    ContinualQuestion,
    Count,
    Counts,
    LayerCounts,
    Lis,
    PrefixBlocks,
    Prefixes,
    Sum,
    WindowBlocks,
    Windows,
)
from seqveil.wall.measures.guarantee import Guarantee

NULL = np.nan
LIS_EVENTS = (1.0, 2.0, 3.0, NULL)


def farthest(question, alphabet, length, power=1):
    """The largest L1 distance between exact released values of two streams that differ in one event; squared L2 with power 2."""
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
                worst = max(worst, int((np.abs(cube[:, a] - cube[:, b]) ** power).sum(axis=-1).max()))
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
ADDITIVE = [
    (Blocks(5, 1), 1),
    (Blocks(5, 2), 2),
    (Blocks(5, 5), 5),
    (Blocks(5, 2, every=2), 2),
    (Blocks(None, 1), 1),
    (Blocks(None, 2), 2),
    (WindowBlocks(5, 5, arity=3), 2),
    (WindowBlocks(5, 3, arity=9), 1),
]
"""Families for counts and sums only."""


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
    assert overlap * statistic.sensitivity**2 == question.square(Event()) == farthest(question, alphabet, 5, power=2)


@pytest.mark.parametrize(("stretches", "overlap"), ADDITIVE, ids=str)
@pytest.mark.parametrize(
    ("statistic", "alphabet"), [(Count("= 1"), (0.0, 1.0, NULL)), (Sum("-1", "2", "0.5"), (-1.0, 0.5, 2.0, NULL))], ids=str
)
def test_blocks_keep_their_bound_and_attain_it(stretches, overlap, statistic, alphabet):
    """As above, for the families of counts and sums."""
    question = ContinualQuestion(statistic, stretches)

    assert overlap * statistic.sensitivity == question.influence(Event()) == farthest(question, alphabet, 5)
    assert overlap * statistic.sensitivity**2 == question.square(Event()) == farthest(question, alphabet, 5, power=2)


@pytest.mark.parametrize("blocks", [Blocks(5, 2), Blocks(5, 1, every=2), Blocks(None, 2)], ids=str)
def test_counts_per_label_move_by_two(blocks):
    """A replaced label leaves one count and enters another; a null event leaves one only, and 1 would be claimed too little."""
    question = ContinualQuestion(Counts(("a", "b", "c")), blocks)

    assert 2 * blocks.overlap == question.influence(Event()) == farthest(question, (0.0, 1.0, 2.0, NULL), 5)
    assert 2 * blocks.overlap == question.square(Event()) == farthest(question, (0.0, 1.0, 2.0, NULL), 5, power=2)
    assert blocks.overlap == farthest(ContinualQuestion(Counts(("a",)), blocks), (0.0, NULL), 5)


def farthest_run(question, run, length, power=1):
    """The largest distance, as above, between two streams of zeros and ones that differ in at most `run` consecutive events."""
    released = {s: question.kernel().feed(np.array(s, float)) for s in product((0, 1), repeat=length)}
    worst = 0
    for stream, values in released.items():
        for at, others in product(range(length - run + 1), product((0, 1), repeat=run)):
            moved = released[(*stream[:at], *others, *stream[at + run :])]
            worst = max(worst, int((np.abs(values - moved) ** power).sum()))
    return worst


@pytest.mark.parametrize("stretches", [Blocks(9, 2), PrefixBlocks(9), Blocks(None, 2), WindowBlocks(9, 4, arity=2)], ids=str)
def test_a_run_of_events_moves_as_much_as_its_events_together(stretches):
    """Blocks that hold the whole run move by all of it: nothing less than run × overlap would do, as long as blocks are long."""
    for run in (1, 2):
        question = ContinualQuestion(Count("= 1"), stretches, Run(run))

        assert run * stretches.overlap == question.influence(Run(run))
        assert farthest_run(question, run, 9) <= question.influence(Run(run))
    assert farthest_run(question, 2, 9) > question.influence(Event())


def test_a_run_attains_its_claim():
    """Of the first events every one lies in d blocks."""
    assert 6 == ContinualQuestion(Count("= 1"), Blocks(9, 2), Run(3)).influence(Run(3))
    assert 6 == farthest_run(ContinualQuestion(Count("= 1"), Blocks(9, 2)), 3, 9)


def test_the_square_of_a_run_is_kept_and_attained_by_one_long_block():
    """Blocks that hold the whole run move by all of it; only as many as hold it can attain the claim."""
    for stretches in (Blocks(9, 2), PrefixBlocks(9), Blocks(9, 1, every=3)):
        question = ContinualQuestion(Count("= 1"), stretches, Run(3))
        assert farthest_run(question, 3, 9, power=2) <= stretches.overlap * 3**2 == question.square(Run(3))
    assert farthest_run(question, 3, 9, power=2) == question.square(Run(3))


@pytest.mark.parametrize("length", [1, 2, 7, 8, 33])
@pytest.mark.parametrize(("statistic", "delta"), [(Lis(), 1), (Count("> 0"), 1), (Sum("-5", "15", "0.1"), 200)])
def test_the_scale_is_exact(length, statistic, delta):
    """L1 / ε with ε in grains, never rounded down."""
    scale = ContinualQuestion(statistic, PrefixBlocks(length)).law(Guarantee(3 * 10**12))

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
