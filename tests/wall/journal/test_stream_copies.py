"""Copies of a stream: of the object, of its state file, of its head. One of them at most is ever answered."""

import copy
import os
import pickle
import shutil
import signal
import sys
from dataclasses import replace

import pytest

import seqveil as sv
from processes import run
from seqveil.errors import CallError, LedgerError, RunFailed, SeqveilError
from seqveil.stream.mechanism import method_from
from seqveil.wall.continual import promise_of, reopen_stream
from seqveil.wall.journal.marks import SECTOR
from seqveil.wall.journal.witness import _CRC, _FORM_0_1, _MAGIC_0_1
from seqveil.wall.ledger import Ledger
from seqveil.wall.noise import Scale, SecureNoise


@pytest.fixture
def place(tmp_path):
    return {"home": tmp_path / "home", "state": tmp_path / "s"}


def start(place, **more):
    call = {"length": 800, "epsilon": "1.0", "account": "meter", "where": "> 0", "method": "baseline"}
    return sv.stream.count(**{**call, **place, **more})


def go_on(place, **more):
    """From the state file alone."""
    return sv.stream.count(**{**place, **more})


def second_process(state, home, then=""):
    """What another interpreter hears when it opens a state file and feeds."""
    code = (
        "import os, signal, sys, seqveil as sv\n"
        "from seqveil.errors import SeqveilError\n"
        f"{then}\n"
        "try:\n"
        "    print('position', sv.stream.count(state=sys.argv[1], home=sys.argv[2]).feed(1).position)\n"
        "except SeqveilError as error:\n"
        "    print(error)\n"
    )
    return run([sys.executable, "-c", code, state, home], text=True, check=not then)


# ── of the object ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps, lambda it: pickle.dumps(it, 0)])
@pytest.mark.parametrize("part", ["stream", "continual", "pool", "journal", "witness", "noise"])
def test_nothing_that_holds_noise_is_copied_or_pickled(place, copied, part):
    """Each part refuses, in words."""
    stream = start(place)
    stream.feed(1)
    continual = stream._continual
    pool, journal = continual._Continual__pool, continual._Continual__journal
    parts = {
        "stream": stream,
        "continual": continual,
        "pool": pool,
        "journal": journal,
        "witness": journal._witness,
        "noise": pool._noise,
    }

    with pytest.raises(CallError, match="cannot be copied or pickled"):
        copied(parts[part])
    assert 2 == stream.feed(1).position
    stream.close()


def test_a_source_of_noise_is_not_copied():
    """Not even one that was never used."""
    with pytest.raises(CallError, match="source of noise cannot be copied"):
        copy.deepcopy({"noise": SecureNoise()})
    assert 2 == len(SecureNoise().laplace(Scale(2.0), 2))


# ── of the state file ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("how", [shutil.copy, os.link, os.symlink], ids=["copy", "hard link", "symbolic link"])
def test_a_copy_is_refused_while_the_stream_is_open(place, tmp_path, how):
    """From this process and from another, under whatever path."""
    stream, twin = start(place), tmp_path / "twin"
    stream.feed(1)
    how(place["state"], twin)

    with pytest.raises(CallError, match="in use"):
        go_on({**place, "state": twin})
    assert "in use" in second_process(twin, place["home"]).stdout
    assert 2 == stream.feed(1).position
    stream.close()


def test_after_a_copy_went_on_the_original_is_refused(place, tmp_path):
    """Whichever goes on first is the stream from then on, in this process or another."""
    twin = tmp_path / "twin"
    with start(place) as stream:
        stream.feed(1)
    shutil.copy(place["state"], twin)
    assert "position 2\n" == second_process(twin, place["home"]).stdout

    with pytest.raises(RunFailed, match="ends at event 1, but 2 were answered"):
        go_on(place)
    with go_on({**place, "state": twin}) as stream:
        assert 3 == stream.feed(1).position


