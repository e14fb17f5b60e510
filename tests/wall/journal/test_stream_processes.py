"""One stream, one process: forks, threads and interrupts never make it use its noise twice."""

import multiprocessing
import os
import sys
import threading
import warnings

import pytest

import seqveil as sv
from forks import in_fork
from processes import run
from seqveil.audit.draws import Numbered
from seqveil.errors import RunFailed, SeqveilError
from seqveil.stream.mechanism import StreamMethod, method_from
from seqveil.wall.continual import Count, promise_of, reopen_stream
from seqveil.wall.continual.additive import _OnGrid
from seqveil.wall.continual.continual import Continual
from seqveil.wall.continual.pool import Pool

EVENTS = [5, 3, "?", 4, 8, 1, 9, 2, None, 6, 7, 7]


def start(tmp_path, state=True, **more):
    place = {"home": tmp_path / "home", **({"state": tmp_path / "s"} if state else {})}
    return sv.stream.count(**{"length": 4000, "epsilon": "1.0", "account": "meter", "where": "> 0", **place, **more})


def reopened(tmp_path):
    """From its state file, before anything is gone through again."""
    state = tmp_path / "s"
    return reopen_stream(method_from(promise_of(state).parameters), state, home=tmp_path / "home")


def journal_of(stream):
    return stream._continual._Continual__journal


def refusals(stream):
    """What each way of using a stream ends with."""
    answers = []
    for use in (
        lambda: stream.feed(1),
        lambda: stream.feed_many([1, 2]),
        lambda: list(stream.over([1])),
        lambda: list(stream.again()),
        stream.resume,
    ):
        try:
            use()
            answers.append("it was used")
        except RunFailed as error:
            answers.append(str(error))
    return answers


# ── forks ────────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "more", [{"state": True}, {"state": False}, {"state": False, "seed": 1, "account": None}], ids=["state", "memory", "seeded"]
)
def test_a_forked_child_is_refused_and_its_parent_goes_on(tmp_path, more):
    """Every use in the child says why, and what to do; the parent's answers and files are as if there had been no child."""
    stream = start(tmp_path, **more)
    stream.feed(1)
    messages = in_fork(lambda: refusals(stream))

    assert 5 == len(messages)
    assert all("is a fork of it" in text and "from its state file" in text for text in messages), messages
    assert [2, 3] == [answer.position for answer in stream.feed_many([1, 1])]
    stream.close()


def test_a_forked_child_holds_no_noise_and_no_file(tmp_path):
    """What was drawn ahead is gone from its memory, and neither of the two files is open there."""
    stream = start(tmp_path)
    stream.feed(1)

    def look():
        links = [f"/proc/self/fd/{fd}" for fd in os.listdir("/proc/self/fd")]
        open_files = [os.readlink(link) for link in links if os.path.exists(link)]
        return len(stream._continual._Continual__pool._drawn), [name for name in open_files if str(tmp_path) in name]

    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("this system does not list open files under /proc")
    assert (0, []) == in_fork(look)
    assert 1023 == len(stream._continual._Continual__pool._drawn)
    stream.close()


def test_the_pool_of_a_fork_refuses_too(tmp_path):
    """The noise itself is guarded, not just the stream around it."""
    stream = start(tmp_path, state=False)
    stream.feed(1)

    assert isinstance(in_fork(lambda: stream._continual._Continual__pool.take(1).tolist()), RunFailed)
    assert isinstance(in_fork(lambda: stream._continual.feed([1])), RunFailed)


def test_leaving_a_with_block_in_the_child_changes_nothing(tmp_path):
    """The child closes, forgets and ends; the parent's stream still has its locks, and its file is untouched."""
    stream = start(tmp_path)
    stream.feed(1)
    before = (tmp_path / "s").read_bytes()

    def leave():
        with stream:
            pass
        journal_of(stream).__del__()

    assert None is in_fork(leave)
    assert before == (tmp_path / "s").read_bytes()
    assert "in use" in second_process(tmp_path / "s", tmp_path / "home")
    assert 2 == stream.feed(1).position
    stream.close()


