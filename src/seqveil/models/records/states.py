"""States of a walk through a record: the longest context that its latest labels end with (an Aho–Corasick automaton).

State s < labels is the single label s; further states are longer contexts, which were children of states. A walk steps from
a state by a label to the longest context that the labels so far then end with.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class States:
    """`spelled[s]` holds the labels of a context, filled with −1 on the left; `suffix[s]` is the longest shorter state that
    it ends with (−1 for single labels); `prefix[s]` the state that it extends by its last label; `step[s, x]` the next state.
    """

    labels: int
    spelled: Codes
    prefix: Codes
    suffix: Codes
    step: Codes

    @classmethod
    def single(cls, labels: int) -> States:
        """One state per label.

        >>> States.single(2).step.tolist()
        [[0, 1], [0, 1]]
        """
        codes = np.arange(labels, dtype=np.int32)
        none = np.full(labels, -1, np.int32)
        return cls(labels, codes[:, None], none, none, np.tile(codes, (labels, 1)))

    def __len__(self) -> int:
        return len(self.suffix)

    @property
    def depth(self) -> NDArray[np.int64]:
        """The number of labels of every context."""
        return np.asarray((self.spelled >= 0).sum(axis=1))

    def refined(self, parents: NDArray[np.integer], labels: NDArray[np.integer]) -> States:
        """With new contexts: each a state of the deepest level extended by a label.

        >>> deeper = States.single(2).refined(np.array([0]), np.array([1]))
        >>> deeper.spelled.tolist(), deeper.step.tolist(), deeper.suffix.tolist()
        ([[-1, 0], [-1, 1], [0, 1]], [[0, 2], [0, 1], [0, 1]], [-1, -1, 1])
        """
        if not len(parents):
            return self
        new = np.arange(len(self), len(self) + len(parents), dtype=np.int32)
        shorter = self.suffix[parents]
        suffix = np.where(shorter < 0, labels, self.step[shorter, labels]).astype(np.int32)
        step = self.step.copy()
        step[parents, labels] = new
        left = np.full((len(self), 1), -1, np.int32)
        spelled = np.concatenate([np.concatenate([left, self.spelled], axis=1), _extended(self.spelled[parents], labels)])
        return States(
            self.labels,
            spelled,
            np.concatenate([self.prefix, parents.astype(np.int32)]),
            np.concatenate([self.suffix, suffix]),
            np.concatenate([step, step[suffix]]),
        )

    def gathered(self, own: NDArray[np.float64]) -> NDArray[np.float64]:
        """From counts at the longest context only, counts of every context: each passes its own on to its suffix."""
        total = own.copy()
        depth = self.depth
        for d in range(int(depth.max(initial=1)), 1, -1):
            at = np.flatnonzero(depth == d)
            np.add.at(total, self.suffix[at], total[at])
        return total

    def handed_down(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The transpose of `gathered`: every context adds the values of all shorter ones that it ends with.

        >>> deeper = States.single(2).refined(np.array([0]), np.array([1]))
        >>> deeper.handed_down(np.array([[1.0, 2.0], [3.0, 4.0], [10.0, 20.0]])).tolist()
        [[1.0, 2.0], [3.0, 4.0], [13.0, 24.0]]
        """
        out = values.copy()
        depth = self.depth
        for d in range(2, int(depth.max(initial=1)) + 1):
            at = np.flatnonzero(depth == d)
            out[at] += out[self.suffix[at]]
        return out


def _extended(spelled: Codes, labels: NDArray[np.integer]) -> Codes:
    return np.concatenate([spelled, labels.astype(np.int32)[:, None]], axis=1)
