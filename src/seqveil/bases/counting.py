"""The final count: all bins of one basis or of several, or supports in clipped records, whichever is more precise."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.bases.asking import asked_width, clipped_counts, padded
from seqveil.bases.bins import bin_of, itemset, labels_of_bins, projected, superset_sums
from seqveil.bases.cover import Basis, best_cover, one_basis
from seqveil.bases.growing import Estimates
from seqveil.bases.noise import Noise, alone, false_bar, noise_on
from seqveil.wall import Bins, Wall

UNBIASED = 1.5
"""Bases are preferred up to so many times the noise of clipped counts: they lose nothing, so their error bars are complete."""


@dataclass(frozen=True, slots=True, eq=False)
class Binned:
    """A basis with its noisy bins, and fitted ones that are not negative and add up to the noisy number of records."""

    basis: Basis
    noisy: NDArray[np.int64]
    fitted: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Itemsets with noisy supports: each is the sum of `terms` draws of one `noise`; `count` is the best estimate.

    `remark` says, for people, what the counts leave out.
    """

    patterns: list[tuple[int, ...]]
    noisy: NDArray[np.int64]
    terms: NDArray[np.int64]
    noise: Noise
    count: NDArray[np.float64]
    bases: tuple[Binned, ...] = ()
    remark: str = ""


def nothing_counted(wall: Wall) -> Counted:
    """No itemsets."""
    return Counted([], np.zeros(0, np.int64), np.zeros(0, np.int64), Noise(0.0, wall.measure == "zcdp"), np.zeros(0))


def count_basis(wall: Wall, labels: tuple[int, ...], size: int, longest: int, epsilon: int) -> Counted:
    """All itemsets of at most `longest` of these labels, from the bins of one basis."""
    basis = tuple(sorted(labels))
    with wall.stage("count"):
        binned, noise = _binned(wall, [basis], size, epsilon)
    sizes = labels_of_bins(len(basis))
    wanted = np.flatnonzero((sizes > 0) & (sizes <= longest))
    patterns = [itemset(basis, s) for s in wanted.tolist()]
    return _answers(binned, patterns, noise)


def count_candidates(wall: Wall, candidates: Estimates, size: int, threshold: int, epsilon: int) -> Counted:
    """All candidates, by several bases or in clipped records."""
    if not candidates:
        return nothing_counted(wall)
    rarest = sorted(candidates, key=lambda x: (candidates[x], x))
    patterns = padded(rarest)
    with wall.stage("count"):
        width = asked_width(wall, patterns, threshold / false_bar(len(patterns), wall.measure), epsilon)
        left = epsilon - width.spent
        owned = alone(wall, left).scale
        bases, deviation = best_cover(rarest, owned, wall.measure)
        clipped = width.most if wall.measure == "pure" else math.sqrt(width.most)
        if deviation <= UNBIASED * math.sqrt(2.0) * clipped * owned:
            binned, noise = _binned(wall, bases, size, left)
            return _answers(binned, rarest, noise)
        noisy, noise = clipped_counts(wall, patterns, width, epsilon, fair=False)
    remark = "" if width.most >= len(rarest) else _clipped(width.most, len(rarest), width.clipped)
    return Counted(rarest, noisy, np.ones(len(rarest), np.int64), noise, noisy.astype(np.float64), (), remark)


def fits_one_basis(wall: Wall, labels: int, threshold: int, epsilon: int) -> bool:
    """Whether so many labels can be one basis, paid with ε."""
    return one_basis(labels, alone(wall, epsilon).scale, threshold)


def _binned(wall: Wall, bases: list[Basis], size: int, epsilon: int) -> tuple[list[Binned], Noise]:
    question = Bins(tuple(bases))
    noisy = wall.ask(question, epsilon)
    ends = np.cumsum([1 << len(basis) for basis in bases])[:-1]
    binned = [Binned(basis, bins, projected(bins, size)) for basis, bins in zip(bases, np.split(noisy, ends), strict=True)]
    return binned, noise_on(wall, question, epsilon)


def _answers(binned: list[Binned], patterns: list[tuple[int, ...]], noise: Noise) -> Counted:
    """The supports of patterns, each from the smallest basis that contains it."""
    order = sorted(range(len(binned)), key=lambda b: len(binned[b].basis))
    sums = [superset_sums(one.noisy) for one in binned]
    fitted = [superset_sums(one.fitted) for one in binned]
    at = [next(b for b in order if set(x) <= set(binned[b].basis)) for x in patterns]
    bins = [bin_of(binned[b].basis, x) for b, x in zip(at, patterns, strict=True)]
    terms = [1 << (len(binned[b].basis) - len(x)) for b, x in zip(at, patterns, strict=True)]
    return Counted(
        patterns,
        np.array([sums[b][s] for b, s in zip(at, bins, strict=True)], np.int64),
        np.array(terms, np.int64),
        noise,
        np.array([fitted[b][s] for b, s in zip(at, bins, strict=True)], np.float64),
        tuple(binned),
    )


def _clipped(most: int, asked: int, records: int) -> str:
    """How records were clipped: what a count, and its error bar, leaves out."""
    return (
        f"; a record counts for at most {most:,} of the {asked:,} itemsets asked about, the rarest first "
        f"(about {records:,} contain more), so counts may be too small"
    )
