"""The loss of a whole run of DER on small graphs, by exhaustive enumeration: split, counts and arrangement together."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

import seqveil as sv
from seqveil.engines.local.density import DensityCounter
from seqveil.tables.graphs import GraphTable
from seqveil.tables.triangle import cells, count_splits, nth_splits, quadrants, root

N = 4
PAIRS = list(combinations(range(N), 2))
COUNTING, SPLITTING, ARRANGING = 0.5, 0.3, 0.2
LEAST = 1


def opened(bits: int) -> DensityCounter:
    ends = np.array([p for k, p in enumerate(PAIRS) if bits >> k & 1], np.int64).reshape(-1, 2)
    table = GraphTable.of(sv.Domain.range(1, N), ends[:, 0], ends[:, 1])
    return DensityCounter.root(table.low, table.high, N, (LEAST,), 1)


def split_law(counter: DensityCounter, epsilon: float) -> np.ndarray:
    scores = counter.scores(np.zeros(1, np.int64))
    weights = np.exp(epsilon / (2 * scores.sensitivity) * scores.score)
    return weights / weights.sum()


def arrangement_law(edges: int, size: int, chosen: int, epsilon: float) -> dict[int, float]:
    """P of any one set by how many of the edges it hits."""
    hits = range(max(0, chosen - size + edges), min(edges, chosen) + 1)
    total = sum(math.comb(edges, w) * math.comb(size - edges, chosen - w) * math.exp(epsilon * w) for w in hits)
    return {w: math.exp(epsilon * w) / total for w in hits}


def worst_arrangement(edges: int, size: int, chosen: int, epsilon: float) -> float:
    """The largest |log ratio| when one cell becomes an edge: sets that hold that cell hit one more edge."""
    one, two = (arrangement_law(c, size, chosen, epsilon) for c in (edges, edges + 1))
    without = [abs(math.log(one[w] / two[w])) for w in one if w in two and chosen - w <= size - edges - 1]
    holding = [abs(math.log(one[w] / two[w + 1])) for w in one if w + 1 in two and chosen - w >= 1]
    return max([*without, *holding])


def test_one_edge_never_costs_more_than_epsilon() -> None:
    """Every graph on four vertices, every edge added, every split, every noisy count near the true one, every arrangement.

    The log ratio of a whole run is the sum over the choice of the split, the count of the one part that holds the edge, and
    that part's arrangement; all other parts have the same law under both graphs. The worst sum stays within ε, and comes
    close to it.
    """
    region = root(N)[None]
    splits = int(count_splits(region, LEAST, 1)[0])
    points = nth_splits(np.repeat(region, splits, 0), LEAST, np.arange(splits), 1)
    worst = 0.0
    for bits in range(2 ** len(PAIRS)):
        for k, (i, j) in enumerate(PAIRS):
            if bits >> k & 1:
                continue
            one, two = opened(bits), opened(bits | 1 << k)
            choice = np.log(split_law(one, SPLITTING) / split_law(two, SPLITTING))
            for point, ratio in zip(points, choice, strict=True):
                rank = 2 * (i >= point[0]) + (j >= point[1])
                size = int(cells(quadrants(region, point[None])[0, rank]))
                counts = one.children(np.zeros(1, np.int64), point[None])
                edges = int(counts.count[counts.rank == rank].sum())
                for noisy in range(-1, size + 2):
                    count = COUNTING * (abs(noisy - edges - 1) - abs(noisy - edges))
                    arranged = worst_arrangement(edges, size, min(max(noisy, 0), size), ARRANGING)
                    worst = max(worst, abs(ratio + count) + arranged)

    assert 0.7 < worst <= COUNTING + SPLITTING + ARRANGING + 1e-9


@pytest.mark.parametrize("k", [1, 3])
def test_noise_grows_with_the_number_of_edges_protected_together(k: int) -> None:
    """k edges share one guarantee: every count carries k times the noise, in small regions too.

    See docs/soundness.md, 'Noise for k edges'.
    """
    table = sv.graph_of([("1", "2")], sv.Domain.range(1, 40), order_is_public=True)
    release = sv.experiment(table, sv.DER(height=2), "1.0", seed=1, unit=sv.Edge(k))
    single = sv.experiment(table, sv.DER(height=2), "1.0", seed=1, unit=sv.Edge(1))

    assert release.regions.scale.min() == pytest.approx(k * single.regions.scale.min())
