"""What a question is: it says what an engine is asked, how far one unit can move the answer, and which clip makes that true.

A mechanism builds a question from public parameters and hands it to the wall; only the wall calls the methods that take a
table. A question passes the table on, unopened, to the engine that the table brings along (`engine_of`). A question file in this
folder states its law, its charge, its sensitivity and its clip (wall/clip.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.protocol import Counter, Tally, Uniform, Weighed
from seqveil.tables.units import Unit
from seqveil.wall.noise import Noise


class TreeKind(Protocol):
    """How records are arranged in a private tree. One that counts a unit less often at a node has a method `cap` (`cap_of`)."""

    @property
    def name(self) -> str:
        """What the ledger and the manifest call it."""
        ...

    def influence(self, unit: Unit) -> int:
        """Root-to-leaf paths that one unit can touch, counted with multiplicity."""
        ...

    def open(self, table: Any, unit: Unit) -> Counter:
        """A counter at the root of the clipped records; the wall verifies it (`clip.opened`)."""
        ...


class NodeQuestion(Protocol):
    """A question about the records of single nodes of a tree, with a law of its own."""

    @property
    def name(self) -> str: ...

    def answer(self, position: int, counter: Any, node: int, rate: Fraction, noise: Noise) -> NDArray[np.int64]:
        """The answer about one node, the `position`-th asked; `rate` is ε over the influence of one unit."""
        ...


class CountQuestion(Protocol):
    """A vector of counts. One that moves less in L2 than in L1 has a method `square` (`square_of`)."""

    @property
    def name(self) -> str: ...

    def slots(self, domain_size: int) -> int:
        """How many counts there are in the public domain."""
        ...

    def influence(self, unit: Unit) -> int:
        """The L1 sensitivity: the most that one unit can change all counts together."""
        ...

    def tally(self, table: Any, unit: Unit) -> Tally:
        """The exact counts, clipped so that `influence` holds; the wall verifies it (`clip.tallied`)."""
        ...


class _Squared(Protocol):
    """What states how far one unit can move it."""

    def influence(self, unit: Unit) -> int: ...


def square_of(question: _Squared, unit: Unit) -> int:
    """The squared L2 sensitivity of counts: what the question states, or the square of its L1 sensitivity, which is no less.

    A question whose counts move less, in L2, has a method `square(unit)`. The wall verifies it (`clip.tallied`).
    """
    stated = getattr(question, "square", None)
    return int(question.influence(unit) ** 2 if stated is None else stated(unit))


def cap_of(kind: TreeKind, unit: Unit) -> int:
    """The most times that one unit is counted at a single node of a tree below its root: what the tree states by a method
    `cap(unit)`, or all the paths that the unit walks."""
    stated, influence = getattr(kind, "cap", None), kind.influence(unit)
    return influence if stated is None else min(int(stated(unit)), influence)


class ScoreQuestion(Protocol):
    """Integer scores of public candidates, for the exponential mechanism."""

    @property
    def name(self) -> str: ...

    def sensitivity(self, unit: Unit) -> int:
        """How far one unit can move any single score."""
        ...

    def scores(self, table: Any, unit: Unit) -> NDArray[np.int64]:
        """The exact score of every candidate."""
        ...


class QuantileQuestion(ScoreQuestion, Protocol):
    """A quantile of a whole-number attribute, chosen from public candidates."""

    def value(self, candidate: int) -> int:
        """The attribute's value that a candidate stands for."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Ladder:
    """The exact value, and how many whole numbers each rung has on either side of it; the last width goes on for ever."""

    value: int
    widths: NDArray[np.int64]


class LadderQuestion(Protocol):
    """One whole number whose sensitivity at the data at hand, and near it, is known: for the ladder mechanism."""

    @property
    def name(self) -> str: ...

    def steps(self, unit: Unit) -> int:
        """By how many rungs one unit can move any whole number."""
        ...

    def ladder(self, table: Any, unit: Unit) -> Ladder:
        """The exact value and the rungs around it; the wall verifies their form (`clip.laddered`)."""
        ...


class LabelQuestion(Protocol):
    """Weights of labels that nobody has listed: for `Wall.discover`."""

    @property
    def name(self) -> str: ...

    @property
    def most(self) -> int:
        """To how many labels a unit gives weight at most."""
        ...

    def square(self, unit: Unit) -> int:
        """The squared L2 sensitivity."""
        ...

    def shares(self) -> list[int]:
        """What a unit gives to each of its labels, where it has 1, 2, …, `most`."""
        ...

    def weigh(self, table: Any, unit: Unit, uniform: Uniform) -> Weighed:
        """The exact weights; the wall verifies them (`clip.weighed`)."""
        ...


class SeriesQuestion(CountQuestion, Protocol):
    """Counts asked one after the other until the first reaches a threshold; each moves by at most `step` per unit."""

    def step(self, unit: Unit) -> int:
        """How far one unit can move any single count."""
        ...

    @property
    def monotone(self) -> bool:
        """Whether adding a unit can never lower one count and raise another."""
        ...
