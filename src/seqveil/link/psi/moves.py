"""The moves of a session: start, answer, finish, open. Each reads people and a message, and writes the next message.

A killed move is run again with the same words and goes on where it was.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError, InputProblems
from seqveil.link.psi import oprf
from seqveil.link.psi.chunks import Pieces
from seqveil.link.psi.edits import Side
from seqveil.link.psi.entries import Lookup, entries_of, in_order, labels_of
from seqveil.link.psi.keep import BLINDS, KEY, LABELS, Keep, State, stretched
from seqveil.link.psi.listing import Listing, Tokens, all_tokens, read_listing
from seqveil.link.psi.messages import ENTRY, LABEL, Message, open_message, write_message
from seqveil.link.psi.pairing import SHARED, Pairs, one_to_one, pairs_of
from seqveil.link.psi.sessions import log_session
from seqveil.link.psi.terms import Terms
from seqveil.link.whole import refuse_existing
from seqveil.link.writing import secret_order
from seqveil.surface import parameter
from seqveil.whole import INTERNAL, write_whole

Columns = Sequence[Iterable[Sequence[str]]]
Tell = Callable[[str, int, int], None]
"""Hears which step is at which of how many tokens."""

_PAIRS = "pairs"
_PAIR = np.dtype([("value", "<i8"), ("label", "<u8"), ("levels", "<u2")])
_BAD_POINT = "has a record that is no element of the group: it was not written by Seqveil; stop, and ask the other side"


@dataclass(frozen=True, slots=True)
class People:
    """A data holder's people: batches of cells by field, and what to call them in messages."""

    columns: Columns
    source: str


@dataclass(frozen=True, slots=True)
class Result:
    """What a side learns: pairs of its values under common numbers (from 1, in the order of `pairs`), and its rows."""

    listing: Listing
    values: NDArray[np.int64]
    levels: NDArray[np.uint16] | None

    @property
    def lines(self) -> Iterator[tuple[int, int, int]]:
        """Pair, row, and the levels of the fields where this side knows them (else 0)."""
        for number, value in enumerate(self.values.tolist(), 1):
            level = 0 if self.levels is None else int(self.levels[number - 1])
            for row in self.listing.rows[value]:
                yield number, row, level


def start(terms: Terms, people: People, keep: Path, out: Path, tell: Tell) -> Listing:
    """Move 1: our tokens, blinded."""
    refuse_existing(out, "file")
    side: Side = "starter"
    listing = read_listing(terms, side, people.columns, people.source)
    mine = Keep.begin(keep, terms, State(side, secrets.token_hex(32), listing.digest))
    with mine.alone():
        own = _tokens(mine, listing, people.source)
        log_session(terms, mine.session, side, keep)
        seed, name = mine.secret(BLINDS), bytes.fromhex(mine.session)

        def blind(begin: int, end: int) -> bytes:
            points = (oprf.hashed(name + token.tobytes()) for token in own.digests[begin:end])
            return b"".join(map(oprf.times, _blinds(seed, begin, end), points))

        def dummy(begin: int, end: int) -> bytes:
            return b"".join(oprf.point_of(stretched(seed, "dummies", at, oprf.WIDE)) for at in range(begin, end))

        total = terms.total(side)
        real, rest = mine.pieces("blinded", len(own)), mine.pieces("dummies", total - len(own))
        real.compute(blind, lambda done: tell("blinding", done, total))
        rest.compute(dummy, lambda done: tell("blinding", len(own) + done, total))
        sent = write_message(
            out, 1, terms, mine.state.nonce, "", {"blinded": chain(real.blocks(), rest.blocks())}, {"blinded": total}
        )
        mine.moved(sent=sent, stage="sent")
    return listing


