"""What an answer costs under zCDP: the least ρ that the Rényi divergences of its two laws leave room for.

ρ-zCDP says that the divergence of order α is at most α·ρ, for every α > 1 [Bun 2016]. Divergences of independent answers add up,
so those of a run are added answer by answer. Which questions are asked follows from earlier answers: the sum is at most ρ for
every run, and docs/mechanisms/tree.md, 'Adaptive questions' proves that then the whole run is ρ-zCDP.
"""

from __future__ import annotations

import math
from functools import lru_cache, singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.audit.laws import Arranged, FirstAbove, Plain, Rungs, Scored, Several, Slots
from seqveil.audit.losses import Losses
from seqveil.wall.noise import Law as NoiseLaw

ORDERS = (1.01, 2, 8, 32)
"""Orders at which divergences are taken; near 1 a choice shows most, and counts show the same at each."""


def spent(here: Any, there: Any) -> float:
    """The least ρ that the laws of one answer leave room for.

    >>> from seqveil.wall.noise import Sigma
    >>> round(spent(Plain(np.array([3]), [Sigma(4.0)]), Plain(np.array([5]), [Sigma(4.0)])), 9)  # Δ²/2σ²
    0.5
    """
    return max(divergence(here, there, order) / order for order in ORDERS)


@lru_cache(maxsize=65_536)
def _of_count(here: int, there: int, noise: NoiseLaw, threshold: int | None, order: float) -> float:
    return Losses.of_counts(here, there, noise, threshold).renyi(order) if here != there else 0.0


@singledispatch
def divergence(here: Any, there: Any, order: float) -> float:
    """The Rényi divergence of an order between the laws of one answer; 0 where a law is not known."""
    return 0.0


@divergence.register
def _(here: Slots, there: Slots, order: float) -> float:
    slots = (here.count.keys() | there.count.keys()) - here.released_before
    pairs = [(here.count.get(slot, 0), there.count.get(slot, 0)) for slot in slots]
    return math.fsum(_of_count(a, b, here.noise, here.threshold, order) for a, b in pairs)


@divergence.register
def _(here: Plain, there: Plain, order: float) -> float:
    triples = zip(here.count.tolist(), there.count.tolist(), here.noise, strict=True)
    return math.fsum(_of_count(a, b, noise, None, order) for a, b, noise in triples)


@divergence.register
def _(here: Scored, there: Scored, order: float) -> float:
    return here.losses(there).renyi(order)


@divergence.register
def _(here: FirstAbove, there: FirstAbove, order: float) -> float:
    p, q = _of_answers(here), _of_answers(there)
    return Losses(p - q, p).renyi(order)


def _of_answers(law: FirstAbove) -> NDArray[np.float64]:
    """log P of every answer; `FirstAbove.log` leaves a constant out."""
    log = np.array([law.log(answer) for answer in [*range(len(law.count)), None]])
    return np.asarray(log - log.max() - math.log(np.exp(log - log.max()).sum()))


@divergence.register
def _(here: Rungs, there: Rungs, order: float) -> float:
    """A bound: the loss of an answer is at most twice the rungs that it moves, over the scale; any such answer costs ε²/2."""
    return order * (2 * here.moved(there) / here.scale) ** 2 / 2


@divergence.register
def _(here: Arranged, there: Arranged, order: float) -> float:
    """A bound, likewise: weights are of sets of one size, and the edges that move change the loss by at most `rate` each."""
    return order * float(here.rate * here.moved(there)) ** 2 / 2


@divergence.register
def _(here: Several, there: Several, order: float) -> float:
    return math.fsum(divergence(a, b, order) for a, b in zip(here.laws, there.laws, strict=True))
