"""Sketches: a vector's counts summed over a few groups of coordinates, which bound distances from below.

Counts are integers, so (a - b)² ≥ |a - b| for each, and over a group G of grams of one length

    Σ_{i ∈ G} wᵢ² (aᵢ - bᵢ)²  ≥  w² Σ_{i ∈ G} |aᵢ - bᵢ|  ≥  w² |Σ_G a - Σ_G b|.

Summed over disjoint groups this never exceeds the squared distance. Sums are cut at 255, which only brings them closer. For
names, whose counts rarely differ by more than 1, little is lost.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

GROUPS = 16
"""At most so many groups. More bound better and cost more."""

_SAMPLE = 10_000
_MOST_SUM = 255


def groups_of(counts: NDArray, weights: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Groups of coordinates of one weight, the most telling first.

    Beginning with a group per weight, the group whose members differ most between rows is split in two of equal share, until
    there are `GROUPS`; then they are ordered by how much their sums differ. Any choice is right; this one is fast.
    """
    one, other = _samples(counts)
    moves = np.abs(one - other).mean(0) * weights.astype(np.float64) ** 2
    groups = [np.flatnonzero(weights == weight) for weight in np.unique(weights)[::-1]]
    while len(groups) < min(GROUPS, len(weights)):
        wide = max((g for g in range(len(groups)) if len(groups[g]) > 1), key=lambda g: moves[groups[g]].sum())
        members = groups[wide][np.argsort(-moves[groups[wide]], kind="stable")]
        groups[wide : wide + 1] = _halves(members, moves)
    tells = [np.abs((one - other)[:, group].sum(1)).mean() * float(weights[group[0]]) ** 2 for group in groups]
    return [groups[g] for g in np.argsort(-np.array(tells), kind="stable")]


def sketches(counts: NDArray, groups: list[NDArray[np.int64]]) -> NDArray[np.uint8]:
    """One row of sums per vector."""
    out = np.empty((len(counts), len(groups)), np.uint8)
    for g, group in enumerate(groups):
        out[:, g] = np.minimum(counts[:, group].sum(1, dtype=np.int64), _MOST_SUM)
    return out


def _samples(counts: NDArray) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Two lists of rows to compare, spread over all."""
    sample = counts[:: max(1, len(counts) // _SAMPLE)].astype(np.int64)
    return sample, np.roll(sample, len(sample) // 2 or 1, axis=0)


def _halves(members: NDArray[np.int64], moves: NDArray[np.float64]) -> list[NDArray[np.int64]]:
    """Two groups; each member, the largest first, goes where less is yet."""
    sides: tuple[list[int], list[int]] = ([], [])
    totals = [0.0, 0.0]
    for member in members.tolist():
        side = 0 if not sides[0] else 1 if not sides[1] else int(totals[1] < totals[0])
        sides[side].append(member)
        totals[side] += float(moves[member])
    return [np.array(side, np.int64) for side in sides]
