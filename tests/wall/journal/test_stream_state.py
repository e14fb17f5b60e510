"""State files: what a restart must keep, and what it must refuse."""

import os
import shutil
import stat
import sys

import pytest

import seqveil as sv
from processes import run
from seqveil.errors import BudgetRefused, CallError, LedgerError, RunFailed, SeqveilError
from seqveil.stream.mechanism import method_from
from seqveil.wall.continual import promise_of, read_standing, reopen_stream
from seqveil.wall.journal import journal as journal_module
from seqveil.wall.journal.frames import read_frames
from seqveil.wall.journal.marks import UNKNOWN, Mark, read_mark
from seqveil.wall.journal.promise import Promise
from seqveil.wall.journal.recovery import Contents, closed_until, salt
from seqveil.wall.ledger import Ledger
from seqveil.wall.measures.guarantee import Guarantee

EVENTS = [5, 3, "?", 4, 8, 1, 9, 2, None, 6, 7, 7]


@pytest.fixture
def place(tmp_path):
    """A home for the ledger and a place for the state."""
    return {"home": tmp_path / "home", "state": tmp_path / "trend.state"}


def start(place, **more):
    return sv.stream.lis(**{"length": 40, "epsilon": "1.0", "account": "meter", "method": "binary", **place, **more})


def again(place):
    """All answers that a state file stands for."""
    stream = reopen_stream(method_from(promise_of(place["state"]).parameters), place["state"], home=place["home"])
    try:
        return list(stream.again())
    finally:
        stream.close()


def spent(place):
    return Ledger(place["home"]).account("meter").spent // 10**12


def test_a_restart_goes_on_where_it_stopped_and_charges_nothing(place):
    """Old answers are the same to the digit, new ones follow, and the ledger has one charge."""
    with start(place) as stream:
        answers = stream.feed_many(EVENTS)
    with sv.stream.lis(**place) as stream:
        assert 12 == stream.position
        answers += stream.feed_many([1, 2])

    assert answers == again(place)
    assert list(range(1, 15)) == [answer.position for answer in answers]
    assert 1 == spent(place)


def test_a_stream_that_was_never_interrupted_gives_the_same_kind_of_answers(place):
    """Restarts between any two events change nothing: every block still has one draw, of the journal."""
    answers = []
    for event in EVENTS:
        with start(place) as stream:
            answers += [stream.feed(event)]

    assert answers == again(place)
    with place["state"].open("rb") as file:
        promise = promise_of(place["state"])
        frames = list(read_frames(file, len(promise.head()) + 4096, salt(promise)))
    draws = {frame.first: int(frame.draws[0]) for frame in frames}
    answer = {0: 0}
    values = [5, 3, None, 4, 8, 1, 9, 2, None, 6, 7, 7]
    for i in range(1, 13):
        block = [v for v in values[i - (i & -i) : i] if v is not None]
        answer[i] = answer[i & (i - 1)] + longest(block) + draws[i]
    assert [answer[i] for i in range(1, 13)] == [a.noisy for a in answers]


def longest(block):
    best = []
    for i, x in enumerate(block):
        best.append(1 + max([best[j] for j in range(i) if block[j] <= x], default=0))
    return max(best, default=0)


def test_the_whole_stream_is_charged_once_and_a_second_stream_again(place, tmp_path):
    """Five restarts cost nothing; another state under the same account costs; over the cap it is refused and leaves no file."""
    start(place, cap="2.5").close()
    for _ in range(5):
        with start(place) as stream:
            stream.feed(1)
    assert 1 == spent(place)

    start({**place, "state": tmp_path / "second.state"}).close()
    assert 2 == spent(place)
    with pytest.raises(BudgetRefused):
        start({**place, "state": tmp_path / "third.state"})
    assert not (tmp_path / "third.state").exists()


