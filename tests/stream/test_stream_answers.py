"""From released values to answers."""

import numpy as np
import pytest

import seqveil as sv
from seqveil.engines.local.engine import STREAMS
from seqveil.errors import CallError
from seqveil.stream.answers import noise95
from seqveil.stream.mechanism import StreamMethod
from seqveil.wall.continual import Count, Counts, Lis, Released, Sum
from seqveil.wall.continual.continual import Continual
from seqveil.wall.measures.guarantee import Guarantee
from seqveil.wall.noise import Scale, SecureNoise, SeededNoise
from seqveil.wall.noise.nothing import NoNoise

EVENTS = np.random.default_rng(3).integers(0, 9, 150).astype(float)


def answers(method, events, noise=None):
    """(noisy, draws) after each event, straight from the wall."""
    continual, combiner = Continual(method.question, Guarantee(10**12), noise or NoNoise()), method.combiner()
    return [pair for released in continual.feed(events) for pair in combiner.combine(released)]


WIDTHS = [1, 2, 3, 7, 8, 50, 150, 1000]


@pytest.mark.parametrize(
    ("method", "window"),
    [
        *[(method, None) for method in ("baseline", "binary", "blocks")],
        *[(method, width) for method in ("binary", "window", "blocks") for width in WIDTHS],
    ],
)
def test_counts_and_sums_are_right_but_for_noise(method, window):
    """Blocks add up to exactly the prefix or the window, for every position."""
    for statistic, plain in ((Count("> 4"), EVENTS > 4), (Sum("0", "5"), np.minimum(EVENTS, 5))):
        results = answers(StreamMethod(statistic, method, 150, window), EVENTS)
        width = window or 150

        assert [int(plain[max(0, i - width + 1) : i + 1].sum()) for i in range(150)] == [value for value, _ in results]


def test_figure_5_2():
    """After six symbols the answer is the block of the last two and the block of the four before."""
    method = StreamMethod(Lis(), "binary", 8)
    parts = np.array([1, 20, 300, 4000, 50000, 600000])
    results = method.combiner().combine(Released(1, np.ones(6, np.int64), parts))

    assert (604000, 2) == results[5]
    assert ["0001", "0020", "0320", "4000"] == [f"{value:04d}" for value, _ in results[:4]]


def test_binary_lis_is_the_sum_over_its_blocks_and_never_too_low():
    """The thesis' Lemma 5.3: at least the truth, at most log2 T + 1 times it."""
    results = [value for value, _ in answers(StreamMethod(Lis(), "binary", 150), EVENTS)]
    exact = Lis().prefix(STREAMS).feed(EVENTS).tolist()

    assert all(truth <= value <= 8 * truth for truth, value in zip(exact, results, strict=True))
    six = [Lis().prefix(STREAMS).feed(part)[-1] for part in (EVENTS[:4], EVENTS[4:6])]
    assert sum(six) == results[5]


def test_each_block_is_noised_once_and_kept():
    """On a stream of nulls the answers are sums of block noises: one fresh draw per event, all others as before."""
    method = StreamMethod(Count("> 0"), "binary", 64)
    results = [value for value, _ in answers(method, [None] * 64, SecureNoise())]
    upto = [0, *results]
    noise = {i: upto[i] - upto[i & (i - 1)] for i in range(1, 65)}

    assert len(set(noise.values())) > 10
    for i in range(1, 65):
        blocks, at = [], i
        while at:
            blocks.append(noise[at])
            at &= at - 1
        assert sum(blocks) == upto[i]


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 7, 8, 21])
def test_windows_add_up_few_blocks(width):
    """At most 2·⌊log2 W⌋ draws in an answer (1 for W = 1): noise grows with log W."""
    results = answers(StreamMethod(Count("> 0"), "binary", 150, width), EVENTS)

    assert max(draws for _, draws in results) <= max(1, 2 * (width.bit_length() - 1))


def test_checkpoints_hold_their_answer():
    """R = 3 of 9: the count is told at 3, 6 and 9, and stands until the next."""
    results = answers(StreamMethod(Count("> 0"), "checkpoints", 9, checkpoints=3), [1] * 9)

    assert [0, 0, 3, 3, 3, 6, 6, 6, 9] == [value for value, _ in results]
    assert [0, 0, 1, 1, 1, 1, 1, 1, 1] == [draws for _, draws in results]


@pytest.mark.parametrize("method", ["baseline", "binary"])
def test_a_stream_of_one_event(method):
    """T = 1: one release, scale Δ/ε, no 0/0."""
    one = StreamMethod(Lis(), method, 1)

    assert 1.0 == one.question.law(Guarantee(10**12)).value
    assert [(1, 1)] == answers(one, [7])


def test_null_events_print_like_any_other():
    """Each gets an answer, and changes none of the exact values."""
    with sv.stream.lis(length=5, epsilon=10**5, seed=1, method="baseline") as trend:
        assert [1, 1, 1, 2, 2] == [answer.value for answer in trend.over([3, "oops", None, 4, float("nan")])]


def test_answers_are_cut_to_what_is_possible():
    """value stays within public bounds, noisy does not, and both agree where nothing is cut."""
    with sv.stream.count(length=100, epsilon="0.1", seed=2) as crowd:
        results = crowd.feed_many([True] * 100)

    assert all(0 <= a.value <= a.position and (a.value == a.noisy or not 0 <= a.noisy <= a.position) for a in results)
    assert any(a.value != a.noisy for a in results)


