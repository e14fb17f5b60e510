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
from seqveil.bases.live import false_bar
from seqveil.wall import GRAINS, Bins, Wall

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
    """Itemsets with noisy supports: each is the sum of `terms` draws of noise of one `scale`; `count` is the best estimate.

    `remark` says, for people, what the counts leave out.
    """

    patterns: list[tuple[int, ...]]
    noisy: NDArray[np.int64]
    terms: NDArray[np.int64]
    scale: float
    count: NDArray[np.float64]
    bases: tuple[Binned, ...] = ()
    remark: str = ""


NOTHING = Counted([], np.zeros(0, np.int64), np.zeros(0, np.int64), 0.0, np.zeros(0))


def count_basis(wall: Wall, labels: tuple[int, ...], size: int, longest: int, epsilon: int) -> Counted:
    """All itemsets of at most `longest` of these labels, from the bins of one basis."""
    basis = tuple(sorted(labels))
    with wall.stage("count"):
        binned, scale = _binned(wall, [basis], size, epsilon)
    sizes = labels_of_bins(len(basis))
    wanted = np.flatnonzero((sizes > 0) & (sizes <= longest))
    patterns = [itemset(basis, s) for s in wanted.tolist()]
    return _answers(binned, patterns, scale)


def count_candidates(wall: Wall, candidates: Estimates, size: int, threshold: int, epsilon: int) -> Counted:
    """All candidates, by several bases or in clipped records."""
    if not candidates:
        return NOTHING
    rarest = sorted(candidates, key=lambda x: (candidates[x], x))
    patterns = padded(rarest)
    with wall.stage("count"):
        width = asked_width(wall, patterns, threshold / false_bar(len(patterns)), epsilon)
        left = epsilon - width.spent
        owned = wall.unit.sequences * GRAINS / left
        bases, deviation = best_cover(rarest, owned)
        if deviation <= UNBIASED * math.sqrt(2.0) * width.most * owned:
            binned, scale = _binned(wall, bases, size, left)
            return _answers(binned, rarest, scale)
        noisy, scale = clipped_counts(wall, patterns, width, epsilon, fair=False)
    remark = "" if width.most >= len(rarest) else _clipped(width.most, len(rarest), width.clipped)
    return Counted(rarest, noisy, np.ones(len(rarest), np.int64), scale, noisy.astype(np.float64), (), remark)


def fits_one_basis(wall: Wall, labels: int, threshold: int, epsilon: int) -> bool:
    """Whether so many labels can be one basis, paid with ε."""
    return one_basis(labels, wall.unit.sequences * GRAINS / epsilon, threshold)


def _binned(wall: Wall, bases: list[Basis], size: int, epsilon: int) -> tuple[list[Binned], float]:
    question = Bins(tuple(bases))
    noisy = wall.ask(question, epsilon)
    ends = np.cumsum([1 << len(basis) for basis in bases])[:-1]
    binned = [Binned(basis, bins, projected(bins, size)) for basis, bins in zip(bases, np.split(noisy, ends), strict=True)]
    return binned, question.influence(wall.unit) * GRAINS / epsilon


def _answers(binned: list[Binned], patterns: list[tuple[int, ...]], scale: float) -> Counted:
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
        scale,
        np.array([fitted[b][s] for b, s in zip(at, bins, strict=True)], np.float64),
        tuple(binned),
    )


def _clipped(most: int, asked: int, records: int) -> str:
    """How records were clipped: what a count, and its error bar, leaves out."""
    return (
        f"; a record counts for at most {most:,} of the {asked:,} itemsets asked about, the rarest first "
        f"(about {records:,} contain more), so counts may be too small"
    )
