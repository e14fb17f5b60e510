"""Blocks by digits with a bounded sum: how many any event lies in, how many a prefix has, and that nothing does better."""

from itertools import pairwise, product

import numpy as np
import pytest

from seqveil.engines.local.engine import STREAMS
from seqveil.errors import CallError
from seqveil.stream.mechanism import StreamMethod
from seqveil.wall.continual import Blocks, Bursts, Count, Lis, Matches, WindowBlocks, best_overlap
from seqveil.wall.continual.blocks import largest_sum, reached


def stretches(blocks, events):
    """(first, last) of every block that ends, and how many blocks each answer adds up, by the definition of digits."""
    ends = [i for i in range(1, events + 1) if i % blocks.every == 0]
    moments, depths, released = [(0, blocks.overlap)], {0: 0}, []
    for end, digit in zip(ends, blocks.digits().moved(len(ends)), strict=True):
        begin = next(at for at, moved in reversed(moments) if moved >= digit)
        released.append((begin + 1, end))
        depths[end] = depths[begin] + 1
        moments.append((end, digit))
    return released, [depths[end] for end in ends]


def covered(released, events):
    """In how many blocks each event lies."""
    return [sum(first <= event <= last for first, last in released) for event in range(1, events + 1)]


@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize("length", [1, 2, 3, 5, 9, 10, 34, 35, 90])
def test_no_event_lies_in_more_blocks_than_claimed_and_one_does(length, every):
    """For every d that is allowed: the overlap is attained, so a smaller claim would be wrong."""
    if length < every:
        return
    for overlap in [d for d in range(1, length + 1) if reached(length // every, d)]:
        blocks = Blocks(length, overlap, every)
        released, depths = stretches(blocks, length)

        assert overlap == max(covered(released, length))
        assert max(depths) <= blocks.most


@pytest.mark.parametrize("overlap", [1, 2, 3, 4])
def test_no_event_of_an_endless_stream_does_either(overlap):
    """Whatever the length turns out to be; the number of summands stays below what the plan says."""
    blocks = Blocks(None, overlap)
    released, depths = stretches(blocks, 600)

    assert overlap == max(covered(released, 600))
    assert all(max(depths[:steps]) <= blocks.sums(steps) for steps in (1, 2, 10, 100, 600))


@pytest.mark.parametrize("steps", range(1, 8))
def test_nothing_needs_fewer_summands(steps):
    """All ways to make each prefix of an earlier prefix and one block: for no overlap is there a better worst or mean."""
    best = {}
    for parents in product(*(range(i) for i in range(1, steps + 1))):
        released = [(parent + 1, i) for i, parent in enumerate(parents, start=1)]
        depths = [0]
        for parent in parents:
            depths.append(depths[parent] + 1)
        overlap = max(covered(released, steps))
        worst, total = best.get(overlap, (steps, steps**2))
        best[overlap] = min(worst, max(depths)), min(total, sum(depths))
    for overlap in [d for d in range(1, steps + 1) if reached(steps, d)]:
        _, depths = stretches(Blocks(steps, overlap), steps)

        assert min(worst for d, (worst, _) in best.items() if d <= overlap) == max(depths)
        if largest_sum(steps, overlap) != largest_sum(
            steps + 1, overlap
        ):  # the last answer of its digit sum: nothing is left over
            assert min(total for d, (_, total) in best.items() if d <= overlap) == sum(depths)


def test_the_standard_deviation_that_the_literature_has_for_base_k_is_undercut():
    """T = 34,589, ε = 1: 61.7 by binary digits, 28.4 in base 14; and the choice of d is the best there is."""
    deviation = {}
    for overlap in range(1, 8):
        _, depths = stretches_fast(Blocks(34_589, overlap), 34_589)
        deviation[overlap] = overlap * np.sqrt(2 * np.mean(depths))

    assert best_overlap(34_589) == min(deviation, key=deviation.get) == 4
    assert 26.6 < deviation[4] < 26.8


def stretches_fast(blocks, steps):
    """As `stretches`, without looking back."""
    depth, depths = [0] * blocks.overlap, []
    for digit in blocks.digits().moved(steps):
        depths.append(depth[digit] + 1)
        depth[: digit + 1] = [depths[-1]] * (digit + 1)
    return None, depths


@pytest.mark.parametrize("cuts", [(0, 40), (0, 1, 2, 17, 40)])
@pytest.mark.parametrize(
    "blocks", [Blocks(40, 1), Blocks(40, 3), Blocks(40, 2, every=4), Blocks(None, 2), Blocks(None, 3, 7)], ids=str
)
def test_blocks_have_their_exact_totals(blocks, cuts):
    """Whatever the batches the events come in."""
    events = np.random.default_rng(1).integers(0, 2, 40).astype(float)
    kernel = blocks.exact(Count("= 1"), STREAMS)
    values = [value for a, b in pairwise(cuts) for value in kernel.feed(events[a:b]).tolist()]

    assert [int(events[a - 1 : b].sum()) for a, b in stretches(blocks, 40)[0]] == values


@pytest.mark.parametrize("arity", [3, 5, 41])
def test_blocks_of_windows_have_their_exact_totals(arity):
    """All blocks of k^j events that end, shortest first."""
    events = np.random.default_rng(2).integers(0, 2, 60).astype(float)
    blocks, kernel = WindowBlocks(60, 40, arity), WindowBlocks(60, 40, arity).exact(Count("= 1"), STREAMS)
    values = [value for part in (events[:7], events[7:]) for value in kernel.feed(part).tolist()]
    expected = [int(events[i - size : i].sum()) for i in range(1, 61) for size in blocks.sizes if i % size == 0]

    assert expected == values
    assert len(values) == blocks.ending(1, 60).sum()


@pytest.mark.parametrize(("statistic", "window"), [(Lis(), None), (Lis(), 10), (Bursts(2, 3), 10)], ids=str)
def test_what_does_not_add_up_is_refused(statistic, window):
    """A difference of two lengths of increasing subsequences moves with events before the block."""
    with pytest.raises(CallError, match="work for counts and sums only"):
        StreamMethod(statistic, "blocks", 100, window)


@pytest.mark.parametrize("statistic", [Bursts(2, 3), Matches("1 0"), Matches("1 0 1", edits=1)], ids=str)
@pytest.mark.parametrize("blocks", [Blocks(60, 2), Blocks(60, 3, every=3), Blocks(None, 2)], ids=str)
def test_members_of_a_block_lie_in_it(statistic, blocks):
    """Each block's value is that of its events alone, whatever came before and however the events come in."""
    values = np.random.default_rng(3).integers(0, 3, 60).astype(float)
    kernel = blocks.exact(statistic, STREAMS)
    exact = [value for part in (values[:7], values[7:8], values[8:]) for value in kernel.feed(part).tolist()]
    parts = [values[first - 1 : last] for first, last in stretches(blocks, 60)[0]]

    assert [int(statistic.prefix(STREAMS).feed(part)[-1]) for part in parts] == exact
