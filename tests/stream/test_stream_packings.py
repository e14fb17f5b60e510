"""Matches and bursts, from events to answers."""

import numpy as np
import pytest

import seqveil as sv
from seqveil.engines.local.engine import STREAMS
from seqveil.errors import CallError
from seqveil.stream.mechanism import StreamMethod
from seqveil.wall.continual import Bursts, Matches
from seqveil.wall.continual.continual import Continual
from seqveil.wall.measures.guarantee import Guarantee
from seqveil.wall.noise import SecureNoise
from seqveil.wall.noise.nothing import NoNoise

EVENTS = np.random.default_rng(3).integers(0, 3, 150).tolist()
PACKINGS = [Matches("0 1"), Matches("0 1 2 0", edits=1), Bursts(4, 6, "> 0")]
every_packing = pytest.mark.parametrize("statistic", PACKINGS, ids=str)


def pairs(method, events, noise):
    """(noisy, draws) after each event, straight from the wall."""
    continual, combiner = Continual(method.question, Guarantee(10**12), noise), method.combiner()
    return [pair for released in continual.feed(events) for pair in combiner.combine(released)]


@every_packing
@pytest.mark.parametrize("window", [None, 16, 21, 64])
def test_blocks_lose_at_most_one_for_each_border(statistic, window):
    """Never more than the truth, and less by at most the number of borders between the blocks of an answer."""
    numbers = statistic.numbers(EVENTS)
    exact = statistic.prefix(STREAMS) if window is None else statistic.window(STREAMS, window)
    truth = exact.feed(numbers).tolist()
    results = [value for value, _ in pairs(StreamMethod(statistic, "binary", 150, window), EVENTS, NoNoise())]
    borders = [bin(i).count("1") - 1 if window is None else 2 * (window.bit_length() - 1) for i in range(1, 151)]

    assert all(value <= right <= value + lost for value, right, lost in zip(results, truth, borders, strict=True))
    assert max(truth) > 1


@every_packing
@pytest.mark.parametrize("window", [None, 21])
def test_the_noise_of_short_blocks_is_left_out(statistic, window):
    """Over nulls an answer changes only where a block that is long enough ends, and has no more draws than such blocks."""
    method = StreamMethod(statistic, "binary", 150, window)
    results = pairs(method, [None] * 150, SecureNoise())
    levels = method.question.stretches.touched(statistic.shortest)

    assert max(draws for _, draws in results) <= (levels if window is None else max(1, 2 * (levels - 1)))
    assert [(0, 0)] * (statistic.shortest - 1) == results[: statistic.shortest - 1]
    assert len(set(results)) > 5
    if window is None:
        block = 1 << (statistic.shortest - 1).bit_length()
        assert all(results[i] == results[i - 1] for i in range(1, 150) if (i + 1) % block)


def test_worked_examples():
    """Overlapping occurrences count once; one edit lets a missing, a wrong and a further event pass."""

    def last(text, **own):
        stream = sv.stream.matches(length=20, epsilon=900000, seed=1, method="baseline", **own)
        return [answer.noisy for answer in stream.over(text)][-1]

    assert [1, 2, 2] == [last(text, pattern="a b a") for text in ("ababa", "abaaba", "abababa")]
    assert [1, 1, 1, 1, 0] == [last(text, pattern="a b c d", edits=1) for text in ("abcd", "abd", "axcd", "abxcd", "axd")]
    alarms = sv.stream.bursts(length=9, epsilon=900000, seed=1, method="baseline", where="= x", at_least=3, within=4)
    assert [0, 0, 0, 1, 1, 1, 2, 2, 2] == [answer.noisy for answer in alarms.over("xxoxxxxxo")]


def test_answers_stay_within_what_fits():
    """Ten events hold at most three matches of three events."""
    stream = sv.stream.matches(length=10, epsilon="0.1", seed=5, pattern="a b c")
    answers = stream.feed_many("abcabcabca")

    assert all(0 <= answer.value <= answer.position // 3 for answer in answers)
    assert any(answer.noisy > answer.position // 3 for answer in answers) or any(answer.noisy < 0 for answer in answers)


@pytest.mark.filterwarnings("ignore:epsilon = 900000:seqveil.errors.ReleaseWarning")
def test_a_restart_continues_in_the_middle_of_a_match(tmp_path):
    """The first half before, the second half after; the same answers again, charged once."""
    place = {"state": tmp_path / "s", "home": tmp_path / "home"}
    with sv.stream.matches(
        pattern="a b", length=8, epsilon=900000, account="m", cap=900000, method="baseline", **place
    ) as stream:
        before = stream.feed_many("aba")
    with sv.stream.matches(**place) as stream:
        after = stream.feed_many("bab")

    assert [0, 1, 1, 2, 2, 3] == [answer.noisy for answer in before + after]
    assert 1 == len(sv.Ledger(tmp_path / "home").charges("m"))


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        ({}, "missing required parameters: pattern, for example pattern='open fail fail'"),
        ({"pattern": "a b c", "length": 2}, "length=2: matches of at least 3 events .* Give at least length=4"),
        ({"pattern": "a b c", "length": 2, "method": "baseline"}, "Give at least length=3"),
        ({"pattern": "a b c", "window": 3}, "window=3: .* Give at least window=4"),
        ({"pattern": "a b c", "window": 2, "method": "window"}, "Give at least window=3"),
    ],
)
def test_wrong_calls_are_explained(call, complaint):
    """What could only ever answer 0 is refused, and says what to type instead."""
    with pytest.raises(CallError, match=complaint):
        sv.stream.matches(**{"length": 100, "epsilon": 1, "seed": 1, **call})
