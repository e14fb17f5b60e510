"""Strings like DNA, SIMULATED: a random background with planted repeats of 8 to 64 letters.

Every string has 100 letters of A, C, G, T from a Markov chain of order 2 with rows drawn once. Into each, with probability 3/4,
one of 40 repeats is planted at a random place: repeat i has a length of 8, 12, 16, 24, 32, 48 or 64 in turn and a weight of
1/(i + 1); each letter of a planted copy is replaced with probability 1/200. Public generator, fixed seed: says how methods
compare on such data.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LETTERS = ("A", "C", "G", "T")
LENGTHS = (8, 12, 16, 24, 32, 48, 64)


def simulate(strings: int = 100_000, letters: int = 100, repeats: int = 40, seed: int = 0) -> NDArray[np.int32]:
    """A row of codes for every string."""
    rng = np.random.default_rng(seed)
    rows = rng.dirichlet(np.full(4, 4.0), size=16).cumsum(axis=1)
    text = np.empty((strings, letters), np.int32)
    text[:, :2] = rng.integers(0, 4, (strings, 2))
    for at in range(2, letters):
        context = 4 * text[:, at - 2] + text[:, at - 1]
        text[:, at] = np.minimum((rng.random(strings)[:, None] > rows[context]).sum(axis=1), 3)
    planted = [rng.integers(0, 4, LENGTHS[i % len(LENGTHS)]).astype(np.int32) for i in range(repeats)]
    weight = 1 / np.arange(1, repeats + 1)
    which = np.where(rng.random(strings) < 0.75, rng.choice(repeats, strings, p=weight / weight.sum()), -1)
    for i, repeat in enumerate(planted):
        for row in np.flatnonzero(which == i).tolist():
            at = int(rng.integers(0, letters - len(repeat) + 1))
            wrong = rng.random(len(repeat)) < 0.005
            text[row, at : at + len(repeat)] = np.where(wrong, rng.integers(0, 4, len(repeat)), repeat)
    return text