def test_a_copy_with_other_noise_for_the_same_event_is_refused(place, tmp_path):
    """Killed after the journal and before the witness, a copy went on: the first file has noise that must not come out."""
    twin = tmp_path / "twin"
    with start(place) as stream:
        stream.feed(1)
    shutil.copy(place["state"], twin)
    die = "from seqveil.wall.journal.witness import Witness\nWitness.write = lambda *_: os.kill(os.getpid(), signal.SIGKILL)"
    assert -signal.SIGKILL == second_process(place["state"], place["home"], die).returncode
    with go_on({**place, "state": twin}) as stream:
        assert 2 == stream.feed(0).position

    with pytest.raises(RunFailed, match="another copy of it answered up to event 2, with other noise"):
        go_on(place)


def test_killed_between_journal_and_witness_it_goes_on(place):
    """Without a copy in between, the event that was not answered yet has its noise already."""
    with start(place) as stream:
        stream.feed(1)
    die = "from seqveil.wall.journal.witness import Witness\nWitness.write = lambda *_: os.kill(os.getpid(), signal.SIGKILL)"
    assert -signal.SIGKILL == second_process(place["state"], place["home"], die).returncode
    with go_on(place) as stream:
        assert 2 == stream.position
        assert 3 == stream.feed(1).position


def test_a_witness_of_seqveil_0_1_is_understood(place):
    """It has no check number; position and lock count all the same."""
    import zlib

    with start(place) as stream:
        stream.feed_many([1, 1, 1])
        stream.feed(1)
    (witness,) = (place["home"] / "streams").iterdir()

    def old(position):
        body = _FORM_0_1.pack(_MAGIC_0_1, position)
        return (body + _CRC.pack(zlib.crc32(body))).ljust(SECTOR, b"\0")

    witness.write_bytes(old(3) + old(4))
    with go_on(place) as stream:
        assert 5 == stream.feed(1).position
    witness.write_bytes(old(6) + old(5))
    with pytest.raises(RunFailed, match="but 6 were answered"):
        go_on(place)


# ── of the head ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def edit(state, **changes):
    """Another head in place of the right one, with a digest that fits it."""
    promise = promise_of(state)
    parameters = {**promise.parameters, **changes.pop("parameters", {})}
    head = replace(promise, parameters=parameters, **changes).head()
    with state.open("r+b") as file:
        file.write(head)


EDITS = {
    "shorter": {"parameters": {"length": 100}, "scale": 100.0},
    "scale only": {"scale": 100.0},
    "method": {"parameters": {"method": "binary"}, "scale": 10.0},
    "what is counted": {"parameters": {"where": "= 7"}},
    "words": {"neighbours": "whatever"},
    "date": {"created": "2020-01-01T00:00:00Z"},
}


@pytest.mark.parametrize("changes", EDITS.values(), ids=EDITS)
def test_a_head_that_the_ledger_does_not_know_is_refused(place, changes):
    """Its own digest fits and its noise may be what its parameters need: the ledger has the digest of another."""
    with start(place) as stream:
        stream.feed(1)
    edit(place["state"], **changes)
    before = place["state"].read_bytes()

    with pytest.raises(RunFailed, match="its head"):
        go_on(place)
    assert before == place["state"].read_bytes()


def test_another_mechanism_than_the_promised_one_is_refused(place):
    """Whoever opens by hand cannot ask for less noise, either."""
    start(place).close()
    parameters = promise_of(place["state"]).parameters

    with pytest.raises(RunFailed, match="does not match its own parameters"):
        reopen_stream(method_from({**parameters, "length": 100}), place["state"], home=place["home"])


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"epsilon": "2.0"}, "another ledger"),
        ({"spend": "0" * 16}, "another ledger"),
        ({"account": "other"}, "another ledger"),
        ({"private": False}, "its head"),
        ({"unit": {"name": "record"}}, "its head"),
        ({"parameters": {"method": "no such"}}, "method='no such'"),
        ({"parameters": {"statistic": "mean"}}, "statistic mean"),
        ({"parameters": {"more": 1}}, "does not have"),
    ],
)
def test_a_head_that_makes_no_sense_is_refused_in_words(place, changes, complaint):
    """Whatever is in it, no traceback."""
    start(place).close()
    edit(place["state"], **changes)

    with pytest.raises(SeqveilError, match=complaint):
        go_on(place)


