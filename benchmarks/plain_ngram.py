"""The N-gram method in plain Python dictionaries: the yardstick that `bars.py` measures Seqveil's kernels against.

The same algorithm (truncate, explore with adaptive budgets and thresholds, look a second time at what stayed unknown, make
consistent, join, publish with the cap), written as one would from [Chen 2012], without arrays or compiled code. Noise comes
from numpy in one draw per slot that occurs; empty slots are sampled as in the wall. It guards nothing and is not private.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from math import ceil, exp, floor, log

import numpy as np

END = -1
Gram = tuple[int, ...]


def _laplace(random: np.random.Generator, scale: float) -> int:
    p = 1 - exp(-1 / scale)
    return int(random.geometric(p) - random.geometric(p))


def _family(random, counts: dict[int, int], labels: list[int], scale: float, theta: int, skip: set[int]) -> dict[int, int]:
    """Noisy counts at or above the threshold, empty slots sampled."""
    kept = {}
    for x, c in counts.items():
        if x not in skip and (noisy := c + _laplace(random, scale)) >= theta:
            kept[x] = noisy
    empty = len(labels) - len(counts.keys() | skip)
    passing = random.binomial(empty, exp(-theta / scale) / (1 + exp(-1 / scale)))
    if passing:
        slots = [x for x in labels if x not in counts and x not in skip]
        for i in random.choice(len(slots), passing, replace=False):
            kept[slots[i]] = theta + int(random.geometric(1 - exp(-1 / scale))) - 1
    return kept


def explore(records: list[list[int]], labels: int, epsilon: float, l_max: int, n_max: int, random) -> dict[Gram, dict[int, int]]:
    """Families of children by parent gram."""
    cut = [[*r[:l_max], END] for r in records]
    starts = [(k, p) for k, r in enumerate(cut) for p in range(len(r) - 1)]
    rule = max(log(labels / 2), log(2))
    families: dict[Gram, dict[int, int]] = {}
    left = {(): epsilon}
    frontier: dict[Gram, list[tuple[int, int]]] = {(): starts}
    counts: dict[Gram, int] = {}
    for level in range(n_max):
        following: dict[Gram, list[tuple[int, int]]] = {}
        for gram, where in frontier.items():
            paid = _share(gram, families, counts, left[gram], n_max - level, l_max * rule) if level else epsilon / n_max
            theta = ceil(l_max * rule / paid)
            if level and counts[gram] < l_max * rule / paid:
                continue
            here = Counter(cut[k][p + level] for k, p in where)
            universe = list(range(labels)) + ([END] if level else [])
            kept = _family(random, here, universe, l_max / paid, theta, set())
            rest = left[gram] - paid
            second: dict[int, int] = {}
            if rest > paid:
                second = _family(random, here, universe, l_max / rest, ceil(l_max * rule / rest), set(kept))
            if not kept and not second:
                continue
            families[gram] = {**kept, **second}
            for x, noisy in families[gram].items():
                counts[(*gram, x)] = noisy
                left[(*gram, x)] = rest if x in kept else 0.0
            if rest > 1e-12:
                following.update({(*gram, x): [] for x in kept if x != END})
                for k, p in where:
                    if (*gram, cut[k][p + level]) in following:
                        following[(*gram, cut[k][p + level])].append((k, p))
        frontier = following
    return families


def _share(gram, families, counts, left, most, reach) -> float:
    suffix = gram[1:]
    while suffix and suffix not in families:
        suffix = suffix[1:]
    family = families[suffix]
    p = max(family.values()) / sum(family.values())
    h = most
    while h > 1 and 0 < p < 1 and max(1, min(most, ceil(log(reach * h / left / counts[gram]) / log(p)))) < h:
        h -= 1
    return left / h


def consistent(families: dict[Gram, dict[int, int]], labels: int) -> dict[Gram, float]:
    """Counts whose children sum to their parents; missing ones approximated."""
    counts: dict[Gram, float] = {(x,): float(c) for x, c in families.get((), {}).items()}
    kin: dict[Gram, dict[int, float]] = {(): {x: float(c) for x, c in families.get((), {}).items()}}
    unigrams = list(kin[()])
    for gram in sorted((g for g in families if g), key=len):
        family, total = families[gram], float(sum(families[gram].values()))
        context = gram[1:]
        while context and context not in families:
            context = context[1:]
        values = {x: float(c) for x, c in family.items()}
        whole = total
        covered = sum(kin[context].get(x, 0.0) for x in family) if context else 0.0
        if covered > 0:
            for x, c in kin[context].items():
                if x not in family and c > 0:
                    values[x] = total * c / covered
                    whole += values[x]
        elif counts[gram] > total:
            share = (counts[gram] - total) / (labels + 1 - len(family)) if labels + 1 > len(family) else 0.0
            whole = counts[gram]
            if share >= 0.5:
                values.update({x: share for x in [*unigrams, END] if x not in family})
        kin[gram] = {x: v * counts[gram] / whole for x, v in values.items()}
        counts.update({(*gram, x): v for x, v in kin[gram].items()})
    return counts


def synthesize(counts: dict[Gram, float], l_max: int) -> list[tuple[Gram, int]]:
    """Joins beyond the deepest level, then publication, longest first, with the cap."""
    if not counts:
        return []
    height = max(map(len, counts))
    children: dict[Gram, list[int]] = defaultdict(list)
    for gram in counts:
        children[gram[:-1]].append(gram[-1])
    levels = [{g: c for g, c in counts.items() if len(g) == height and g[-1] != END}]
    while height > 1 and levels[-1] and height + len(levels) - 1 < l_max:
        joined = {}
        for gram, c in levels[-1].items():
            overlap = gram[len(gram) - height + 1 :]
            for x in children.get(overlap, ()):
                if x != END and counts[overlap] > 0 and (c2 := c * counts[(*overlap, x)] / counts[overlap]) >= 0.5:
                    joined[(*gram, x)] = c2
        if not joined:
            break
        levels.append(joined)
    remaining = dict(counts)
    published: list[tuple[Gram, int]] = []
    inside: dict[Gram, float] = defaultdict(float)
    ending: dict[Gram, float] = defaultdict(float)
    for level in range(len(levels) - 1, 0, -1):
        for gram, c in levels[level].items():
            copies = _publish(gram, c - inside[gram] - ending[gram], height, remaining, children)
            if copies:
                published.append((gram, copies))
                ending[gram] += copies
            inside[gram[:-1]] += inside[gram] + ending[gram]
            ending[gram[1:]] += ending[gram]
    for size in range(height, 0, -1):
        for gram in [g for g in counts if len(g) == size and g[-1] != END]:
            copies = _publish(gram, remaining[gram], height, remaining, children)
            published += [(gram, copies)] if copies else []
    return published


def _publish(gram: Gram, wanted: float, height: int, remaining: dict[Gram, float], children: dict[Gram, list[int]]) -> int:
    if wanted < 0.5:
        return 0
    copies = floor(wanted + 0.5)
    hits: Counter[Gram] = Counter()
    for p in range(len(gram)):
        for n in range(1, min(height, len(gram) - p) + 1):
            part = gram[p : p + n]
            if part not in remaining:
                if part[:-1] in children:
                    return 0
                break
            hits[part] += 1
    for part, times in hits.items():
        copies = min(copies, floor((remaining[part] + 0.5) / times))
    if copies <= 0:
        return 0
    for part, times in hits.items():
        remaining[part] -= copies * times
    return copies


def run(records: list[list[int]], labels: int, epsilon: float, l_max: int, n_max: int, seed: int) -> list[tuple[Gram, int]]:
    """The whole method."""
    random = np.random.default_rng(seed)
    families = explore(records, labels, epsilon, l_max, n_max, random)
    return synthesize(consistent(families, labels), l_max)