def test_a_child_that_lives_on_does_not_keep_the_stream(tmp_path):
    """The parent closes and opens again while its child is still there."""
    stream = start(tmp_path)
    stream.feed(1)
    ours, theirs = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.close(theirs)
        os.read(ours, 1)  # until the parent is done
        os._exit(0)
    try:
        stream.close()
        with start(tmp_path) as stream:
            assert 2 == stream.feed(1).position
    finally:
        os.close(theirs)
        os.close(ours)
        os.waitpid(child, 0)


def test_locks_that_were_held_at_the_fork_do_not_hang_the_child(tmp_path):
    """Another thread is computing an answer and of a sync; neither exists in the child."""
    stream = start(tmp_path)
    stream.feed(1)
    entered, done = threading.Event(), threading.Event()

    def hold():
        journal = journal_of(stream)
        with stream._continual.turn(), journal._lock, journal._stop._cond:
            entered.set()
            done.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    entered.wait(30)

    def use():
        messages = refusals(stream)
        stream.close()
        journal_of(stream).__del__()
        return messages

    try:
        assert ["is a fork of it" in text for text in in_fork(use, 10)] == [True] * 5
    finally:
        done.set()
        thread.join()
    stream.close()


def test_multiprocessing_by_fork_is_refused(tmp_path):
    """A worker that inherits a stream cannot answer with it."""
    stream = start(tmp_path, state=False)
    stream.feed(1)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        worker = context.Process(target=lambda: queue.put(refusals(stream)))
        worker.start()
    outcome = queue.get(timeout=30)
    worker.join()

    assert all("is a fork of it" in text for text in outcome)


def test_a_child_may_open_streams_of_its_own(tmp_path):
    """A new one, and the parent's from its state file once the parent has closed it."""
    stream = start(tmp_path)
    before = stream.feed(1)

    def other():
        with start(tmp_path / "other") as own:
            return own.feed(1).position

    def same():
        with start(tmp_path) as mine:
            return mine.position, mine.feed(1).position

    (tmp_path / "other").mkdir()
    assert 1 == in_fork(other)
    assert isinstance(in_fork(same), SeqveilError)
    stream.close()
    assert (1, 2) == in_fork(same)
    with reopened(tmp_path) as stream:
        assert [before, 2] == [next(again := stream.again()), next(again).position]


def test_two_processes_never_share_a_draw():
    """The detector, on the raw side alone: the child may not answer, so no draw is seen in two processes."""
    noise = Numbered()
    method = StreamMethod(Count("> 0"), "baseline", 3000)
    continual = Continual(method.question, 10**12, noise)

    def feed(event):
        for _ in range(2):
            ones = continual.position + 1 if event else 2
            (released,) = continual.feed([event])
            noise.used(released.first, released.noisy[0], ones)

    feed(1)
    assert isinstance(in_fork(lambda: feed(0)), RunFailed)
    feed(1)
    assert 0 == noise.caught


# ── threads ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("state", [True, False])
def test_a_second_thread_waits_for_the_whole_answer(tmp_path, monkeypatch, state):
    """While one thread is between its draw and its answer, another feeds: it gets the next position, not the same."""
    stream, count, answers, others = start(tmp_path, state), _OnGrid.feed, [], []

    def count_slowly(kernel, values):
        if not others:
            others.append(threading.Thread(target=lambda: answers.append(stream.feed(1))))
            others[0].start()
            others[0].join(0.3)  # without a turn it is done by then
        return count(kernel, values)

    monkeypatch.setattr(_OnGrid, "feed", count_slowly)
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
    continual, answers = Continual(method.question, 10**12, noise), []
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


def second_process(state, home):
    """What another interpreter hears when it opens a state file and feeds."""
    code = (
        "import sys, seqveil as sv\n"
        "from seqveil.errors import SeqveilError\n"
        "try:\n"
        "    print('position', sv.stream.count(state=sys.argv[1], home=sys.argv[2]).feed(1).position)\n"
        "except SeqveilError as error:\n"
        "    print(error)\n"
    )
    return run([sys.executable, "-c", code, state, home], text=True, check=True).stdout
