"""Two machines, here one: all moves over TLS on the loopback, and whoever does not have the key gets nothing."""

from __future__ import annotations

import socket
import ssl
import stat
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from psi_world import PAIRS, World, name_terms, pairs_of_results

from seqveil.errors import CallError, RunFailed
from seqveil.link.psi import channel, dialogue
from seqveil.link.psi.channel import Channel, certificate, joined, read_key, served, write_key

KEY, OTHER_KEY = bytes(range(32)), bytes(range(1, 33))


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


class Pair(World):
    """Both sides over a channel, each in a thread."""

    def serve(self, port, key=KEY):
        dialogue.prepare(self.terms, self.people(self.ours), self.folder / "ours", self.tell)
        with served("127.0.0.1", port, key, self.terms) as wire:
            return dialogue.serve(wire, lambda: self.people(self.ours), self.folder / "ours", lambda result: None, self.tell)

    def join(self, port, key=KEY, terms=None):
        terms = terms or self.terms
        for attempt in range(200):
            try:
                with joined("127.0.0.1", port, key, terms) as wire:
                    people = lambda: self.people(self.theirs)  # noqa: E731
                    return dialogue.join(wire, terms, people, self.folder / "theirs", lambda result: None, self.tell)
            except RunFailed as error:
                if "cannot connect" not in str(error) or attempt == 199:
                    raise
                time.sleep(0.02)
        raise AssertionError

    def both(self, port=None):
        port = port or free_port()
        with ThreadPoolExecutor(2) as pool:
            ours, theirs = pool.submit(self.serve, port), pool.submit(self.join, port)
            return ours.result(60), theirs.result(60)


def test_both_learn_the_pairs(tmp_path):
    """Without a file being carried; the messages stay in a folder with mode 0700 beside the secrets."""
    ours, theirs = Pair(tmp_path, name_terms()).both()

    assert PAIRS == pairs_of_results(ours, theirs)
    for side in ("ours", "theirs"):
        assert 0o700 == stat.S_IMODE((tmp_path / f"{side}.messages").stat().st_mode)


def test_only_the_starter_may_learn(tmp_path):
    """Then nothing comes after the second message."""
    ours, theirs = Pair(tmp_path, name_terms(learns="starter")).both()

    assert (3, None) == (len(ours.values), theirs)


def test_a_lost_connection_loses_nothing(tmp_path, monkeypatch):
    """Cut after each number of messages; the same commands again finish, with the same messages."""
    receive, send = Channel.receive, Channel.send
    for number, (method, nth) in enumerate(
        [("send", 1), ("receive", 1), ("receive", 2), ("send", 2), ("receive", 3), ("send", 3)]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        pair, seen = Pair(folder, name_terms()), []

        def cut(self, *arguments, method=method, nth=nth, seen=seen):
            seen.append(method)
            if len(seen) == nth:
                self._wire.close()
                raise RunFailed("cut")
            return {"send": send, "receive": receive}[method](self, *arguments)

        with monkeypatch.context() as patch:
            patch.setattr(Channel, method, cut)
            with pytest.raises(RunFailed):
                pair.both()
        first = (folder / "ours.messages" / "move-1.psi").read_bytes()
        ours, theirs = pair.both()
        assert first == (folder / "ours.messages" / "move-1.psi").read_bytes()
        if ours is not None and theirs is not None:
            assert PAIRS == pairs_of_results(ours, theirs)
        assert "done" == dialogue._stage(folder / "ours") == dialogue._stage(folder / "theirs")


def test_strangers_are_turned_away_and_the_wait_goes_on(tmp_path, monkeypatch):
    """Another key, no certificate, no TLS at all, a scanner that says nothing: none of them gets a byte of a message."""
    monkeypatch.setattr(channel, "HANDSHAKE", 1.0)
    pair, port, got = Pair(tmp_path, name_terms()), free_port(), []
    with ThreadPoolExecutor(1) as pool:
        ours = pool.submit(pair.serve, port)
        with pytest.raises(RunFailed, match="does not have your key"):
            pair.join(port, OTHER_KEY)
        open_to_all = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        open_to_all.check_hostname, open_to_all.verify_mode = False, ssl.CERT_NONE
        with socket.create_connection(("127.0.0.1", port)) as plain:
            try:
                with open_to_all.wrap_socket(plain) as wire:
                    got.append(wire.recv(10))
            except OSError:
                got.append(b"")
        with socket.create_connection(("127.0.0.1", port)) as plain:
            plain.sendall(b"GET / HTTP/1.0\r\n\r\n")
            plain.settimeout(5)
            try:
                got.append(plain.recv(4096)[5:])
            except OSError:
                got.append(b"")
        with socket.create_connection(("127.0.0.1", port)):
            theirs = pair.join(port)

    assert PAIRS == pairs_of_results(ours.result(60), theirs)
    assert not got[0]
    assert b"seqveil" not in got[1]


def test_a_server_without_the_key_gets_nothing(tmp_path):
    """The answerer ends before it says anything."""
    pair, port = Pair(tmp_path, name_terms()), free_port()
    with ThreadPoolExecutor(1) as pool:

        def pretend():
            with served("127.0.0.1", port, OTHER_KEY, pair.terms):
                raise AssertionError

        waiting = pool.submit(pretend)
        with pytest.raises(RunFailed, match="does not have your key"):
            pair.join(port)
        with pytest.raises(RunFailed), joined("127.0.0.1", port, OTHER_KEY, name_terms()):
            pass  # so that the wait ends: other terms
        assert isinstance(waiting.exception(60), RunFailed)


def test_other_terms_are_seen_before_anything_is_sent(tmp_path):
    """Both sides say so."""
    pair, port = Pair(tmp_path, name_terms()), free_port()
    with ThreadPoolExecutor(1) as pool:
        ours = pool.submit(pair.serve, port)
        with pytest.raises(RunFailed, match="has other terms"):
            pair.join(port, terms=name_terms())
        with pytest.raises(RunFailed, match="has other terms"):
            ours.result(60)
    assert not (tmp_path / "theirs").exists()


def test_a_message_may_not_be_larger_than_the_terms_say(tmp_path):
    """Nobody fills the other side's disk."""
    left, right = socket.socketpair()
    with left, right:
        left.sendall((1000).to_bytes(8, "big"))
        with pytest.raises(RunFailed, match="announces 1,000 bytes, but by the terms there are at most 999"):
            Channel(right).receive(tmp_path / "x", 999)
    assert not (tmp_path / "x").exists()


def test_keys(tmp_path):
    """A file for the owner alone; anything else is refused. The two certificates differ, and follow from the key."""
    path = write_key(tmp_path / "pair.key")
    (tmp_path / "short.key").write_text("abcd\n")
    (tmp_path / "other.key").write_bytes(b"\xff" * 64)

    assert 0o600 == stat.S_IMODE(path.stat().st_mode)
    assert 32 == len(read_key(path))
    for name in ("short.key", "other.key", "nowhere.key"):
        with pytest.raises(CallError, match=r"is not a key|cannot be read"):
            read_key(tmp_path / name)
    assert certificate(KEY, "starter")[0] == certificate(KEY, "starter")[0] != certificate(OTHER_KEY, "starter")[0]
    assert certificate(KEY, "starter")[0].public_key() != certificate(KEY, "answerer")[0].public_key()
