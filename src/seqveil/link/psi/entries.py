"""Entries: the answerer's list as the starter gets it, in the order of random tags.

Of an output F(k, x) a tag and a pad are made for each value that has token x: the first value, the second, …. Who knows F(k, x)
finds them by their tags and takes the pad off the label; without it an entry is 24 random bytes, as a dummy is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from seqveil.link.psi.keep import stretched
from seqveil.link.psi.messages import ENTRY, LABEL

_TAG = ENTRY - LABEL


def mask(output: bytes, nth: int) -> bytes:
    """Tag and pad of the nth value (from 0) of a token."""
    return hashlib.blake2b(nth.to_bytes(8, "big"), digest_size=ENTRY, key=output, person=b"seqveil entry").digest()


def entries_of(output: bytes, labels: Sequence[bytes]) -> bytes:
    """The entries of a token whose values have these labels."""
    parts = []
    for nth, label in enumerate(labels):
        masked = mask(output, nth)
        pad = int.from_bytes(masked[_TAG:], "big") ^ int.from_bytes(label, "big")
        parts.append(masked[:_TAG] + pad.to_bytes(LABEL, "big"))
    return b"".join(parts)


def labels_of(secret: bytes, many: int) -> NDArray[np.uint64]:
    """A random number for each value, all different, under which the other side knows it in this session.

    >>> len(set(labels_of(b"s" * 32, 1000).tolist()))
    1000
    """
    attempt = 0
    while True:
        drawn = np.frombuffer(stretched(secret, "labels", attempt, LABEL * many), ">u8").astype(np.uint64)
        if len(np.unique(drawn)) == many:
            return drawn
        attempt += 1


def in_order(entries: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Entries by their tags, so that their places say nothing."""
    halves = np.ascontiguousarray(entries[:, :_TAG]).view(">u8")
    return entries[np.lexsort((halves[:, 1], halves[:, 0]))]


class Lookup:
    """The other side's entries, found by tag. Only the first half of every tag is held in memory."""

    def __init__(self, entries: NDArray[np.uint8]) -> None:
        self._entries = entries
        self._first = np.ascontiguousarray(entries[:, :8]).view(">u8").ravel().astype(np.uint64)

    @property
    def ordered(self) -> bool:
        """Whether they are in order, as an honest answer is."""
        return bool((self._first[1:] >= self._first[:-1]).all())

    def labels(self, output: bytes) -> list[int]:
        """The labels of all values of a token; none where the other side does not have it."""
        labels: list[int] = []
        while (label := self._label(mask(output, len(labels)))) is not None:
            labels.append(label)
        return labels

    def _label(self, masked: bytes) -> int | None:
        first = np.uint64(int.from_bytes(masked[:8], "big"))
        at = int(np.searchsorted(self._first, first))
        while at < len(self._first) and self._first[at] == first:
            entry = self._entries[at].tobytes()
            if entry[:_TAG] == masked[:_TAG]:
                return int.from_bytes(entry[_TAG:], "big") ^ int.from_bytes(masked[_TAG:], "big")
            at += 1
        return None
