"""Ways that were found to lose ε, to raise for an event, or to use noise twice; each of them is closed."""

import gzip
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import warnings
from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import seqveil as sv
from seqveil.audit.draws import Numbered
from seqveil.errors import CallError, InputProblems, RunFailed
from seqveil.sources.events import EventStream
from seqveil.stream.block_sums import BlockSums
from seqveil.stream.mechanism import method_from
from seqveil.wall.continual import Count, Lis, Sum, promise_of, reopen_stream
from seqveil.wall.continual.continual import Continual
from seqveil.wall.continual.pool import Pool
from seqveil.wall.continual.statistics import Behind
from seqveil.wall.continual.where import Where
from seqveil.wall.ledger import Ledger
from seqveil.wall.measures.guarantee import Guarantee
from seqveil.wall.noise import SeededNoise

SECRET = "8675309"
COUNT = "stream count --where '> 0' --length 10 --epsilon 1 --account meter"


@pytest.fixture
def typed(tmp_path):
    """Runs a line of the shell, in which $S is the command; tells how it ended and what the ledger was charged."""

    def run(line, **given):
        home = tmp_path / "home"
        environment = {**os.environ, "SEQVEIL_HOME": str(home), "S": f"{sys.executable} -m seqveil"}
        kept = {"capture_output": True, **(given or {"input": b""})}
        ran = subprocess.run(["bash", "-c", line], cwd=tmp_path, env=environment, timeout=60, check=False, **kept)
        charged = [charge.status for each in Ledger(home).accounts() for charge in Ledger(home).charges(each.name)]
        return ran.returncode, (ran.stderr or b"").decode(), charged

    return run


# ── what can fail before the charge fails before the charge ──────────────────────────────────────────────────────────────


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "words"),
    [
        (f"$S {COUNT} socket", "is a socket: give a file or a pipe"),
        (f"setsid $S {COUNT} /dev/tty", "/dev/tty: cannot be read (No such device or address)"),
        (f"$S {COUNT} /dev/zero", "/dev/zero: is a device: give a file, a pipe or a terminal"),
        (f"$S {COUNT} /dev/full", "/dev/full: is a device"),
        (f"$S {COUNT} </dev/zero", "standard input: is closed, or a device"),
        (f"$S {COUNT} 0>/dev/null", "standard input: is closed, or a device"),
        (f"$S {COUNT} 0>some", "standard input: is open for writing only"),
        (f"$S {COUNT} <&-", "standard input: is closed, or a device: give a file, a pipe or a terminal"),
        (f"$S {COUNT} events.txt >&-", "is closed: redirect it"),
        (f"(echo {SECRET} >pipe.gz &) ; $S {COUNT} pipe.gz", "is a truncated or damaged gzip archive"),
        (f"(: >pipe.gz &) ; $S {COUNT} pipe.gz", "ended without an event"),
        (f"(head -c 20 packed.gz >pipe.gz &) ; $S {COUNT} pipe.gz", "is a truncated or damaged gzip archive"),
    ],
)
def test_an_input_or_output_that_cannot_be_used_costs_nothing(typed, tmp_path, line, words):
    """It is refused in words, none of them from the data, and the ledger has heard of nothing."""
    os.mkfifo(tmp_path / "pipe.gz")
    (tmp_path / "events.txt").write_text(f"{SECRET}\n")
    (tmp_path / "packed.gz").write_bytes(gzip.compress(f"{SECRET}\n".encode() * 100))
    with socket.socket(socket.AF_UNIX) as listening:
        before = os.getcwd()
        os.chdir(tmp_path)  # the name of a socket must be short
        try:
            listening.bind("socket")
        finally:
            os.chdir(before)
        code, message, charged = typed(line)

    assert (2, []) == (code, charged), message
    assert words in message
    assert SECRET not in message


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        f"$S {COUNT} events.txt",
        f"$S {COUNT} <events.txt",
        f"cat events.txt | $S {COUNT}",
        f"cat events.txt | $S {COUNT} /dev/stdin",
        f"$S {COUNT} <(cat events.txt)",
        f"(cat events.txt >pipe &) ; $S {COUNT} pipe",
        f"(gzip <events.txt >pipe.gz &) ; $S {COUNT} pipe.gz",
        f'script -qec "$S {COUNT} /dev/tty" /dev/null <events.txt',
    ],
)
def test_what_has_events_is_answered(typed, tmp_path, line):
    """Files, pipes, named pipes, terminals."""
    if line.startswith("script") and shutil.which("script") is None:
        pytest.skip("needs the command script, for a terminal")
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(tmp_path / "pipe.gz")
    (tmp_path / "events.txt").write_text("1\n2\n\x04" if line.startswith("script") else "1\n2\n")
    code, message, charged = typed(f"{{ {line} ; }} >out")

    assert (0, ["committed"]) == (code, charged), message
    answers = [row for row in (tmp_path / "out").read_text().splitlines() if row.startswith(("1\t", "2\t"))]
    assert 2 == len(answers), (tmp_path / "out").read_text()


