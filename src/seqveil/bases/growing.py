"""Candidates of two and more labels: pairs are asked for, larger itemsets are predicted from pairs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from seqveil.bases.asking import asked_width
from seqveil.bases.live import Live
from seqveil.bases.noise import enough, false_bar, noise_on
from seqveil.wall import ClippedSupports, Wall

Estimates = dict[tuple[int, ...], float]
"""Ascending itemsets and about how many records contain them."""

PRECISE = 0.05
"""Noise of this share of θ is small enough for finding pairs; ε beyond that is kept for the final count."""

HOPEFUL = 0.6
"""Larger itemsets are counted from this share of θ on: predictions from pairs are rough."""

PER_PATTERN = 3
"""So many candidates are counted, at most, for each itemset that is wanted."""


def asked_pairs(wall: Wall, live: Live, epsilon: int) -> tuple[Estimates, int]:
    """Pairs of strong labels that may have a support of θ, with their noisy supports, and what of ε was not needed.

    The undecided ones count first: those whose support would be closest to θ, as a ratio, if labels were independent.
    """
    count, strong = live.counts, sorted(live.strong)
    pairs = list(combinations(strong, 2))
    if not pairs:
        return {}, epsilon
    size = max(live.size, 1)
    away = [abs(math.log(max(count[a] * count[b] / size, 1.0) / live.threshold)) for a, b in pairs]
    table = np.array(pairs, np.int64)[np.argsort(away, kind="stable")]
    with wall.stage("pairs"):
        width = asked_width(wall, table, live.threshold / false_bar(len(table), wall.measure), epsilon)
        question = ClippedSupports(table, width.most)
        paid = min(epsilon - width.spent, enough(wall, question, PRECISE * live.threshold))
        scale = noise_on(wall, question, paid).scale
        least = max(1, math.ceil(max(live.threshold - scale, scale * false_bar(len(table), wall.measure))))
        rank, noisy = wall.ask_above(question, paid, least)
    asked = table[rank.astype(np.int64)].tolist()
    return dict(zip(map(tuple, asked), map(float, noisy.tolist()), strict=True)), epsilon - width.spent - paid


def candidates(live: Live, pairs: Estimates, top: int, longest: int) -> Estimates:
    """Strong labels, pairs, and larger itemsets all of whose pairs were found, as far as they may have a support of θ.

    Of more than 3·top the likeliest are kept.
    """
    count = live.counts
    estimate: Estimates = {(x,): float(count[x]) for x in live.strong}
    estimate |= pairs
    level = list(pairs)
    for _ in range(3, longest + 1):
        level = [x for x in _joined(level, pairs) if predicted(x, estimate, live.size) >= HOPEFUL * live.threshold]
        level = sorted(level, key=lambda x: -predicted(x, estimate, live.size))[: PER_PATTERN * top]
        estimate |= {x: predicted(x, estimate, live.size) for x in level}
        if not level:
            break
    best = sorted(estimate, key=lambda x: (-estimate[x], x))[: PER_PATTERN * top]
    return {x: estimate[x] for x in best}


def _joined(level: list[tuple[int, ...]], pairs: Estimates) -> Iterator[tuple[int, ...]]:
    """Itemsets one label larger, all of whose pairs were found."""
    larger: dict[int, set[int]] = {}
    for a, b in pairs:
        larger.setdefault(a, set()).add(b)
    for one in sorted(level):
        for x in sorted(set.intersection(*(larger.get(y, set()) for y in one))):
            yield (*one, x)


def predicted(itemset: tuple[int, ...], estimate: Estimates, size: int) -> float:
    """What the pairs of an itemset say about it, after Kirkwood: ∏ pairs / ∏ labels^(k − 2), and no more than its parts.

    >>> pairs = {(0, 1): 50.0, (0, 2): 40.0, (1, 2): 30.0, (0,): 100.0, (1,): 60.0, (2,): 50.0}
    >>> round(predicted((0, 1, 2), pairs, 120), 6)                     # 50·40·30 / (100·60·50) · 120 records, at most 30
    24.0
    """
    k, n = len(itemset), max(size, 1)
    log = sum(math.log(max(estimate[pair], 1.0) / n) for pair in combinations(itemset, 2))
    log -= (k - 2) * sum(math.log(max(estimate[(x,)], 1.0) / n) for x in itemset)
    parts = (estimate[part] for part in combinations(itemset, k - 1) if part in estimate)
    return min([n * math.exp(min(log, 0.0)), *parts])