def test_the_file_is_for_its_owner_and_says_so(place):
    """Mode 0600 whatever the umask, INTERNAL in its first line; so is the witness."""
    before = os.umask(0)
    try:
        start(place).close()
    finally:
        os.umask(before)
    (witness,) = (place["home"] / "streams").iterdir()

    assert 0o600 == stat.S_IMODE(place["state"].stat().st_mode) == stat.S_IMODE(witness.stat().st_mode)
    assert b"INTERNAL" in place["state"].read_bytes().splitlines()[0]


@pytest.mark.parametrize(
    ("other", "complaint"),
    [
        ({"epsilon": "2"}, "epsilon 1.0, not 2.0"),
        ({"length": 41}, "length 40, not 41"),
        ({"method": "window", "window": 3}, "method binary, not window; window none, not 3"),
        ({"strict": True}, "strict False, not True"),
        ({"account": "other"}, "account meter, not other"),
        ({"seed": 1}, "an experiment cannot resume a private stream"),
    ],
)
def test_a_state_file_of_another_stream_is_refused(place, other, complaint):
    """Says what differs; the file and the ledger stay as they were."""
    start(place).close()
    before = place["state"].read_bytes()

    with pytest.raises(CallError, match=complaint):
        start(place, **other)
    assert before == place["state"].read_bytes()
    assert 1 == spent(place)


def test_another_statistics_state_is_refused(place):
    """A count cannot go on from a trend."""
    start(place).close()
    with pytest.raises(CallError, match="statistic lis, not count"):
        sv.stream.count(**place)


@pytest.mark.parametrize("content", [b"", b"a shopping list\n", b"SEQVEIL STREAM STATE 9 - INTERNAL\n"])
def test_what_is_no_state_file_is_refused_and_kept(place, content):
    """Empty, foreign, or of another version: an error, not a byte changed, nothing charged."""
    place["state"].write_bytes(content)

    with pytest.raises(CallError, match=r"not the state file of a stream|another version"):
        start(place)
    assert content == place["state"].read_bytes()
    assert [] == Ledger(place["home"]).accounts()


@pytest.mark.slow
def test_a_file_cut_anywhere_is_refused_and_nothing_is_drawn_again(place):
    """Every length below the whole one, between frames too: an error, and the rest of the file stays as it is."""
    with start(place) as stream:
        for event in EVENTS:
            stream.feed(event)
    whole = place["state"].read_bytes()
    for cut in [*range(0, len(whole), 401), *range(len(whole) - 90, len(whole), 3)]:
        place["state"].write_bytes(whole[:cut])
        with pytest.raises(SeqveilError):
            sv.stream.lis(**place)
        assert whole[:cut] == place["state"].read_bytes()
    place["state"].write_bytes(whole)

    assert 12 == len(again(place))


@pytest.mark.slow
def test_a_changed_byte_anywhere_that_matters_is_refused(place):
    """Head, newest mark, frames: flipped bits never lead to other answers."""
    with start(place) as stream:
        answers = [stream.feed(event) for event in EVENTS]
    whole = place["state"].read_bytes()
    for at in [*range(0, 500, 23), *range(8192, len(whole), 7)]:
        place["state"].write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
        try:
            assert answers == again(place)
        except SeqveilError:
            continue


def test_an_older_copy_is_refused(place, tmp_path):
    """A copy from before the last answers looks whole, but the witness has seen more."""
    with start(place) as stream:
        stream.feed_many(EVENTS)
    shutil.copy(place["state"], tmp_path / "backup")
    with start(place) as stream:
        stream.feed(1)
    shutil.copy(tmp_path / "backup", place["state"])

    with pytest.raises(RunFailed, match="ends at event 12, but 13 were answered: it was cut, or is an older copy"):
        start(place)


def test_a_copy_cannot_be_answered_twice(place, tmp_path):
    """Two files of one stream: the second to go on is refused."""
    start(place).close()
    shutil.copy(place["state"], tmp_path / "twin.state")
    with start(place) as stream:
        stream.feed(1)

    with pytest.raises(RunFailed, match="older copy"):
        start({**place, "state": tmp_path / "twin.state"})