def answer(terms: Terms, message: Path, people: People, keep: Path, out: Path, tell: Tell) -> Listing:
    """Move 2: their tokens under our key, unseen, and our own tokens under the same key."""
    refuse_existing(out, "file")
    side: Side = "answerer"
    asked = open_message(message, 1, terms, {"blinded": terms.total("starter")})
    listing = read_listing(terms, side, people.columns, people.source)
    mine = Keep.begin(keep, terms, State(side, asked.nonce, listing.digest, received=asked.id))
    with mine.alone():
        own = _tokens(mine, listing, people.source)
        log_session(terms, mine.session, side, keep)
        secret, name = mine.secret(KEY), bytes.fromhex(mine.session)
        key = oprf.scalar_of(stretched(secret, "key", 0, oprf.WIDE))
        labels = [int(label).to_bytes(LABEL, "big") for label in labels_of(mine.secret(LABELS), len(listing.values))]
        theirs = asked.part("blinded")

        def evaluate(begin: int, end: int) -> bytes:
            return b"".join(oprf.times(key, point.tobytes()) for point in theirs[begin:end])

        def enter(begin: int, end: int) -> bytes:
            parts = []
            for at in range(begin, end):
                message = name + own.digests[at].tobytes()
                output = oprf.output(message, oprf.times(key, oprf.hashed(message)))
                parts.append(entries_of(output, [labels[v] for v in own.value[own.offsets[at] : own.offsets[at + 1]]]))
            return b"".join(parts)

        first, second = mine.pieces("evaluated", len(theirs)), mine.pieces("entries", len(own))
        _points(first, evaluate, lambda done: tell("answering", done, len(theirs) + len(own)), message)
        second.compute(enter, lambda done: tell("answering", len(theirs) + done, len(theirs) + len(own)))
        total = terms.total(side)
        dummies = stretched(secret, "dummies", 0, ENTRY * (total - own.instances))
        entries = np.frombuffer(b"".join([*second.blocks(), dummies]), np.uint8).reshape(total, ENTRY)
        sent = write_message(
            out, 2, terms, mine.state.nonce, asked.id, {"evaluated": first.blocks(), "entries": _blocks(in_order(entries))},
            {"evaluated": len(theirs), "entries": total},
        )  # fmt: skip
        mine.moved(sent=sent, stage="sent" if terms.learns == "both" else "done")
    return listing


def finish(message: Path, people: People, keep: Path, reply: Path | None, save: Callable[[Result], object], tell: Tell) -> Result:
    """What we learn, and move 3: the other side's half of the pairs, where the terms say that it learns them, too."""
    mine = _awaited(keep, "starter")
    terms = mine.terms
    if (reply is None) != (terms.learns == "starter"):
        wrong = "by the terms both sides learn the pairs: add" if reply is None else "by the terms only you learn the pairs: omit"
        raise CallError(f"{wrong} {parameter('reply', 'FILE')}.")
    if reply is not None:
        refuse_existing(reply, "file")
    expected = {"evaluated": terms.total("starter"), "entries": terms.total("answerer")}
    with mine.alone():
        got = open_message(message, 2, terms, {**expected}, mine.session, mine.state.sent)
        mine = mine.received(got.id)
        listing = _same_people(mine, people)
        own = all_tokens(terms, mine.session, "starter", listing, people.source)
        common = mine.pieces("shared", len(own))
        _points(common, _find(mine, own, got), lambda done: tell("finishing", done, len(own)), message)
        pairs = _numbered(mine, own, b"".join(common.blocks()))
        result = Result(listing, pairs.value, pairs.levels)
        save(result)
        if reply is not None:
            halves = pairs.label.astype(">u8").tobytes()
            write_message(reply, 3, terms, mine.state.nonce, got.id, {"pairs": [halves]}, {"pairs": len(pairs)})
        mine.moved(received=got.id, stage="done")
    return result


def open_reply(message: Path, people: People, keep: Path, save: Callable[[Result], object]) -> Result:
    """What the answerer learns."""
    mine = _awaited(keep, "answerer")
    with mine.alone():
        got = open_message(message, 3, mine.terms, {"pairs": None}, mine.session, mine.state.sent)
        listing = _same_people(mine, people)
        labels = labels_of(mine.secret(LABELS), len(listing.values))
        order = np.argsort(labels)
        asked = np.ascontiguousarray(got.part("pairs")).view(">u8").ravel().astype(np.uint64)
        at = np.minimum(np.searchsorted(labels[order], asked), len(labels) - 1)
        if not np.array_equal(labels[order][at], asked):
            raise InputProblems(str(message), ["names values that you do not have: it was not written by Seqveil"])
        result = Result(listing, order[at], None)
        save(result)
        mine.moved(received=got.id, stage="done")
    return result


