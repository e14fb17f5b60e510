"""The mining phase [Xu 2015, Alg. 3, lines 11–23]: level by level, candidates are pruned on a sample and counted on all."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.mine.pfs2.candidates import Patterns, every_label
from seqveil.mine.pfs2.language import Language
from seqveil.mine.pfs2.premining import Premined
from seqveil.mine.pfs2.relaxation import relaxed
from seqveil.wall import GRAINS, Measure, Supports, Wall

MOST_NOISE = 0.5
"""Patterns are not asked about when the noise on their supports would have more than this share of the threshold as scale."""


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """Patterns of one length whose noisy support reached the threshold."""

    patterns: Patterns
    noisy: NDArray[np.int64]
    scale: float


def affordable(threshold: int, epsilon: int, owned: int, measure: Measure = "pure") -> int:
    """How many supports can be asked at once before their noise, of scale owned·n/ε, swamps the threshold.

    Gaussian noise has the scale owned·√n/(2√ρ).

    >>> affordable(14_847, 56_250_000_000, 1), affordable(1_000, 10_000_000_000, 1, "zcdp")
    (417, 10000)
    """
    if measure == "zcdp":
        return int(4 * (MOST_NOISE * threshold / owned) ** 2 * epsilon / GRAINS)
    return int(MOST_NOISE * threshold * epsilon / GRAINS / owned)


def prune(
    part: Wall, language: Language, candidates: Patterns, premined: Premined, epsilon: int, most: int, zeta: float | None
) -> Patterns:
    """Algorithm 1, rebuilt from Theorem 6: the candidates whose noisy support in the k-th sample reaches the relaxed threshold.

    Records of the sample are cut to l_max items, so that one of them moves at most min{(l_max over k), |C_k|} supports; the
    answers get noise of that scale over ε₄. Without ζ the user's threshold is used as it is. Of more than `most` survivors
    the strongest are kept: which ones is read off noisy answers.
    """
    question = language.cut(candidates, premined.l_max)
    scale = question.influence(part.unit) * GRAINS / epsilon
    sample = premined.longest
    least = premined.threshold / sample if zeta is None else relaxed(premined.threshold, premined.size, sample, scale, zeta)
    rank, noisy = part.ask_above(question, epsilon, max(math.ceil(least), 1))
    strongest = np.sort(rank[np.argsort(-noisy, kind="stable")[:most]]).astype(np.int64)
    return candidates[strongest]


def discover(wall: Wall, patterns: Patterns, threshold: int, epsilon: int) -> Level:
    """The patterns whose noisy support on all records reaches the threshold; records are not cut."""
    question = Supports(patterns)
    rank, noisy = wall.ask_above(question, epsilon, threshold)
    return Level(patterns[rank.astype(np.int64)], noisy, question.influence(wall.unit) * GRAINS / epsilon)


def discover_cut(wall: Wall, language: Language, candidates: Patterns, premined: Premined, epsilon: int) -> Level | None:
    """PL and TT: no samples, supports from records that are all cut to l_max items (and therefore too small).

    Nothing is asked when noise would swamp the threshold: most of what passed would be noise, and be joined with itself.
    """
    question = language.cut(candidates, premined.l_max)
    scale = question.influence(wall.unit) * GRAINS / epsilon
    if scale > MOST_NOISE * premined.threshold:
        return None
    rank, noisy = wall.ask_above(question, epsilon, premined.threshold)
    return Level(candidates[rank.astype(np.int64)], noisy, scale)


def mine_by_samples(
    wall: Wall, language: Language, premined: Premined, pruning: int, counting: int, zeta: float | None
) -> list[Level]:
    """Frequent patterns of lengths 1..L_f; `pruning` is ε₄, which every secret sample has to itself, `counting` is ε₅."""
    with wall.stage("sample parts"):
        parts = wall.parts(premined.longest, pruning)
    share = counting // premined.longest
    most = affordable(premined.threshold, share, wall.unit.sequences)
    levels: list[Level] = []
    candidates = every_label(len(wall.domain))
    for k, part in enumerate(parts, start=1):
        # Invariant: `levels` holds the frequent patterns of lengths 1..k−1, `candidates` all that may follow from them.
        if not len(candidates) or not most:
            break
        with part.stage(f"prune length {k}"):
            left = prune(part, language, candidates, premined, pruning, most, zeta)
        if not len(left):
            break
        with wall.stage(f"count length {k}"):
            level = discover(wall, left, premined.threshold, share)
        levels.append(level)
        candidates = language.longer(level.patterns, level.noisy)
    return levels


def mine_cut(wall: Wall, language: Language, premined: Premined, epsilon: int) -> list[Level]:
    """The same without samples: every level is counted on all records, cut to l_max items."""
    share = epsilon // premined.longest
    levels: list[Level] = []
    candidates = every_label(len(wall.domain))
    for k in range(1, premined.longest + 1):
        if not len(candidates):
            break
        with wall.stage(f"count length {k}"):
            level = discover_cut(wall, language, candidates, premined, share)
        if level is None:
            break
        levels.append(level)
        candidates = language.longer(level.patterns, level.noisy)
    return levels