@pytest.mark.slow
def test_a_socket_on_standard_input_is_read(typed):
    """As servers started by inetd have it."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(b"1\n2\n")
        ours.shutdown(socket.SHUT_WR)
        code, message, charged = typed(f"$S {COUNT}", stdin=theirs)

    assert (0, ["committed"]) == (code, charged), message


def test_an_archive_that_ends_early_is_told_in_words(tmp_path):
    """Later than the first events, when the stream is charged: an error of ours without a word of the data."""
    pipe = tmp_path / "pipe.gz"
    os.mkfifo(pipe)
    body = gzip.compress(np.random.default_rng(1).integers(0, 10**9, 60_000).astype("U").astype(object).sum().encode())
    writer = threading.Thread(target=lambda: pipe.write_bytes(body[: len(body) * 3 // 4]))
    writer.start()
    events = EventStream(pipe).open()
    with pytest.raises(InputProblems, match="truncated or damaged gzip archive"):
        list(events)
    writer.join()


def test_a_pipe_that_somebody_set_to_non_blocking_is_waited_for():
    """An empty pipe is not the end of the input."""
    out, into = os.pipe()
    os.set_blocking(out, False)
    before = os.dup(0)
    os.dup2(out, 0)
    try:
        events = EventStream(None).open()
        later = threading.Timer(0.1, lambda: (os.write(into, b"1\n"), os.close(into)))
        later.start()
        assert [["1"]] == list(events)
        later.join()
    finally:
        os.dup2(before, 0)
        os.close(before)
        os.close(out)


# ── every event is an event ──────────────────────────────────────────────────────────────────────────────────────────────


class Raising(int):
    """A number whose every word is an error."""

    def __float__(self):
        raise ZeroDivisionError

    __str__ = __int__ = __index__ = __eq__ = __float__
    __hash__ = int.__hash__


class Text(str):
    """Text that does not want to be compared."""

    def __eq__(self, other):
        raise ZeroDivisionError

    __hash__ = str.__hash__
    __float__ = __str__ = __eq__


NULLS = [
    None, pd.NA, pd.NaT, np.array([1, 2]), np.array(1), pd.Series([1, 2]), pd.Series([], dtype=float), 10**5000, -(10**5000),
    np.ma.masked, 1 + 2j, np.complex128(1), [1], {}, object(), float("nan"), float("inf"), np.float32("inf"), Raising(5),
    np.longdouble("1e4000"), Decimal("sNaN"), Decimal("1E+999999"), "",
]  # fmt: skip


@pytest.mark.parametrize("event", NULLS, ids=lambda event: type(event).__name__)
def test_an_event_without_a_spelling_is_null_and_nobody_elses_matter(event):
    """It raises nothing, warns of nothing, and leaves the other events of its batch as they are."""
    nan = float("nan")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for where in ("= home", "!= home", "> 3", "in 1,2,home", "= 5"):
            assert Where(where).holds(event) is None
        for statistic in (Lis(), Sum("0", "9"), Count()):
            alone = statistic.numbers([7, "x", 0.5]).tolist()
            np.testing.assert_equal(statistic.numbers([7, event, "x", 0.5]).tolist(), [alone[0], nan, *alone[1:]])
        np.testing.assert_equal(Count("> 3").numbers([7, event, "x", 0.5]).tolist(), [1.0, nan, nan, 0.0])


def test_events_with_a_spelling_are_compared_as_before():
    """Numbers of all types, text, and text of a type of its own."""
    for five in (5, 5.0, "5", " 5 ", np.int8(5), np.float16(5), Decimal("5.0"), Text("5")):
        assert [True, False] == [Where(where).holds(five) for where in ("= 5", "> 5")]
        assert [5.0, 7.0] == Lis().numbers([five, 7]).tolist()
    assert [True, False] == [Where(where).holds(Text("home")) for where in ("= home", "!= home")]
    assert Where("= 2026-03-01").holds(date(2026, 3, 1))
    assert [1.0, 0.0, 1.0] == Lis().numbers([True, np.False_, np.True_]).tolist()


# ── an answer that was cut short ─────────────────────────────────────────────────────────────────────────────────────────


def watched(noise):
    """A stream without a state file whose draws are numbered, and its exact answers: it counts the events above 0."""
    method = method_from({"statistic": "count", "method": "baseline", "length": 100, "where": "> 0"})
    return Continual(method.question, Guarantee(10**9), noise)


@pytest.mark.parametrize("where", ["before the draw", "after the draw", "in the kernel"])
def test_a_signal_handler_that_lets_its_refusal_out_ends_the_answer(tmp_path, monkeypatch, where):
    """The refusal is an error of ours like others, but it comes out of the middle of an answer: no draw meets two values."""
    stream = sv.stream.count(length=100, epsilon=1, account="a", where="> 0", home=tmp_path, method="baseline")
    assert 1 == stream.feed(1).position
    part, name = (Behind, "feed") if where == "in the kernel" else (Pool, "take")
    real, fired = getattr(part, name), []

    def interrupted(it, given):
        if where == "before the draw" and not fired:
            fired.append(signal.raise_signal(signal.SIGUSR1))
        done = real(it, given)
        if not fired:
            fired.append(signal.raise_signal(signal.SIGUSR1))
        return done

    monkeypatch.setattr(part, name, interrupted)
    before = signal.signal(signal.SIGUSR1, lambda *_: stream.feed(0))
    try:
        with pytest.raises(RunFailed, match="computing an answer"):
            stream.feed(1)
    finally:
        signal.signal(signal.SIGUSR1, before)
    for _ in range(2):
        with pytest.raises(RunFailed, match="was interrupted, so it gives"):
            stream.feed(1)


def test_an_error_of_ours_while_the_answer_is_combined_ends_it_too(tmp_path, monkeypatch):
    """What is released and not told yet is as much in the middle of an answer."""
    stream = sv.stream.count(length=100, epsilon=1, account="a", where="> 0", home=tmp_path)
    stream.feed(1)

    def refuse(*_):
        raise RunFailed("no")

    monkeypatch.setattr(BlockSums, "combine", refuse)
    with pytest.raises(RunFailed, match="no"):
        stream.feed(1)
    monkeypatch.undo()
    with pytest.raises(RunFailed, match="was interrupted, so it gives"):
        stream.feed(1)


def test_no_draw_meets_two_values(monkeypatch):
    """A refusal out of the kernel, caught by the caller: the next answer would have had the noise of an earlier place."""
    noise, real, answers = Numbered(), Behind.feed, []
    continual = watched(noise)

    def interrupted(it, values):
        done = real(it, values)
        if len(answers) == 1:
            raise RunFailed("out of a signal handler")
        return done

    monkeypatch.setattr(Behind, "feed", interrupted)
    for event in (1, 0, 1, 1):
        try:
            answers += [int(released.noisy[0]) for released in continual.feed([event])]
        except RunFailed:
            monkeypatch.undo()

    assert 1 == len(answers)


def test_a_clean_refusal_leaves_the_stream_as_it_was(tmp_path):
    """A stream that is full says so, and one that was not gone through again; both can be used afterwards."""
    place = {"state": tmp_path / "s", "home": tmp_path / "home"}
    with sv.stream.count(length=3, epsilon=1, account="a", where="> 0", **place) as stream:
        for _ in range(2):
            with pytest.raises(RunFailed, match="length=3"):
                stream.feed_many([1] * 4)
        assert 1 == stream.feed(1).position
    with reopen_stream(method_from(promise_of(place["state"]).parameters), **place) as stream:
        for _ in range(2):
            with pytest.raises(RunFailed, match="call resume"):
                stream.feed(1)
        stream.resume()
        assert 2 == stream.feed(1).position


def test_a_failing_disk_keeps_its_own_words(tmp_path, monkeypatch):
    """At the first event and at every later one."""
    place = {"state": tmp_path / "s", "home": tmp_path / "home"}
    stream = sv.stream.count(length=300, epsilon=1, account="a", where="> 0", **place)
    stream.feed(1)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    for _ in range(3):
        with pytest.raises(RunFailed, match="No space left on device"):
            stream.feed(1)
    monkeypatch.undo()
    with pytest.raises(RunFailed, match="No space left on device"):
        stream.feed(1)
    stream.close()


def test_one_draw_is_never_spread_over_several_values(monkeypatch):
    """NumPy would add one draw to every value: their differences would come out exactly."""
    continual = watched(SeededNoise(1))
    take = Pool.take
    monkeypatch.setattr(Pool, "take", lambda pool, count: take(pool, 1))

    with pytest.raises(RunFailed, match="does not match its values"):
        continual.feed([1, 2, 3])


# ── a witness that was replaced ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("how", ["replaced", "removed", "put back"])
def test_a_stream_whose_witness_was_replaced_gives_no_more_answers(tmp_path, how):
    """What rsync does: a copy takes its name, and a copied state could be opened beside the original. One of them answers."""
    home, state, twin = tmp_path / "home", tmp_path / "s", tmp_path / "twin"
    stream = sv.stream.count(length=300, epsilon=1, account="a", where="> 0", state=state, home=home)
    stream.feed(1)
    (witness,) = (home / "streams").iterdir()
    shutil.copy(state, twin)
    shutil.copy(witness, tmp_path / "fresh")
    if how == "removed":
        witness.unlink()
    else:
        os.link(witness, tmp_path / "original")
        os.replace(tmp_path / "fresh", witness)
        with sv.stream.count(state=twin, home=home) as other:
            assert 2 == other.feed(1).position
    for _ in range(2):
        with pytest.raises(RunFailed, match="was replaced or removed while the stream was open"):
            stream.feed(1)
        if how == "put back":
            os.link(tmp_path / "original", tmp_path / "again")
            os.replace(tmp_path / "again", witness)
    stream.close()
    if how == "replaced":
        with pytest.raises((RunFailed, CallError)):
            sv.stream.count(state=state, home=home).feed(1)
