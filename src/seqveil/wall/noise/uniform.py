"""Uniform integers and uniform subsets, exactly, from random 64-bit words.

The words come from the caller: the operating system for `SecureNoise`, a seeded generator for `SeededNoise`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = Callable[[int], NDArray[np.uint64]]
"""How many words are wanted -> that many independent uniform 64-bit words."""

MOST_INT64 = 2**62
"""From here on integers are Python's own: sums of two of them must not leave int64 either."""


DENSE = 64
"""Up to this many integers per integer wanted, marking them all is cheaper than sorting those drawn."""


def integer_below(words: Words, n: int) -> int:
    """One uniform integer of 0..n-1, for n of any size.

    As many random bits as n-1 has are uniform over a range that holds 0..n-1; those that fall outside are thrown away,
    which leaves the rest uniform. At least half of the attempts succeed.
    """
    bits = (n - 1).bit_length()
    count = -(-bits // 64)
    while True:
        number = int.from_bytes(words(count).tobytes(), "little") >> (64 * count - bits)
        if number < n:
            return number


def below(words: Words, n: int, size: int) -> NDArray[Any]:
    """`size` independent uniform integers of 0..n-1."""
    if n >= MOST_INT64:
        drawn = np.empty(size, dtype=object)
        drawn[:] = [integer_below(words, n) for _ in range(size)]
        return drawn
    shift = np.uint64(64 - max(1, (n - 1).bit_length()))
    accepted: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)]
    missing = size
    while missing:
        # An attempt fails with probability at most 1/2, so a few rounds are enough.
        numbers = (words(missing) >> shift).astype(np.int64)
        accepted.append(numbers[numbers < n])
        missing -= accepted[-1].size
    return np.concatenate(accepted)


def distinct(words: Words, k: int, n: int) -> NDArray[Any]:
    """k distinct integers of 0..n-1, every such set equally likely, ascending.

    Each round draws exactly as many integers as are missing and forgets repeats, so k is never overshot. No step looks
    at which integers were drawn, only at which are equal; renaming 0..n-1 therefore does not change the law of the set,
    and the only such law on sets of size k is the uniform one.
    """
    if 2 * k > n:
        # Too many repeats that way; the integers left out are a uniform set as well.
        chosen = np.ones(n, dtype=bool)
        chosen[distinct(words, n - k, n)] = False
        return np.flatnonzero(chosen)
    return _marked(words, k, n) if n <= DENSE * k else _sorted(words, k, n)


def _marked(words: Words, k: int, n: int) -> NDArray[np.int64]:
    """`distinct` with one mark for every integer: for sets that fill a good part of the range."""
    marked = np.zeros(n, dtype=bool)
    missing = k
    while missing:
        marked[below(words, n, missing)] = True
        missing = k - int(np.count_nonzero(marked))
    return np.flatnonzero(marked)


def _sorted(words: Words, k: int, n: int) -> NDArray[Any]:
    """`distinct` with the set itself: for few integers of a wide range, where repeats are rare."""
    drawn = below(words, max(n, 1), 0)
    while drawn.size < k:
        drawn = np.sort(np.concatenate([drawn, below(words, n, k - drawn.size)]))
        drawn = drawn[np.concatenate([[True], drawn[1:] != drawn[:-1]])]
    return drawn