def _tokens(mine: Keep, listing: Listing, source: str) -> Tokens:
    """The tokens of a first move; the folder goes away again where there are too many."""
    try:
        return all_tokens(mine.terms, mine.session, mine.state.side, listing, source)
    except InputProblems:
        mine.discard()
        raise


def _awaited(folder: Path, side: Side) -> Keep:
    """The folder of a session in which this side waits for a message."""
    mine = Keep.load(folder)
    if mine.state.side != side:
        verbs = {"starter": "finish", "answerer": "open"}
        raise CallError(f"{folder} is the {mine.state.side}'s folder, which `link psi {verbs[side]}` does not read.")
    if mine.state.stage == "working":
        raise CallError(
            f"{folder} has not sent its message yet: run `link psi {'start' if side == 'starter' else 'answer'}` again."
        )
    if mine.state.stage == "done":
        raise CallError(f"the session of {folder} is over, and its secrets are erased: begin a new one with new terms.")
    return mine


def _same_people(mine: Keep, people: People) -> Listing:
    listing = read_listing(mine.terms, mine.state.side, people.columns, people.source)
    mine.refuse_other_people(listing.digest, people.source)
    return listing


def _blinds(seed: bytes, begin: int, end: int) -> list[bytes]:
    """The random factors of some tokens, each its own, however the work is divided."""
    return [oprf.scalar_of(stretched(seed, "blinds", at, oprf.WIDE)) for at in range(begin, end)]


def _points(pieces: Pieces, work: Callable[[int, int], bytes], tell: Callable[[int], None], message: Path) -> None:
    """Compute with points of the other side."""
    try:
        pieces.compute(work, tell)
    except oprf.NotAPoint:
        raise InputProblems(str(message), [_BAD_POINT]) from None


def _find(mine: Keep, own: Tokens, got: Message) -> Callable[[int, int], bytes]:
    """Which of a piece of our tokens they have, with the labels of their values."""
    seed, name = mine.secret(BLINDS), bytes.fromhex(mine.session)
    evaluated, lookup = got.part("evaluated"), Lookup(got.part("entries"))
    if not lookup.ordered:
        raise InputProblems(str(got.path), ["has entries out of order: it was not written by Seqveil"])

    def find(begin: int, end: int) -> bytes:
        shared = []
        for at, back in zip(range(begin, end), oprf.inverses(_blinds(seed, begin, end)), strict=True):
            output = oprf.output(name + own.digests[at].tobytes(), oprf.times(back, evaluated[at].tobytes()))
            shared += [(at, label) for label in lookup.labels(output)]
        return np.array(shared, SHARED).tobytes()

    return find


def _numbered(mine: Keep, own: Tokens, shared: bytes) -> Pairs:
    """The pairs in a random order, which says nothing about rows; the same order after a kill."""
    path = mine.folder / _PAIRS
    if not path.exists():
        pairs = pairs_of(own, np.frombuffer(shared, SHARED))
        pairs = one_to_one(pairs) if mine.terms.one_to_one else pairs
        pairs = pairs.take(secret_order(len(pairs)))
        table = np.zeros(len(pairs), _PAIR)
        table["value"], table["label"], table["levels"] = pairs.value, pairs.label, pairs.levels
        write_whole(path, table.tobytes(), mode=INTERNAL)
    table = np.frombuffer(path.read_bytes(), _PAIR)
    return Pairs(table["value"], table["label"], table["levels"])


def _blocks(entries: NDArray[np.uint8]) -> Iterator[bytes]:
    for at in range(0, len(entries), 1 << 16):
        yield entries[at : at + (1 << 16)].tobytes()