@pytest.mark.parametrize("draws", [1, 2, 10])
@pytest.mark.parametrize("size", [0.7, 20.0, 700.0])
def test_the_bound_on_noise_holds_in_95_of_100(draws, size):
    """Not less often, and not much more often."""
    scale = Scale(size)
    sums = SeededNoise(5).laplace(scale, 20_000 * draws).reshape(-1, draws).sum(axis=1)
    inside, tighter = (np.mean(np.abs(sums) <= bound) for bound in (noise95(size, draws), 0.85 * noise95(size, draws) - 1))

    assert inside >= 0.945
    assert tighter < 0.95


@pytest.mark.slow
def test_the_noise_has_the_scale_it_must_have():
    """Variance of a baseline stream's answers: right within 5 %, while a scale 20 % off would be 36 % away."""
    length = 20_000
    method = StreamMethod(Count("> 0"), "baseline", length)
    noise = np.array([value for value, _ in answers(method, [None] * length, SecureNoise())], float)
    expected = Scale(float(length)).variance

    assert 0.93 < noise.var() / expected < 1.07


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        ({"method": "window"}, "method=window needs window, for example window=1000"),
        ({"method": "baseline", "window": 5}, "takes no window: leave it out, or use method=blocks or binary or window"),
        ({"method": "checkpoints", "checkpoints": 101}, "at most the length, 100"),
        ({"method": "sliding"}, "choose one of blocks, baseline, binary, window, checkpoints, hierarchy"),
        ({"method": "binary", "window": 0}, "window=0: give a whole number of at least 1"),
        ({"length": 0}, "length=0"),
        ({"length": 2**41}, "from 1 to 2"),
        ({"length": True}, "length=True"),
    ],
)
def test_wrong_calls_are_explained(call, complaint):
    """What was given, what is allowed, what to type instead."""
    with pytest.raises(CallError, match=complaint):
        sv.stream.lis(**{"length": 100, "epsilon": 1, "seed": 1, **call})


def test_hierarchy_is_an_experiment_only(tmp_path):
    """With a seed it runs, with the provable scale; without one it is refused and nothing is charged."""
    with pytest.raises(CallError, match="its published guarantee is false"):
        sv.stream.lis(length=100, epsilon=1, account="a", method="hierarchy", buckets=4, home=tmp_path)
    with sv.stream.lis(length=100, epsilon=1, seed=1, method="hierarchy", buckets=4) as tried:
        tried.feed_many(range(100))

    assert 100 * 5 * 4 * 16 == tried.promise.scale
    assert tried.promise.private is False
    assert not (tmp_path / "ledger" / "ledger.sqlite").exists()


def test_experiments_repeat_themselves_whatever_the_batches():
    """The same seed gives the same answers, one by one or all at once."""
    one, all_at_once = (sv.stream.count(length=3000, epsilon=1, seed=9, where="> 4", window=10) for _ in range(2))
    events = [float(x % 7) for x in range(3000)]

    assert list(one.over(events)) == all_at_once.feed_many(events)


def test_events_beyond_the_length_are_refused():
    """The declared length is a promise; what fits was answered."""
    with sv.stream.lis(length=3, epsilon=1, seed=1) as trend:
        assert 3 == len(trend.feed_many([1, 2, 3]))
        with pytest.raises(sv.SeqveilError, match="declared with length=3"):
            trend.feed(4)


@pytest.mark.parametrize(("width", "arity"), [(7, 3), (12, 5), (40, 3), (40, 6)])
def test_windows_in_base_k_add_up_what_the_plan_says(width, arity):
    """Exact sums, and no more blocks than --dry-run counts with."""
    method = StreamMethod(Count("> 4"), "blocks", 150, width, arity=arity)
    results = answers(method, EVENTS)
    most = 2 * (arity - 1) * (len(method.question.stretches.sizes) - 1) + width // method.question.stretches.sizes[-1]

    assert [int((EVENTS > 4)[max(0, i - width + 1) : i + 1].sum()) for i in range(150)] == [value for value, _ in results]
    assert max(draws for _, draws in results) <= most


def test_a_stream_without_a_length_counts_on():
    """Blocks of a stream whose length nobody declared add up to exactly the prefix, and closed positions keep the answer."""
    results = answers(StreamMethod(Count("> 4"), "blocks"), EVENTS)

    assert np.cumsum(EVENTS > 4).tolist() == [value for value, _ in results]


def test_counts_per_label_are_right_but_for_noise():
    """Each label's count at every third event; the labels outside count nowhere."""
    method = StreamMethod(Counts(("1", "2", "3")), "blocks", 150, every=3)
    results = answers(method, EVENTS)

    assert [[int((EVENTS[: 3 * i] == label).sum()) for label in (1, 2, 3)] for i in range(1, 51)] == [
        value.tolist() for value, _ in results
    ]
    assert method.question.law(Guarantee(10**12)).value == 2 * method.overlap


def test_labels_have_noise_of_their_own():
    """No two labels of an answer share a draw."""
    with sv.stream.count(length=40, epsilon=1, seed=1, by=["a", "b"], every=1) as stream:
        pairs = [answer.noisy for answer in stream.feed_many([None] * 40)]

    assert pairs[::2] != pairs[1::2]
