"""Lots: the secret numbers by which records are chosen and divided. Every engine draws them by this one law.

A run has one secret key, drawn on the side of the wall from the run's secret randomness. The lot of a record is a keyed hash
(SipHash-2-4 [Aumasson 2012]) of three things alone: the name of its owner, what the record is, and which copy of it this is among
the equal records of that owner. So

- it is a function of one unit of privacy, whatever the others have, in whatever order the records lie and wherever: whatever the
  key is, bounded(D ∪ u) = bounded(D) ⊎ bounded(u). The sensitivity of a run needs no more than that;
- whoever computes it again gets the same: a task that a cluster runs twice cannot choose twice;
- without the key it looks uniform and independent, so the choice among a user's records is a fair one.

Two users whose names have the same digest would draw the same lots, which takes nothing from what protects them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.tables.flat import Flat
from seqveil.tables.spans import Spans, trim

Key = NDArray[np.uint64]
"""The secret of a run: two words."""

_PUBLIC = np.zeros(2, np.uint64)
"""The key of digests that keep no secret: those of names."""

_PART = 1 << 32
_DIGEST, _TWIN, _OWNER, _COPY, _LABELS, _LABEL = np.arange(6, dtype=np.uint64)
"""What is hashed: the first word keeps hashes for one purpose apart from those for another."""


def draw_key(uniform: Callable[[int, int], NDArray[Any]]) -> Key:
    """A key of 128 bits; `uniform(n, size)` gives independent uniform integers of 0..n-1."""
    high, low = np.asarray(uniform(_PART, 4), np.uint64).reshape(2, 2)
    return np.asarray(high << np.uint64(32) | low, np.uint64)


@njit(cache=True, inline="always")
def _turned(x, by):  # type: ignore[no-untyped-def]
    return (x << np.uint64(by)) | (x >> np.uint64(64 - by))


@njit(cache=True)
def _rounds(v, n):  # type: ignore[no-untyped-def]
    a, b, c, d = v
    for _ in range(n):
        a += b
        b = _turned(b, 13) ^ a
        a = _turned(a, 32)
        c += d
        d = _turned(d, 16) ^ c
        a += d
        d = _turned(d, 21) ^ a
        c += b
        b = _turned(b, 17) ^ c
        c = _turned(c, 32)
    return a, b, c, d


@njit(cache=True)
def _begun(key):  # type: ignore[no-untyped-def]
    return (
        key[0] ^ np.uint64(0x736F6D6570736575),
        key[1] ^ np.uint64(0x646F72616E646F6D),
        key[0] ^ np.uint64(0x6C7967656E657261),
        key[1] ^ np.uint64(0x7465646279746573),
    )


@njit(cache=True)
def _taken(v, word):  # type: ignore[no-untyped-def]
    a, b, c, d = v
    a, b, c, d = _rounds((a, b, c, d ^ word), 2)
    return a ^ word, b, c, d


@njit(cache=True)
def _ended(v):  # type: ignore[no-untyped-def]
    a, b, c, d = v
    a, b, c, d = _rounds((a, b, c ^ np.uint64(255), d), 4)
    return a ^ b ^ c ^ d


@njit(cache=True)
def hashed(data, start, end, key):  # type: ignore[no-untyped-def]
    """SipHash-2-4 of the bytes data[start:end]."""
    v = _begun(key)
    length = end - start
    at = start
    while end - at >= 8:
        word = np.uint64(0)
        for j in range(8):
            word |= np.uint64(data[at + j]) << np.uint64(8 * j)
        v = _taken(v, word)
        at += 8
    word = np.uint64(length & 255) << np.uint64(56)
    for j in range(end - at):
        word |= np.uint64(data[at + j]) << np.uint64(8 * j)
    return _ended(_taken(v, word))


@njit(cache=True)
def _digested(data, starts, ends, key, out):  # type: ignore[no-untyped-def]
    for i in range(len(starts)):
        start, end = trim(data, starts[i], ends[i])
        out[i] = hashed(data, start, end, key)


@njit(cache=True)
def _record(items, start, end, key, tag):  # type: ignore[no-untyped-def]
    """The keyed digest of a record; `tag` makes another one of it."""
    v = _taken(_begun(key), tag)
    at = start
    while end - at >= 2:
        v = _taken(v, np.uint64(np.uint32(items[at])) | np.uint64(np.uint32(items[at + 1])) << np.uint64(32))
        at += 2
    if at < end:
        v = _taken(v, np.uint64(np.uint32(items[at])) | np.uint64(1) << np.uint64(63))
    return _ended(_taken(v, np.uint64(end - start)))


@njit(cache=True)
def _lot(key, kind, name, digest, copy):  # type: ignore[no-untyped-def]
    v = _taken(_taken(_begun(key), kind), name)
    return _ended(_taken(_taken(v, digest), np.uint64(copy)))


@njit(cache=True)
def digested(items, labels, key):  # type: ignore[no-untyped-def]
    """The keyed digest of the labels that a unit has, from the digests of each label's bytes: codes say nothing about a unit."""
    v = _taken(_begun(key), _LABELS)
    for item in items:
        v = _taken(v, labels[item])
    return _ended(_taken(v, np.uint64(len(items))))


@njit(cache=True)
def lot_of_label(key, owner, label):  # type: ignore[no-untyped-def]
    """The lot of one label of a unit."""
    return _lot(key, _LABEL, owner, label, 0)