def test_one_process_at_a_time(place):
    """A state file in use is refused, and free again when its stream is closed or forgotten."""
    stream = start(place)
    with pytest.raises(CallError, match="in use"):
        start(place)
    stream.close()
    dropped = start(place)
    del dropped
    start(place).close()


def test_a_closed_stream_answers_nothing(place):
    """Feeding after close is an error, not an answer that nobody stored."""
    stream = start(place)
    stream.close()
    with pytest.raises(RunFailed, match="closed"):
        stream.feed(1)


def test_another_ledger_is_refused(place, tmp_path):
    """A state that was paid for elsewhere does not go on here."""
    start(place).close()
    with pytest.raises(LedgerError, match="charged to account 'meter' in another ledger"):
        start({**place, "home": tmp_path / "elsewhere"})


def test_a_missing_witness_is_refused(place):
    """Nobody can tell how far it was answered."""
    start(place).close()
    shutil.rmtree(place["home"] / "streams")
    with pytest.raises(RunFailed, match="kept beside the ledger, is missing"):
        start(place)


def test_a_full_disk_stops_the_answers_and_loses_none(place, monkeypatch):
    """What could not be stored is not answered; afterwards the stream goes on."""
    stream = start(place)
    answers = stream.feed_many(EVENTS)
    real = os.pwrite

    def full(descriptor, data, offset):
        real(descriptor, data[: len(data) // 2], offset)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(journal_module.os, "pwrite", full)
    with pytest.raises(RunFailed, match="No space left on device"):
        stream.feed(1)
    monkeypatch.undo()
    with pytest.raises(RunFailed, match="no further answers"):
        stream.feed(2)
    stream.close()
    with start(place) as stream:
        answers += [stream.feed(3)]

    assert answers == again(place)
    assert 13 == answers[-1].position


def test_a_stream_interrupted_before_its_first_event_is_settled_once(place, monkeypatch):
    """Killed between the state file and the commit: the restart finishes the same spend."""
    code = (
        "import os, sys, seqveil as sv\n"
        "from seqveil.wall.ledger import Spend\n"
        "Spend.begin = lambda self, fingerprint=None: os.kill(os.getpid(), 9)\n"
        "sv.stream.lis(length=40, epsilon='1.0', account='meter', method='binary', state=sys.argv[1], home=sys.argv[2])\n"
    )
    run([sys.executable, "-c", code, place["state"], place["home"]])
    assert 0 == spent(place)
    with start(place) as stream:
        stream.feed(1)

    (charge,) = Ledger(place["home"]).charges("meter")
    assert ("committed", promise_of(place["state"]).stream) == (charge.status, charge.release)
    assert 1 == spent(place)


PROMISE = Promise("s", {}, "1.0", {}, "", 1.0, "secure", True, "a", "b", "")
BOOT, OTHER = b"1" * 32, b"2" * 32


@pytest.mark.parametrize(
    ("position", "horizon", "closed", "witness", "boot", "expected"),
    [
        (10, 10, 0, 10, BOOT, 0),  # an orderly stop
        (10, 74, 0, 10, BOOT, 0),  # killed: the system still has everything
        (10, 74, 0, 9, BOOT, 0),  # killed between the journal and the witness
        (10, 10, 0, 10, OTHER, 10),  # rebooted after a stop: nothing open
        (10, 74, 0, 10, OTHER, 74),  # the power went: 11..74 may have been answered
        (10, 74, 0, 60, OTHER, 74),  # … and the witness says that some were
        (10, 74, 0, 3, OTHER, 74),  # … or lost its own last lines
        (10, 74, 0, 10, UNKNOWN, 74),  # a system that does not tell when it booted
        (10, 10, 30, 10, BOOT, 30),  # closed before, and still to come
        (10, 10, 30, 10, OTHER, 30),
        (10, 74, 0, 11, BOOT, "cut, or is an older copy"),
        (10, 74, 0, 75, OTHER, "cut, or is an older copy"),
        (10, 74, 0, None, BOOT, "missing"),
    ],
)
def test_what_is_closed_after_which_stop(tmp_path, position, horizon, closed, witness, boot, expected):
    """The rule, as a table. The mark was written by BOOT, unless the system does not tell."""
    mark = Mark(1, 0, horizon, closed, BOOT if boot != UNKNOWN else UNKNOWN)
    contents = Contents(PROMISE, 4096, mark, position, 0, 9000, 0)
    if isinstance(expected, str):
        with pytest.raises(RunFailed, match=expected):
            closed_until(tmp_path, contents, witness, boot)
    else:
        assert expected == closed_until(tmp_path, contents, witness, boot)


def lose_power(place, monkeypatch, keep):
    """The file as a power loss may leave it: `keep` bytes behind the last sync of frames survive; then another boot."""
    promise = promise_of(place["state"])
    text = place["state"].read_bytes()
    mark = read_mark(text[len(promise.head()) : len(promise.head()) + 4096], salt(promise))
    place["state"].write_bytes(text[: mark.durable + keep])
    monkeypatch.setattr(journal_module, "this_boot", lambda: OTHER)
    return mark


@pytest.mark.parametrize("keep", [0, 60, 10**6])
@pytest.mark.parametrize("refeed", [True, False])
@pytest.mark.parametrize("more", [{}, {"method": "baseline"}, {"window": 6}, {"method": "window", "window": 6}])
def test_after_a_power_loss_the_uncertain_span_is_closed(place, monkeypatch, keep, refeed, more):
    """Positions up to the horizon get no answer again, whatever survived; later ones do, and restarts agree."""
    monkeypatch.setattr(journal_module, "LEAST_LEAD", 5)
    monkeypatch.setattr(journal_module, "EVERY", 1000.0)
    stream = start(place, **more)
    answers = {a.position: a for event in EVENTS[:6] for a in [stream.feed(event)]}
    mark = lose_power(place, monkeypatch, keep)
    survived = read_standing(place["state"]).position
    del stream

    assert 6 <= mark.horizon <= 11
    with sv.stream.lis(refeed=refeed, **place) as stream:
        assert (survived if refeed else mark.horizon) == stream.position
        fresh = {a.position: a for a in stream.feed_many([4] * (20 - stream.position))}
    everything = {a.position: a for a in again(place)}

    assert set(range(mark.horizon + 1, 21)) == set(fresh)
    assert {**{i: answers[i] for i in range(1, survived + 1)}, **fresh} == everything
    assert mark.horizon - survived == read_standing(place["state"]).closed
    assert 1 == spent(place)


@pytest.mark.parametrize(
    ("method", "expected"), [("binary", {7: 5, 8: 8, 9: 9, 16: 16}), ("blocks", {7: 5, 8: 6, 10: 8, 11: 11, 16: 16})]
)
def test_closed_blocks_are_made_of_what_was_told(place, monkeypatch, method, expected):
    """After a loss the answer stands still until a block that was never told ends; the span's events, fed again, are in it."""
    monkeypatch.setattr(journal_module, "LEAST_LEAD", 5)
    monkeypatch.setattr(journal_module, "EVERY", 1000.0)
    with pytest.warns(sv.errors.ReleaseWarning, match="too large to protect anything"):
        stream = sv.stream.count(length=64, epsilon=10**5, account="meter", where="> 0", method=method, **place)
    for _ in range(4):
        stream.feed(1)
    mark = lose_power(place, monkeypatch, 10**6)
    del stream
    with sv.stream.count(refeed=True, **place) as stream:
        answers = {a.position: a.noisy for a in stream.feed_many([1] * 12)}

    assert 6 == mark.horizon
    assert 6 == stream.closed_until
    assert expected == {i: answers[i] for i in expected}


def test_a_state_file_of_before_names_the_same_method():
    """Counts by binary digits, as state files of earlier versions describe them, are resumed as what they were."""
    before = {"statistic": "count", "where": "> 0", "method": "binary", "length": 64}
    window = {**before, "window": 10}

    assert [before, window] == [method_from(one).parameters() for one in (before, window)]
    assert [7, 4] == [method_from(one).question.law(Guarantee(10**12)).value for one in (before, window)]


def test_what_is_closed_ends_with_the_stream(place, monkeypatch):
    """A horizon beyond the declared length closes no more than there is."""
    monkeypatch.setattr(journal_module, "EVERY", 1000.0)
    stream = start(place, length=8)
    for event in EVENTS[:6]:
        stream.feed(event)
    lose_power(place, monkeypatch, 10**6)
    del stream
    with sv.stream.lis(**place) as stream:
        assert (8, 8) == (stream.position, stream.closed_until)
    assert 6 == len(again(place))


def test_a_stream_that_could_not_be_opened_leaves_nothing(place, monkeypatch):
    """No witness could be written: that is tried before anything is reserved."""
    (place["home"]).mkdir()
    (place["home"] / "streams").write_text("a file where a folder should be")
    with pytest.raises(RunFailed, match="where the progress of streams is recorded, cannot be written"):
        start(place)

    assert not place["state"].exists()
    assert [] == Ledger(place["home"]).accounts()


def taps(place, **more):
    """A stream of one user's taps, of which one a day counts."""
    asked = {"length": 64, "epsilon": "1.0", "account": "meter", "where": "> 0", "max_per_day": 1}
    return sv.stream.count(**{**asked, **place, **more})


@pytest.mark.parametrize("stored", [0, 3])
def test_lost_events_use_up_their_users_day(place, monkeypatch, stored):
    """They may have been answered: a user who could start anew after a power loss would count twice on one day."""
    monkeypatch.setattr(journal_module, "LEAST_LEAD", 5)
    monkeypatch.setattr(journal_module, "EVERY", 1000.0)
    events = [(f"u{i}", "mon", 1) for i in range(64)]
    with taps(place) as stream:
        stream.feed_many(events[:stored])
    stream = taps(place)
    stream.pass_over(events[:stored])
    stream.feed_many(events[stored : stored + 2])
    lose_power(place, monkeypatch, 0)
    del stream
    assert stored == read_standing(place["state"]).position

    with taps(place) as stream:
        stream.pass_over(events[:stored])
        assert stream.position > stored
        with pytest.raises(CallError, match="whose its first"):
            stream.feed(("u4", "mon", 1))
        stream.pass_over(events[stored : stream.position])
        stream.feed(("u4", "mon", 1))


def test_owners_may_be_told_in_parts(place):
    """A file arrives in parts, the first of which have no new event."""
    events = [(f"u{i}", "mon", 1) for i in range(6)]
    with taps(place) as stream:
        stream.feed_many(events[:4])
    with taps(place) as stream:
        stream.pass_over(events[:2])
        assert [] == stream.feed_many([])
        stream.pass_over(events[2:4])
        assert [5, 6] == [answer.position for answer in stream.feed_many(events[4:])]


def test_counts_per_label_are_resumed_without_their_labels(place):
    """As every other stream is: its state file has them. A comparison is still another stream."""
    asked = {"by": ["a", "b"], "every": 1, "length": 9, "epsilon": "1.0", "account": "meter"}
    with sv.stream.count(**asked, **place) as stream:
        stream.feed("a")
    with pytest.raises(CallError, match="belongs to another stream: it has where none, not = a"):
        sv.stream.count(where="= a", **place)
    with sv.stream.count(**place) as stream:
        assert ["a", "b"] == [answer.label for answer in stream.feed_many(["b"])]
