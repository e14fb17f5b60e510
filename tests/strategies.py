"""Small databases, and noise chosen by an adversary instead of drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.sequences import SequenceTable
from seqveil.wall.noise import Law, Scale, Sigma

PAPER = ["231", "23", "32", "231", "321", "23123", "32", "3123"]
"""Table 1 of the N-gram paper; I1, I2, I3 are the codes 0, 1, 2."""


def domain_of(labels: int) -> Domain:
    """Labels I1, I2, …"""
    return Domain.of([f"I{i + 1}" for i in range(labels)], public_because="a test")


def table_of_codes(records: Iterable[Sequence[int]], labels: int, users: Sequence[int] | None = None) -> SequenceTable:
    """Codes as a table; empty records are kept, as an engine must bear them."""
    return SequenceTable(domain_of(labels), Flat.of(records), None if users is None else np.array(users, np.int64))


def paper_table() -> SequenceTable:
    """Table 1 as a table."""
    return table_of_codes([[int(c) - 1 for c in record] for record in PAPER], 3)


def databases(labels: int = 3, records: int = 8, length: int = 6) -> st.SearchStrategy[list[list[int]]]:
    """Databases over `labels` codes; records may be empty, repeated, or all of one label."""
    return st.lists(st.lists(st.integers(0, labels - 1), max_size=length), max_size=records)


def gram_counts(records: Iterable[Sequence[int]], l_max: int, end: int) -> dict[tuple[int, ...], int]:
    """Every gram that starts at an item of a cut and terminated record, by brute force."""
    counts: dict[tuple[int, ...], int] = {}
    for record in records:
        codes = [*list(record)[:l_max], end]
        for start in range(len(codes) - 1):
            for stop in range(start + 1, len(codes) + 1):
                gram = tuple(codes[start:stop])
                counts[gram] = counts.get(gram, 0) + 1
    return counts


class ChosenNoise:
    """Answers a Noise's questions with whatever was chosen, over and over: the worst luck a mechanism can have.

    `values` are the laplace draws; tails are their absolute values; how many empty slots pass, and which, follow from them
    too. Every scale that was asked for is kept in `scales`, so that a test can see what was paid for.
    """

    private = False
    kind = "chosen by the test, NOT private"

    def __init__(self, values: Sequence[int], most_passing: int = 3) -> None:
        self._values = list(values) or [0]
        self._most_passing = most_passing
        self._at = 0
        self.scales: list[tuple[str, float, int]] = []

    def _next(self, size: int) -> np.ndarray[Any, np.dtype[np.int64]]:
        drawn = [self._values[(self._at + i) % len(self._values)] for i in range(size)]
        self._at += size
        return np.array(drawn, np.int64)

    def laplace(self, scale: Scale, size: int) -> Any:
        self.scales.append(("laplace", scale.value, size))
        return self._next(size)

    def gaussian(self, sigma: Sigma, size: int) -> Any:
        self.scales.append(("gaussian", sigma.value, size))
        return self._next(size)

    def beyond(self, law: Law, threshold: int, size: int) -> Any:
        self.scales.append(("beyond", law.value, size))
        return np.abs(self._next(size))

    def passing(self, law: Law, threshold: int, slots: int) -> int:
        self.scales.append(("passing", law.value, slots))
        return min(slots, abs(int(self._next(1)[0])) % (self._most_passing + 1))

    def distinct(self, k: int, n: int) -> Any:
        first = abs(int(self._next(1)[0])) % (n - k + 1)
        return np.arange(first, first + k, dtype=np.int64)

    def below(self, n: int, size: int) -> Any:
        return np.abs(self._next(size)) % n

    def exponential(self, scores: Any, rate: Fraction) -> int:
        return abs(int(self._next(1)[0])) % len(scores)


def chosen_values(most: int = 2**60) -> st.SearchStrategy[list[int]]:
    """Draws of every size, small, just around thresholds, and absurd."""
    sizes = st.one_of(st.integers(-30, 30), st.integers(-most, most), st.sampled_from([0, 1, -1, most, -most]))
    return st.lists(sizes, min_size=1, max_size=12)
