"""Random graphs from published numbers: post-processing, which costs no privacy.

A draw is seeded by the numbers it is made from, so a release is a function of its noisy answers and can be repeated.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from seqveil.release.graphs.wiring import Pairs, wired
from seqveil.tables.triangle import cells, cells_at, root

Random = np.random.Generator


def generator(*numbers: NDArray[np.int64]) -> Random:
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

    Pairs that are loops or repeats exchange an end with an edge; what finds no partner is left out.

    >>> low, high = configuration_model(np.full(200, 6))
    >>> degree = np.bincount(low, minlength=200) + np.bincount(high, minlength=200)
    >>> int(np.abs(degree - 6).sum())
    0
    """
    n = len(degrees)
    random = generator(degrees)
    first, second = paired(degrees, random)
    return wired(first, second, np.zeros(0, np.int64), n, random)


def paired(degrees: NDArray[np.int64], random: Random) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The two ends of pairs in which every vertex stands as often as its degree says; loops and repeats may be among them."""
    n = len(degrees)
    ends = random.permutation(np.repeat(np.arange(n), np.clip(degrees, 0, max(n - 1, 0))))
    half = len(ends) // 2
    return ends[:half], ends[half : 2 * half]
