"""What an engine offers the wall: exact counts of the children of a frontier. Raw side.

A counter is a pure function of (a part of the records, the frontier), so counts of several parts may be added up.
Nodes are numbered 0..n-1 within one counter; a fresh counter has the root alone, as node 0. A child is named by its
parent and its *rank*, a public number in 0..fan_out-1 that means the same whatever the data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """The non-zero children of some nodes: sorted by parent (a position in the `nodes` that were asked), then rank."""

    parent: NDArray[np.int64]
    rank: NDArray[np.int64]
    count: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Public candidates per node with exact integer scores, for the exponential mechanism.

    `start[i]:start[i + 1]` are the candidates of the i-th node asked; each path a unit walks moves any score by at
    most `sensitivity`.
    """

    start: NDArray[np.int64]
    score: NDArray[np.int64]
    sensitivity: int


class Counter(Protocol):
    """Exact counts of the children of a frontier.

    `split` is public and says how each asked node is divided; counters whose nodes divide in one way only ignore it.
    """

    def fan_out(self, nodes: NDArray[np.int64], split: Any = None) -> list[int]:
        """How many children each node has in the public universe; may exceed 2**63."""
        ...

    def children(self, nodes: NDArray[np.int64], split: Any = None) -> Counts:
        """The children that occur, with their exact counts."""
        ...

    def count(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        """The exact counts of the nodes themselves."""
        ...

    def scores(self, nodes: NDArray[np.int64]) -> Scores:
        """Public ways to split each node, scored; counters whose nodes divide in one way only refuse."""
        ...

    def descend(self, parents: NDArray[np.int64], ranks: NDArray[np.int64], split: Any = None) -> Counter:
        """A new counter whose node i is the child `ranks[i]` of node `parents[i]`; records follow these children only."""
        ...
