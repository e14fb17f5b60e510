"""Which bases: sets of labels that together contain every candidate, few and small enough to be precise.

w bases cost w, and a pair's count sums the 2^(m − 2) bins of a basis of m labels that contain it, so its standard deviation is
w·√(2·2^(m − 2))/ε. [Li 2012] starts from the maximal cliques of frequent pairs and merges them; here bases are filled greedily
for every size m, and the m with the smallest deviation wins.
"""

from __future__ import annotations

import math

from seqveil.wall import Measure

Basis = tuple[int, ...]

MOST_LABELS = 18
"""The largest basis."""

PRECISE = 0.05
"""One basis is enough if the standard deviation of a pair's count in it is at most this share of θ."""


def deviation(m: int, w: int, scale: float, measure: Measure = "pure") -> float:
    """The standard deviation of a pair's count from w bases of m labels; `scale` is that of the noise of one basis.

    A record adds 1 to a bin of each basis: w in L1, √w in L2.

    >>> deviation(4, 3, 1.0) == 3 * math.sqrt(2 * 4)
    True
    """
    return (w if measure == "pure" else math.sqrt(w)) * scale * math.sqrt(2.0 * 2.0 ** max(m - 2, 0))


def one_basis(m: int, scale: float, threshold: int) -> bool:
    """Whether a single basis of m labels is precise enough for supports of θ.

    >>> one_basis(12, 1.4, 4464), one_basis(12, 1.4, 100), one_basis(40, 0.001, 10**9)
    (True, False, False)
    """
    return 1 <= m <= MOST_LABELS and deviation(m, 1, scale) <= PRECISE * threshold


def covering(candidates: list[tuple[int, ...]], m: int) -> list[Basis]:
    """Bases of at most m labels (or as many as the largest candidate has) such that each candidate lies in one of them.

    >>> covering([(0, 1, 2), (2, 3), (1, 3), (4,), (0, 4)], 4)
    [(0, 1, 2, 3), (0, 4)]
    """
    bases: list[set[int]] = []
    for candidate in sorted(candidates, key=lambda x: -len(x)):
        if any(basis.issuperset(candidate) for basis in bases):
            continue
        fits = [basis for basis in bases if len(basis | set(candidate)) <= m]
        if fits:
            max(fits, key=lambda basis: len(basis & set(candidate))).update(candidate)
        else:
            bases.append(set(candidate))
    return [tuple(sorted(basis)) for basis in bases]


def best_cover(candidates: list[tuple[int, ...]], scale: float, measure: Measure = "pure") -> tuple[list[Basis], float]:
    """The covering with the smallest deviation of a pair's count, and that deviation."""
    covers = [covering(candidates, m) for m in range(max(map(len, candidates)), MOST_LABELS + 1)]
    rated = [(deviation(max(map(len, cover)), len(cover), scale, measure), cover) for cover in covers]
    best = min(rated, key=lambda one: one[0])
    return best[1], best[0]
