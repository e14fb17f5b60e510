"""What the group wants, as states of a dynamic program: one digit per category, 0 for "not yet", L for "the best there is"."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import njit
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Wanted:
    """k categories with profits λ, quality in `levels` steps, and which category must come before which.

    A state is a number in base levels + 1: digit c says at which quality category c has been visited. A need is a state, too:
    digit c says at which quality it must still be visited. With one level, states are the sets of categories.

    >>> want = Wanted(np.array([3.0, 5.0]), 1, np.zeros((2, 2), bool))
    >>> want.count, want.profit.tolist()
    (4, [0.0, 3.0, 5.0, 8.0])
    """

    profits: NDArray[np.float64]
    levels: int
    before: NDArray[np.bool_]
    """before[c, d]: c has to be visited before d (closed under transitivity)."""

    @property
    def count(self) -> int:
        """How many states there are."""
        return int((self.levels + 1) ** len(self.profits))

    @cached_property
    def digits(self) -> NDArray[np.int64]:
        """Row s holds the digits of state s."""
        base = self.levels + 1
        return np.arange(self.count)[:, None] // base ** np.arange(len(self.profits))[None, :] % base

    @cached_property
    def profit(self) -> NDArray[np.float64]:
        """Ps of each state [Bonomi thesis, Eq. 6.3]: a category at quality j of L brings λ·j/L."""
        return (self.digits / self.levels) @ self.profits

    def scaled(self, unit: float) -> NDArray[np.float64]:
        """Ps in whole units, every category rounded down on its own [Bonomi thesis, Alg. 11]."""
        return np.asarray(np.floor(self.digits * self.profits / self.levels / unit + 1e-9).sum(axis=1))

    def state(self, digits: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers of states given by rows of digits."""
        return np.asarray(digits @ (self.levels + 1) ** np.arange(len(self.profits)))

    def gains(self, kinds: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For state s and kind of node j: the states that a stop there leads to, from ptr[s·|kinds| + j] on."""
        return _gains(self.digits, self.digits[kinds], self.before, self.levels + 1)  # type: ignore[no-any-return]

    def meets(self, kinds: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For need s and kind of node j: what is still needed after a stop there, from ptr[s·|kinds| + j] on."""
        return _meets(self.digits, self.digits[kinds], self.before, self.levels + 1)  # type: ignore[no-any-return]

    def targets(self, value: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """For state s: the needs that may still be met and the value reached with them, from ptr[s] on, best value first.

        States of value −∞ may not end a route.
        """
        state, need, worth = _targets(self.digits, self.before, value, self.levels + 1)
        order = np.lexsort((need, -worth, state))
        ptr = np.zeros(self.count + 1, np.int64)
        np.cumsum(np.bincount(state, minlength=self.count), out=ptr[1:])
        return ptr, need[order], worth[order]


@njit(cache=True)
def _late(state, c, before):  # type: ignore[no-untyped-def]
    """Whether something has been visited that had to wait for c."""
    late = False
    for d in range(len(state)):
        late |= state[d] > 0 and before[c, d]
    return late


@njit(cache=True)
def _gains(digits, kinds, before, base):  # type: ignore[no-untyped-def]
    count, k = digits.shape
    free = not before.any()
    ptr = np.zeros(count * len(kinds) + 1, np.int64)
    into = [np.int64(0) for _ in range(0)]
    offered = np.empty(k, np.int64)
    for s in range(count):
        for j in range(len(kinds)):
            n = 0
            for c in range(k):
                if kinds[j, c] > digits[s, c] and not _late(digits[s], c, before):
                    offered[n] = c
                    n += 1
            # Without an order it never hurts to take everything; with one, taking d now may forbid c later.
            for chosen in range((1 << n) - 1 if free else 0, 1 << n):
                reached = s
                for b in range(n):
                    if chosen >> b & 1:
                        c = offered[b]
                        reached += (kinds[j, c] - digits[s, c]) * base**c
                into.append(np.int64(reached))
            ptr[s * len(kinds) + j + 1] = len(into)
    return ptr, np.array(into)


@njit(cache=True)
def _meets(digits, kinds, before, base):  # type: ignore[no-untyped-def]
    count, k = digits.shape
    free = not before.any()
    ptr = np.zeros(count * len(kinds) + 1, np.int64)
    left = [np.int64(0) for _ in range(0)]
    offered = np.empty(k, np.int64)
    for s in range(count):
        for j in range(len(kinds)):
            n = 0
            for c in range(k):
                if digits[s, c] > 0 and kinds[j, c] >= digits[s, c]:
                    offered[n] = c
                    n += 1
            for chosen in range(max(1, (1 << n) - 1) if free else 1, 1 << n):
                rest = digits[s].copy()
                for b in range(n):
                    if chosen >> b & 1:
                        rest[offered[b]] = 0
                fits = True
                for b in range(n):
                    if chosen >> b & 1:
                        for d in range(k):
                            if rest[d] > 0 and before[d, offered[b]]:
                                fits = False
                if fits:
                    number = 0
                    for c in range(k):
                        number += rest[c] * base**c
                    left.append(np.int64(number))
            ptr[s * len(kinds) + j + 1] = len(left)
    return ptr, np.array(left)


@njit(cache=True)
def _targets(digits, before, value, base):  # type: ignore[no-untyped-def]
    count, k = digits.shape
    state = [np.int64(0) for _ in range(0)]
    need = [np.int64(0) for _ in range(0)]
    worth = [np.float64(0) for _ in range(0)]
    for s in range(count):
        for t in range(s, count):
            number = 0
            fits = value[t] > -np.inf
            for c in range(k if fits else 0):
                if digits[t, c] < digits[s, c]:
                    fits = False
                    break
                if digits[t, c] > digits[s, c]:
                    number += digits[t, c] * base**c
                    if _late(digits[s], c, before):
                        fits = False
                        break
            if fits:
                state.append(np.int64(s))
                need.append(np.int64(number))
                worth.append(value[t])
    return np.array(state), np.array(need), np.array(worth)
