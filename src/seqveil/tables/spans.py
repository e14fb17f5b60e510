"""Spans: many byte strings inside one buffer, and the hash table that finds them. The kernels every reader shares.

A span is `data[start:end]`. Blanks around it do not count, and an empty span is a missing value. Nothing here becomes a
Python string, which is why a hundred million events fit in memory.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numba
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


class Spans(NamedTuple):
    """Byte strings `data[starts[i]:ends[i]]`."""

    data: NDArray[np.uint8]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    @classmethod
    def of(cls, strings: Any) -> Spans:
        """From an Arrow array, a Polars series, or any sequence of str, bytes and None; None becomes an empty span.

        >>> spans = Spans.of(["ab", None, "c"])
        >>> spans.text(0), spans.text(1), spans.text(2)
        ('ab', '', 'c')
        """
        array = _binary(strings)
        offsets = np.frombuffer(array.buffers()[1], np.int64)[array.offset : array.offset + len(array) + 1]
        body = array.buffers()[2]
        data = np.frombuffer(body, np.uint8) if body is not None and body.size else np.zeros(0, np.uint8)
        starts, ends = offsets[:-1], offsets[1:]
        if array.null_count:
            valid = array.is_valid().to_numpy(zero_copy_only=False)
            ends = np.where(valid, ends, starts)
        return cls(data, starts, ends)

    def present(self) -> NDArray[np.bool_]:
        """Which spans hold more than blanks.

        >>> Spans.of(["a", " ", "", None]).present().tolist()
        [True, False, False, False]
        """
        out = np.empty(len(self.starts), np.bool_)
        _present(*self.fixed(), out)
        return out

    def fixed(self) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
        """The three arrays for kernels to read: Numba would compile every mix of writable and other arrays anew."""
        return _fixed(self.data), _fixed(self.starts), _fixed(self.ends)

    def text(self, i: int, most: int | None = None) -> str:
        """Span i for people to read, at most so many characters of it; bad bytes show as replacement characters.

        >>> Spans.of([" abc "]).text(0, most=2)
        'ab'
        """
        start, end = self.starts[i], self.ends[i]
        if most is None:
            return bytes(self.data[start:end]).decode("utf-8", "replace").strip(" \t\r")
        start, end = trim(_fixed(self.data), start, end)
        enough = min(end, start + 4 * most)  # no character has more than four bytes, and a span may have gigabytes
        return bytes(self.data[start:enough]).decode("utf-8", "replace")[:most]


def _fixed(array: NDArray) -> NDArray:
    view = array.view()
    view.flags.writeable = False
    return view


def _binary(strings: Any) -> Any:
    """One contiguous Arrow array of bytes with 64-bit offsets."""
    if hasattr(strings, "to_arrow"):
        strings = strings.to_arrow()
    if isinstance(strings, pa.ChunkedArray):
        strings = strings.combine_chunks() if strings.num_chunks != 1 else strings.chunk(0)
    if not isinstance(strings, pa.Array):
        rows = [s.encode("utf-8", "surrogatepass") if isinstance(s, str) else s for s in strings]
        return pa.array(rows, pa.large_binary())
    if pa.types.is_dictionary(strings.type):
        strings = strings.dictionary_decode()
    if pa.types.is_null(strings.type) or not len(strings):
        return pa.nulls(len(strings), pa.large_binary()) if len(strings) else pa.array([], pa.large_binary())
    return strings if strings.type == pa.large_binary() else strings.cast(pa.large_binary())


@numba.njit(cache=True)
def trim(data, start, end):  # type: ignore[no-untyped-def]
    """The span without the blanks around it."""
    while start < end and (data[start] == 32 or data[start] == 9 or data[start] == 13):
        start += 1
    while end > start and (data[end - 1] == 32 or data[end - 1] == 9 or data[end - 1] == 13):
        end -= 1
    return start, end


@numba.njit(cache=True)
def _present(data, starts, ends, out):  # type: ignore[no-untyped-def]
    for i in range(len(starts)):
        start, end = trim(data, starts[i], ends[i])
        out[i] = start < end


@numba.njit(cache=True)
def _home(data, start, end, slots):  # type: ignore[no-untyped-def]
    """The slot where the search for a span begins."""
    h = np.uint64(14695981039346656037)
    for i in range(start, end):
        h = (h ^ np.uint64(data[i])) * np.uint64(1099511628211)
    h ^= h >> np.uint64(32)
    h *= np.uint64(0x9E3779B97F4A7C15)
    h ^= h >> np.uint64(29)
    return np.int64(h & np.uint64(len(slots) - 1))


@numba.njit(cache=True)
def _seek(data, start, end, names, offsets, slots):  # type: ignore[no-untyped-def]
    """The slot that holds the span, or the free slot where it belongs. It ends: at least half of the slots are free."""
    at = _home(data, start, end, slots)
    while True:
        k = slots[at]
        if k < 0:
            return at
        begin = offsets[k]
        if offsets[k + 1] - begin == end - start:
            same = True
            for j in range(end - start):
                if names[begin + j] != data[start + j]:
                    same = False
                    break
            if same:
                return at
        at = (at + 1) & (len(slots) - 1)


@numba.njit(cache=True)
def _fill(names, offsets, first, n, slots):  # type: ignore[no-untyped-def]
    for k in range(first, n):
        at = _seek(names, offsets[k], offsets[k + 1], names, offsets, slots)
        if slots[at] < 0:
            slots[at] = k


@numba.njit(cache=True)
def _find(data, starts, ends, names, offsets, longest, slots, out):  # type: ignore[no-untyped-def]
    for i in range(len(starts)):
        start, end = trim(data, starts[i], ends[i])
        fits = start < end <= start + longest  # what is longer than every name need not be hashed, gigabytes perhaps
        out[i] = slots[_seek(data, start, end, names, offsets, slots)] if fits else -1


@numba.njit(cache=True)
def _number(data, starts, ends, names, offsets, n, slots, out):  # type: ignore[no-untyped-def]
    for i in range(len(starts)):
        start, end = trim(data, starts[i], ends[i])
        if start == end:
            out[i] = -1
            continue
        at = _seek(data, start, end, names, offsets, slots)
        if slots[at] < 0:
            begin = offsets[n]
            for j in range(end - start):
                names[begin + j] = data[start + j]
            offsets[n + 1] = begin + end - start
            slots[at] = n
            n += 1
        out[i] = slots[at]
    return n


@numba.njit(cache=True)
def find_integers(data, starts, ends, low, size, out):  # type: ignore[no-untyped-def]
    """Codes of spans that spell an integer of low .. low + size - 1 exactly as Python prints it; -1 for all others."""
    for i in range(len(starts)):
        start, end = trim(data, starts[i], ends[i])
        out[i] = -1
        negative = start < end and data[start] == 45
        begin = start + 1 if negative else start
        digits = end - begin
        if digits < 1 or digits > 18 or (data[begin] == 48 and (digits > 1 or negative)):
            continue
        value = np.int64(0)
        for j in range(begin, end):
            digit = np.int64(data[j]) - 48
            if digit < 0 or digit > 9:
                value = np.int64(-1)
                break
            value = value * 10 + digit
        if value < 0:
            continue
        rank = (-value if negative else value) - low
        if 0 <= rank < size:
            out[i] = rank


_FIT_32_BITS = 2**31
"""How many names can be numbered with 32 bits; one more would be taken for a free slot, and others for the wrong person."""


def _room(n: int) -> int:
    return max(16, 1 << (2 * n - 1).bit_length()) if n else 16


class Lookup:
    """A fixed list of byte strings that finds its members."""

    def __init__(self, names: Spans) -> None:
        self._names = _fixed(names.data)
        self._offsets = np.append(names.starts, names.ends[-1:]).astype(np.int64)
        self._longest = int(np.diff(self._offsets).max(initial=0))
        self._slots = np.full(_room(len(names.starts)), -1, np.int32)
        _fill(self._names, self._offsets, 0, len(names.starts), self._slots)

    def find(self, spans: Spans) -> NDArray[np.int32]:
        """The position of each span in the list, -1 when it is not there.

        >>> Lookup(Spans.of(["a", "bc"])).find(Spans.of([" bc ", "a", "b", None])).tolist()
        [1, 0, -1, -1]
        """
        out = np.empty(len(spans.starts), np.int32)
        _find(*spans.fixed(), self._names, self._offsets, self._longest, self._slots, out)
        return out


class Numbering:
    """Numbers byte strings 0, 1, 2, … in the order in which they first appear; with 64 bits from the 2³¹st on.

    >>> people = Numbering()
    >>> people.number(Spans.of(["ann", "bob", "ann", None])).tolist()
    [0, 1, 0, -1]
    >>> people.number(Spans.of(["cid", "bob"])).tolist(), len(people)
    ([2, 1], 3)
    """

    def __init__(self) -> None:
        self._n = 0
        self._names = np.empty(1 << 12, np.uint8)
        self._offsets = np.zeros(1 << 9, np.int64)
        self._slots: NDArray = np.full(1 << 10, -1, np.int32)

    def __len__(self) -> int:
        return self._n

    def names(self) -> list[bytes]:
        """Everything numbered so far, in order."""
        body = self._names[: self._offsets[self._n]].tobytes()
        ends = self._offsets[: self._n + 1].tolist()
        return [body[a:b] for a, b in pairwise(ends)]

    def spans(self) -> Spans:
        """The same, as spans."""
        return Spans(self._names, self._offsets[: self._n], self._offsets[1 : self._n + 1])

    def number(self, spans: Spans) -> NDArray[np.int32] | NDArray[np.int64]:
        """The number of each span, -1 for missing ones."""
        self._make_room(len(spans.starts), int((spans.ends - spans.starts).sum()))
        out: NDArray = np.empty(len(spans.starts), self._slots.dtype)
        self._n = _number(*spans.fixed(), self._names, self._offsets, self._n, self._slots, out)
        return out

    def _make_room(self, more: int, more_bytes: int) -> None:
        """Room for the worst case, in which every span is new: the kernel then never has to stop and grow."""
        need = int(self._offsets[self._n]) + more_bytes
        if need > len(self._names):
            self._names = _grown(self._names, int(self._offsets[self._n]), max(need, len(self._names) * 3 // 2))
        if self._n + more + 1 > len(self._offsets):
            self._offsets = _grown(self._offsets, self._n + 1, max(self._n + more + 1, len(self._offsets) * 3 // 2))
        kind = np.int32 if self._n + more < _FIT_32_BITS else np.int64
        if _room(self._n + more) > len(self._slots) or kind != self._slots.dtype:
            self._slots = np.full(max(len(self._slots), _room(self._n + more)), -1, kind)
            _fill(_fixed(self._names), self._offsets, 0, self._n, self._slots)


def _grown(array: NDArray, used: int, size: int) -> NDArray:
    bigger = np.empty(size, array.dtype)
    bigger[:used] = array[:used]
    return bigger