@njit(cache=True)
def _least(order, first, lots, m, kept):  # type: ignore[no-untyped-def]
    """Marks the m records with the smallest lots of every owner; order[first[g]:first[g + 1]] are the records of owner g."""
    for g in range(len(first) - 1):
        mine = order[first[g] : first[g + 1]]
        if len(mine) > m:
            mine = mine[np.argsort(lots[mine], kind="mergesort")[:m]]
        for j in range(len(mine)):
            kept[mine[j]] = True


@njit(cache=True)
def _of_owned(order, first, items, offsets, names, key, m, out):  # type: ignore[no-untyped-def]
    """The lots of the records of every owner with more than m of them."""
    for g in range(len(first) - 1):
        n = first[g + 1] - first[g]
        if n <= m:
            continue
        digests = np.empty(n, np.uint64)
        for j in range(n):
            r = order[first[g] + j]
            digests[j] = _record(items, offsets[r], offsets[r + 1], key, _DIGEST)
        equal = np.argsort(digests, kind="mergesort")
        copy = 0
        for j in range(n):
            copy = copy + 1 if j and digests[equal[j]] == digests[equal[j - 1]] else 0
            r = order[first[g] + equal[j]]
            out[r] = _lot(key, _COPY, names[r], digests[equal[j]], copy)


@njit(cache=True)
def _of_owners(names, key, parts, out):  # type: ignore[no-untyped-def]
    for i in range(len(names)):
        out[i] = _lot(key, _OWNER, names[i], np.uint64(0), 0) % np.uint64(parts)


@njit(cache=True)
def _records(items, offsets, key, tag, out):  # type: ignore[no-untyped-def]
    for k in range(len(offsets) - 1):
        out[k] = _record(items, offsets[k], offsets[k + 1], key, tag)


@njit(cache=True)
def _of_copies(order, first, second, key, out):  # type: ignore[no-untyped-def]
    copy = 0
    for j in range(len(order)):
        here, before = order[j], order[j - 1]
        copy = copy + 1 if j and first[here] == first[before] and second[here] == second[before] else 0
        out[here] = _lot(key, _COPY, first[here], second[here], copy)


def digests(spans: Spans) -> NDArray[np.uint64]:
    """A number for each name, the same wherever it is read. Blanks around a name do not count.

    >>> ann, bob, again = digests(Spans.of(["ann", "bob", " ann"]))
    >>> ann == again, ann == bob
    (np.True_, np.False_)
    """
    out = np.empty(len(spans.starts), np.uint64)
    _digested(*spans.fixed(), _PUBLIC, out)
    return out


def names_of(users: NDArray[np.int64], names: NDArray[np.uint64] | None) -> NDArray[np.uint64]:
    """What owners are called: the digests of their names or, in a table made by hand, their numbers."""
    return users.astype(np.int64).view(np.uint64) if names is None else names


def chosen(flat: Flat, users: NDArray[np.int64], names: NDArray[np.uint64] | None, m: int, key: Key) -> NDArray[np.bool_]:
    """Which records are kept: of every user those m with the smallest lots.

    >>> key = np.array([1, 2], np.uint64)
    >>> chosen(Flat.of([[1], [2], [3]]), np.array([0, 0, 1]), None, 1, key).tolist() in ([True, False, True], [False, True, True])
    True
    """
    order, first = by_owner(users)
    lots, kept = np.zeros(len(users), np.uint64), np.zeros(len(users), np.bool_)
    _of_owned(order, first, flat.items, flat.offsets, names_of(users, names), key, m, lots)
    _least(order, first, lots, m, kept)
    return kept


def by_owner(users: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Records in the order of their owners, and where the records of each owner begin and the last ones end."""
    if not len(users):
        return np.zeros(0, np.int64), np.zeros(1, np.int64)
    order = np.arange(len(users)) if np.all(users[1:] >= users[:-1]) else np.argsort(users, kind="stable")
    ordered = users[order]
    return order, np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1], [True]]))


def lots_of(flat: Flat, users: NDArray[np.int64] | None, names: NDArray[np.uint64] | None, key: Key) -> NDArray[np.uint64]:
    """The lot of every record. Where records own themselves all equal ones must be here: they are told apart by their number.

    >>> one, other, again = lots_of(Flat.of([[1], [1], [2]]), None, None, np.array([1, 2], np.uint64))
    >>> one == other
    np.False_
    """
    out = np.zeros(len(flat), np.uint64)
    if users is None:
        first, second = twin_digests(flat, key)
        _of_copies(np.lexsort((second, first)), first, second, key, out)
    else:
        _of_owned(*by_owner(users), flat.items, flat.offsets, names_of(users, names), key, 0, out)
    return out


def part_of_owners(users: NDArray[np.int64], names: NDArray[np.uint64] | None, n: int, key: Key) -> NDArray[np.int64]:
    """The part, of n, that each record falls into with all others of its owner."""
    out = np.empty(len(users), np.int64)
    _of_owners(names_of(users, names), key, n, out)
    return out


def twin_digests(flat: Flat, key: Key) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Two keyed digests of every record: 128 bits together, so that no two different records are taken for equal ones."""
    first, second = np.empty(len(flat), np.uint64), np.empty(len(flat), np.uint64)
    _records(flat.items, flat.offsets, key, _DIGEST, first)
    _records(flat.items, flat.offsets, key, _TWIN, second)
    return first, second


def part_of_records(flat: Flat, n: int, key: Key) -> NDArray[np.int64]:
    """The part, of n, of records that own themselves; all equal ones must be here.

    >>> part_of_records(Flat.of([[1], [1], [2]]), 1, np.array([1, 2], np.uint64)).tolist()
    [0, 0, 0]
    """
    return (lots_of(flat, None, None, key) % np.uint64(n)).astype(np.int64)
