"""The Aho–Corasick automaton of a set of patterns: finds what ends at each symbol in one pass, and knows at how many symbols
of a string something can end at most. Patterns are public, so everything here is."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Automaton:
    """State 0 is the empty string. Symbols are first mapped to the few `column`s that the patterns use; 0 is any other symbol.

    `step[state, column]` is the next state; `pattern[state]` is the pattern that ends there, or -1; `shorter[state]` is the
    next shorter suffix that is a pattern, or -1.
    """

    column: dict[int, int]
    step: NDArray[np.int32]
    pattern: NDArray[np.int32]
    shorter: NDArray[np.int32]

    @classmethod
    def of(cls, patterns: Sequence[Sequence[int]]) -> Automaton:
        """Built breadth first; patterns must be distinct and not empty."""
        column = {symbol: i + 1 for i, symbol in enumerate(sorted({x for p in patterns for x in p}))}
        tree: list[dict[int, int]] = [{}]
        ends = [-1]
        for number, pattern in enumerate(patterns):
            state = 0
            for symbol in pattern:
                if column[symbol] not in tree[state]:
                    tree[state][column[symbol]] = len(tree)
                    tree.append({})
                    ends.append(-1)
                state = tree[state][column[symbol]]
            ends[state] = number
        step = np.zeros((len(tree), len(column) + 1), np.int32)
        pattern_at = np.array(ends, np.int32)
        shorter = np.full(len(tree), -1, np.int32)
        suffix = [0] * len(tree)
        queue = deque([0])
        while queue:
            # Invariant: step, suffix and shorter are final for every state that left the queue, and for all shorter ones.
            state = queue.popleft()
            link = suffix[state]
            if state:
                step[state] = step[link]
                shorter[state] = link if pattern_at[link] >= 0 else shorter[link]
            for symbol, child in tree[state].items():
                suffix[child] = int(step[state, symbol]) if state else 0
                step[state, symbol] = child
                queue.append(child)
        return cls(column, step, pattern_at, shorter)

    def columns(self, labels: int) -> NDArray[np.int32]:
        """The column of every code below `labels`."""
        table = np.zeros(labels, np.int32)
        for symbol, column in self.column.items():
            table[symbol] = column
        return table

    def most_ends(self, length: int) -> int:
        """At how many symbols of a string of `length` symbols patterns can end, at most: a walk through most such states.

        >>> Automaton.of([[0], [0, 0], [0, 0, 0]]).most_ends(4)
        4
        >>> Automaton.of([[0, 1], [0, 1, 1], [0, 1, 1, 0]]).most_ends(6)
        5
        """
        best = np.full(len(self.step), -1, np.int64)
        best[0] = 0
        targets = self.step.reshape(-1)
        ends = (self.pattern >= 0) | (self.shorter >= 0)
        for _ in range(length):
            # Invariant: best[s] is the most ends of a walk of so many steps from the empty string to s; -1 where none is.
            reached = np.full(len(best), -1, np.int64)
            np.maximum.at(reached, targets, np.repeat(best, self.step.shape[1]))
            best = np.where(reached >= 0, reached + ends, -1)
        return int(best.max())
