"""For how many patterns a record counts: what clipping loses against what noise costs, from a noisy histogram."""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from seqveil.tables.doubling import Doubling
from seqveil.tables.trie import Trie
from seqveil.wall import GRAINS, Matched, Wall

HISTOGRAM = 0.1
"""Share of a question's ε for the histogram that fixes its bound. Its noise is that of single records, but what it must not
overlook, the few records that hold most, is rare."""

LOUD = 2.0
"""A slot of the histogram counts when it reaches so many noise scales: an empty slot for records that hold 100 patterns would
otherwise pass for many occurrences."""

LOSS = 1.0
"""How many times worse it is to lose a share of all occurrences than to have noise of the same share of a count of interest."""


class Bound(NamedTuple):
    """A record counts for at most `most` patterns, which keeps about `share` of all occurrences; there are about `amount`."""

    most: int
    share: float
    amount: float


def steps(most: int) -> NDArray[np.int64]:
    """0, the powers of two below `most`, and `most` itself.

    >>> steps(6).tolist(), steps(1).tolist()
    ([0, 1, 2, 4, 6], [0, 1])
    """
    return np.array([0, *(1 << i for i in range(most.bit_length()) if 1 << i < most), most], np.int64)


def ask_bound(
    wall: Wall, patterns: Doubling | Trie, l_max: int, once: bool, holdings: int, worth: float | None, epsilon: int, price: float
) -> tuple[Bound, int]:
    """The bound for a question that has ε with its histogram, and what the histogram leaves of it.

    `worth` is a count of interest, None where nothing is known yet, and `price` how many noise scales a count must reach.
    """
    bounds = steps(holdings)
    paid = max(1, int(HISTOGRAM * epsilon))
    if len(bounds) == 2 or epsilon - paid < 1:
        return Bound(holdings, 1.0, 0.0), epsilon
    noisy = wall.ask(Matched(patterns, l_max, bounds[:-1], once), paid)
    scale = wall.unit.sequences * GRAINS / paid
    return best_bound(noisy, bounds, scale, wall.unit.sequences * GRAINS / (epsilon - paid), worth, price), epsilon - paid


def best_bound(
    noisy: NDArray[np.int64], bounds: NDArray[np.int64], scale: float, noise: float, worth: float | None, price: float
) -> Bound:
    """The bound with the least sum of noise and loss; `noise` is the noise scale for a bound of 1.

    >>> many = np.array([0, 5000, 3000, 100, 0])
    >>> best_bound(many, steps(8), scale=5.0, noise=100.0, worth=2000.0, price=5.0)
    Bound(most=2, share=0.982..., amount=11400.0)
    >>> best_bound(many, steps(8), scale=5.0, noise=0.1, worth=2000.0, price=5.0).most
    4
    """
    records = np.where(noisy < LOUD * scale, 0, noisy).astype(np.float64)
    amount = float(records @ bounds)
    if amount <= 0:
        return Bound(int(bounds[-1]), 1.0, 0.0)
    most = bounds[1:]
    share = np.array([records @ np.minimum(bounds, b) for b in most.tolist()]) / amount
    lost = LOSS * (1 - share)
    drowned = price * noise * most / share / (worth or amount / 500)
    best = int(np.argmin(lost + drowned))
    return Bound(int(most[best]), float(share[best]), amount)


def price_of(slots: int, false: float) -> float:
    """How many noise scales a count must reach, so that about `false` of the empty slots reach it too; at least 1.

    >>> round(price_of(20_000, false=10), 2), price_of(4, false=10)
    (6.91, 1.0)
    """
    return max(1.0, log(slots / (2 * false)))
