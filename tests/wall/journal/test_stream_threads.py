"""One stream, one thread at a time: threads, iterators, signals and interrupts never make it use its noise twice."""

import sys
import threading

import pytest

from open_streams import reopened, start
from seqveil.audit.draws import Numbered
from seqveil.errors import RunFailed
from seqveil.stream.mechanism import StreamMethod
from seqveil.wall.continual import Count
from seqveil.wall.continual.blocks import _BlockTotals
from seqveil.wall.continual.continual import Continual
from seqveil.wall.continual.pool import Pool
from seqveil.wall.measures.guarantee import Guarantee


@pytest.mark.parametrize("state", [True, False])
def test_a_second_thread_waits_for_the_whole_answer(tmp_path, monkeypatch, state):
    """While one thread is between its draw and its answer, another feeds: it gets the next position, not the same."""
    stream, count, answers, others = start(tmp_path, state), _BlockTotals.feed, [], []

    def count_slowly(kernel, values):
        if not others:
            others.append(threading.Thread(target=lambda: answers.append(stream.feed(1))))
            others[0].start()
            others[0].join(0.3)  # without a turn it is done by then
        return count(kernel, values)

    monkeypatch.setattr(_BlockTotals, "feed", count_slowly)
    answers.append(stream.feed(1))
    others[0].join(30)
    stream.close()

    assert [1, 2] == sorted(answer.position for answer in answers)
    if state:
        with reopened(tmp_path) as stream:
            assert sorted(answers) == list(stream.again())


def test_many_threads_use_every_draw_once():
    """Eight threads, one raw side, and a detector that looks at what comes out."""
    noise = Numbered()
    method = StreamMethod(Count("> 0"), "baseline", 10_000)
    continual, answers = Continual(method.question, Guarantee(10**12), noise), []
    interval = sys.getswitchinterval()
    threads = [threading.Thread(target=lambda: answers.extend(continual.feed([1])[0] for _ in range(100))) for _ in range(8)]
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)

    assert list(range(1, 801)) == sorted(released.first for released in answers)
    for released in answers:
        noise.used(released.first, released.noisy[0], released.first)


def test_iterators_of_two_threads_tell_each_old_answer_once(tmp_path):
    """Both go through what was answered before; together they have everything, and nothing twice."""
    with start(tmp_path) as stream:
        answers = stream.feed_many([1, 0] * 20) + [stream.feed(1) for _ in range(20)]
    stream, heard = reopened(tmp_path), []
    threads = [threading.Thread(target=lambda: heard.extend(stream.again())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert answers == sorted(heard)
    assert 61 == stream.feed(1).position
    stream.close()


@pytest.mark.parametrize("gone_through", [0, 1, 30])
def test_what_was_answered_is_gone_through_before_the_first_event(tmp_path, monkeypatch, gone_through):
    """Feeding earlier is refused, as often as it is tried: it would draw fresh noise for an event that has its answer."""
    monkeypatch.setattr("seqveil.wall.journal.journal.REPLAYED", 10)
    with start(tmp_path) as stream:
        answers = [stream.feed(1) for _ in range(35)]
    stream = reopened(tmp_path)
    again = stream.again()
    heard = [next(again) for _ in range(gone_through)]
    before = (tmp_path / "s").read_bytes()
    for _ in range(2):
        with pytest.raises(RunFailed, match="were answered already"):
            stream.feed(1)

    assert before == (tmp_path / "s").read_bytes()
    heard += list(again)
    assert answers == heard
    assert 36 == stream.feed(1).position
    assert [] == list(stream.again())
    stream.close()


def test_an_iterator_left_half_way_is_continued_by_the_next(tmp_path, monkeypatch):
    """No answer of before is skipped over, so the stream goes on where it really stood."""
    monkeypatch.setattr("seqveil.wall.journal.journal.REPLAYED", 10)
    with start(tmp_path) as stream:
        for _ in range(35):
            stream.feed(1)
    stream = reopened(tmp_path)
    next(stream.again())
    stream.resume()

    assert 35 == stream.position
    assert 36 == stream.feed(1).position
    stream.close()


# ── computing an answer ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("state", [True, False])
def test_a_signal_handler_cannot_feed_in_the_middle_of_an_answer(tmp_path, monkeypatch, state):
    """The same thread comes in again between draw and answer: refused, and the answer in the making is right."""
    stream, take, inner = start(tmp_path, state), Pool.take, []

    def take_interrupted(pool, count):
        if not inner:
            inner.append(None)
            with pytest.raises(RunFailed, match="computing an answer"):
                stream.feed(0)
            with pytest.raises(RunFailed, match="computing an answer"):
                stream.close()
        return take(pool, count)

    monkeypatch.setattr(Pool, "take", take_interrupted)

    assert 1 == stream.feed(1).position
    assert 2 == stream.feed(1).position
    stream.close()


def test_an_interrupted_answer_ends_the_object_and_not_the_stream(tmp_path, monkeypatch):
    """Ctrl-C after the journal and before the answer: nothing more from this object, everything from its file."""
    stream = start(tmp_path)
    answers = [stream.feed(1)]
    release = Continual._Continual__release

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Continual, "_Continual__release", stop)
    with pytest.raises(KeyboardInterrupt):
        stream.feed(1)
    monkeypatch.setattr(Continual, "_Continual__release", release)
    for _ in range(2):
        with pytest.raises(RunFailed, match="was interrupted, so it gives"):
            stream.feed(0)
    stream.close()
    with start(tmp_path) as stream:
        assert 2 == stream.position
        answers.append(stream.feed(1))
    with reopened(tmp_path) as stream:
        assert [answers[0], 2, answers[1]] == [a if i != 1 else a.position for i, a in enumerate(stream.again())]


def test_events_become_numbers_before_the_turn(tmp_path):
    """An event with code of its own that fails, or feeds, is null or a number, and does not leave the stream half way."""
    stream = start(tmp_path, state=False, where=None)

    class Feeding(float):
        def __float__(self):
            fed.append(stream.feed(1).position)
            return 1.0

    class Failing(float):
        def __float__(self):
            raise ZeroDivisionError

    fed = []
    assert 1 == stream.feed(Failing()).position
    last = stream.feed(Feeding()).position

    assert fed == list(range(2, last))
    assert len(fed) > 0
    assert last + 1 == stream.feed(1).position