@pytest.mark.parametrize("line", [b"[1]", b"{}", b'{"stream": 1}', b"null", b"not json"])
def test_a_head_of_something_else_is_refused_in_words(place, line):
    """A first line that is right, and a digest that fits what follows."""
    from hashlib import sha256

    from seqveil.wall.journal.promise import BANNER

    start(place).close()
    place["state"].write_bytes(BANNER + line + b"\n" + sha256(line).hexdigest().encode() + b"\n" + b" " * 8192)

    with pytest.raises(RunFailed, match="not one that Seqveil writes"):
        go_on(place)


# ── of an opening that was interrupted ───────────────────────────────────────────────────────────────────────────────────


def interrupted(place, at):
    """A state file whose spend is still reserved, or begun: a real process is killed before it is committed."""
    code = (
        "import os, signal, sys, seqveil as sv\n"
        "from seqveil.wall.ledger import Spend\n"
        f"Spend.{at} = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "sv.stream.count(length=800, epsilon='1.0', account='meter', where='> 0', method='baseline', state=sys.argv[1],\n"
        "                home=sys.argv[2])\n"
    )
    died = run([sys.executable, "-c", code, place["state"], place["home"]])
    assert -signal.SIGKILL == died.returncode


@pytest.mark.parametrize("at", ["begin", "commit"])
def test_an_interrupted_opening_takes_no_smaller_noise(place, at):
    """The ledger has no digest yet; the noise must be what the question needs for the ε that was reserved."""
    interrupted(place, at)
    whole = place["state"].read_bytes()
    for changes in ({"scale": 100.0}, {"parameters": {"length": 6400}}, {"noise": "seeded"}, {"private": False}):
        edit(place["state"], **changes)
        with pytest.raises(RunFailed, match="does not match its own parameters"):
            go_on(place)
        place["state"].write_bytes(whole)
    edit(place["state"], epsilon="8.0", scale=100.0)
    with pytest.raises(LedgerError, match="another ledger"):
        go_on(place)
    edit(place["state"], epsilon="1.0", parameters={"method": "hierarchy", "buckets": 2, "statistic": "lis"})
    with pytest.raises(SeqveilError):
        sv.stream.lis(**place)

    place["state"].write_bytes(whole)
    with go_on(place) as stream:
        assert (1, 800.0) == (stream.feed(1).position, stream.promise.scale)
    (charge,) = Ledger(place["home"]).charges("meter")
    assert ("committed", promise_of(place["state"]).digest) == (charge.status, charge.digest)


def test_an_interrupted_opening_holds_no_events(place, tmp_path):
    """Frames in a file whose spend was never committed were put there by somebody else."""
    interrupted(place, "commit")
    twin = tmp_path / "twin"
    shutil.copy(place["state"], twin)
    shutil.copytree(place["home"], tmp_path / "elsewhere")
    with go_on({"state": twin, "home": tmp_path / "elsewhere"}) as stream:
        stream.feed(1)

    with pytest.raises(RunFailed, match="its opening was never finished"):
        go_on({**place, "state": twin})


def test_once_finished_no_other_head_of_the_same_opening_goes_on(place, tmp_path):
    """Two heads that are right in themselves, one spend: the ledger keeps the digest of the first."""
    interrupted(place, "begin")
    twin = tmp_path / "twin"
    shutil.copy(place["state"], twin)
    edit(twin, parameters={"where": "= 7"})
    go_on(place).close()

    with pytest.raises(RunFailed, match="not the one that the ledger recorded"):
        go_on({**place, "state": twin})


@pytest.mark.parametrize("left", ["empty", "missing"])
def test_killed_before_the_witness_was_written_nothing_is_lost(place, left):
    """The witness of an opening that was never finished is written now; nothing can have been answered."""
    interrupted(place, "begin")
    (witness,) = (place["home"] / "streams").iterdir()
    witness.unlink()
    if left == "empty":
        witness.touch(0o600)

    with go_on(place) as stream:
        assert 1 == stream.feed(1).position
