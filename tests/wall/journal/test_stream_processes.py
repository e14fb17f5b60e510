"""One stream, one process: forks never make it use its noise twice."""

import multiprocessing
import os
import sys
import threading
import warnings

import pytest

from forks import in_fork
from open_streams import reopened, start
from processes import run
from seqveil.audit.draws import Numbered
from seqveil.errors import RunFailed, SeqveilError
from seqveil.stream.mechanism import StreamMethod
from seqveil.wall.continual import Count
from seqveil.wall.continual.continual import Continual
from seqveil.wall.measures.guarantee import Guarantee


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
    started, starting = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.close(theirs)
        os.write(starting, b".")
        os.read(ours, 1)  # until the parent is done
        os._exit(0)
    try:
        os.read(started, 1)  # on a busy machine a child may not have run at all yet
        stream.close()
        with start(tmp_path) as stream:
            assert 2 == stream.feed(1).position
    finally:
        for end in (theirs, ours, started, starting):
            os.close(end)
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
    outcome = queue.get(timeout=120)
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
    continual = Continual(method.question, Guarantee(10**12), noise)

    def feed(event):
        for _ in range(2):
            ones = continual.position + 1 if event else 2
            (released,) = continual.feed([event])
            noise.used(released.first, released.noisy[0], ones)

    feed(1)
    assert isinstance(in_fork(lambda: feed(0)), RunFailed)
    feed(1)
    assert 0 == noise.caught


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
