"""Random graphs from published numbers: post-processing, which costs no privacy.

A draw is seeded by the numbers it is made from, so a release is a function of its noisy answers and can be repeated.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from seqveil.tables.triangle import cells, cells_at, root

ROUNDS = 50
"""How often ends that met themselves or an old friend are mixed again."""

Pairs = tuple[NDArray[np.int32], NDArray[np.int32]]


def generator(*numbers: NDArray[np.int64]) -> np.random.Generator:
    """A generator that the given public numbers seed."""
    digest = hashlib.sha256(b"".join(np.ascontiguousarray(n, np.int64).tobytes() for n in numbers)).digest()
    return np.random.default_rng(np.frombuffer(digest, np.uint64))


def uniform_graph(vertices: int, edges: int) -> Pairs:
    """A uniformly random simple graph with this many edges (at most all pairs).

    >>> low, high = uniform_graph(100, 300)
    >>> len(set(zip(low.tolist(), high.tolist()))), bool((low < high).all())
    (300, True)
    """
    whole = root(vertices)
    most = int(cells(whole))
    wanted = min(max(edges, 0), most)
    random = generator(np.array([vertices, edges]))
    numbers = np.zeros(0, np.int64)
    if 2 * wanted > most:
        numbers = np.sort(random.permutation(most)[:wanted])
    while len(numbers) < wanted:
        numbers = np.unique(np.concatenate([numbers, random.integers(0, most, wanted - len(numbers))]))
    low, high = cells_at(whole, numbers) if wanted else (numbers, numbers)
    return low.astype(np.int32), high.astype(np.int32)


def configuration_model(degrees: NDArray[np.int64]) -> Pairs:
    """A simple graph whose vertices have about these degrees: ends are joined at random [Molloy 1995].

    Pairs that are loops or repeats are broken up and their ends mixed again with as many ends of good edges; what has no
    partner after 50 rounds is left out.

    >>> low, high = configuration_model(np.full(200, 6))
    >>> degree = np.bincount(low, minlength=200) + np.bincount(high, minlength=200)
    >>> int(np.abs(degree - 6).sum()) <= 4
    True
    """
    n = len(degrees)
    random = generator(degrees)
    stubs = np.repeat(np.arange(n), np.clip(degrees, 0, n - 1) if n else degrees)
    stubs = random.permutation(stubs)[: len(stubs) // 2 * 2]
    good = np.zeros(0, np.int64)
    for _ in range(ROUNDS):
        # Invariant: `good` are distinct pairs, and `stubs` the ends that still look for one.
        first, second = stubs[0::2], stubs[1::2]
        pairs = np.minimum(first, second) * n + np.maximum(first, second)
        fresh = (first != second) & ~np.isin(pairs, good)
        kept = np.zeros(len(pairs), np.bool_)
        kept[np.unique(np.where(fresh, pairs, -1), return_index=True)[1]] = True
        kept &= fresh
        good = np.concatenate([good, pairs[kept]])
        left = np.concatenate([first[~kept], second[~kept]])
        if not len(left):
            break
        freed = random.permutation(len(good))[: len(left)]
        stubs = random.permutation(np.concatenate([left, good[freed] // n, good[freed] % n]))
        good = np.delete(good, freed)
    good = np.sort(np.unique(good))
    return (good // max(n, 1)).astype(np.int32), (good % max(n, 1)).astype(np.int32)
